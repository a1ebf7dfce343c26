package session

import (
	"errors"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Stream sends at a steady rate from now until [Stop], the first request at
// once: "stream 4/s key=ann". A stream takes the place of the one before.
type Stream struct {
	Rate traffic.Rate
	Each traffic.Each
}

// MaxStreamRate bounds a stream, in requests a second of lab time.
const MaxStreamRate = 10_000

func parseStream(args string, offset int) (Command, error) {
	rate, rest, _ := strings.Cut(args, " ")
	const interval = " 0s..1ns"
	t, err := traffic.Parse(rate + interval + " " + rest)
	if err != nil {
		var syntax *traffic.SyntaxError
		if errors.As(err, &syntax) && syntax.Offset > len(rate) {
			if syntax.Offset < len(rate)+len(interval) {
				return nil, notStream(args, offset)
			}
			offset -= len(interval)
		}
		return nil, moved(err, offset)
	}
	steady, ok := onlyPattern(t).(traffic.Steady)
	if !ok {
		return nil, notStream(args, offset)
	}
	if over(steady.Rate) {
		return nil, commandError(offset, "%s is too fast for a stream; expected at most %d/s", steady.Rate, MaxStreamRate)
	}
	return Stream{steady.Rate, steady.Each}, nil
}

func notStream(args string, offset int) error {
	return commandError(offset, "%.40q is not a stream; expected a rate such as 4/s", args)
}

func onlyPattern(t traffic.Traffic) traffic.Pattern {
	if len(t.Patterns) != 1 {
		return nil
	}
	return t.Patterns[0]
}

// over says whether more than MaxStreamRate requests come in a second.
func over(r traffic.Rate) bool {
	second := traffic.Steady{Rate: r, To: 1_000_000_000}
	return second.Count() > MaxStreamRate
}

func (c Stream) String() string {
	// The interval is the only part that a stream does not have.
	text := traffic.Steady{Rate: c.Rate, To: 1, Each: c.Each}.String()
	rate, rest, _ := strings.Cut(text, " ")
	_, rest, _ = strings.Cut(rest, " ")
	return strings.TrimRight("stream "+rate+" "+rest, " ")
}

// MaxRealRate bounds what a stream sends at the present pace, in requests a
// second of real time.
const MaxRealRate = 20_000

// realRate is how many requests of a stream come in a second of real time at a
// tempo, rounded up.
func realRate(r traffic.Rate, tempo Tempo) int64 {
	// count / per × tempo / 1000, and a second has 10⁹ ns. The first product
	// does not overflow: a count is at most lab.MaxCount.
	hi, lo := bits.Mul64(uint64(r.Count)*uint64(tempo), uint64(time.Second)/uint64(RealTempo))
	if hi >= uint64(r.Per) {
		return math.MaxInt64
	}
	n, rest := bits.Div64(hi, lo, uint64(r.Per))
	if rest > 0 {
		n++
	}
	return int64(min(n, math.MaxInt64))
}

// RealRate is how many requests a second of real time the stream sends, rounded
// up, once c has been carried out; c may be any command, or nil for now. 0 while
// paused.
func (s *State) RealRate(c Command) int64 {
	var rate traffic.Rate
	if s.stream != nil {
		rate = s.stream.stream.Rate
	}
	tempo, paused := s.clock.tempo, s.clock.paused
	switch c := c.(type) {
	case Stream:
		rate = c.Rate
	case Stop, Reset:
		rate = traffic.Rate{}
	case Pace:
		tempo = c.Tempo
	case Pause:
		paused = true
	case Resume:
		paused = false
	}
	if rate.Count == 0 || paused {
		return 0
	}
	return realRate(rate, tempo)
}

func tooFastRefusal(r traffic.Rate, tempo Tempo) error {
	return refusal("a stream of %s at a pace of %s is too fast; expected at most %d requests a second of real time", r, tempo, MaxRealRate)
}

func (c Stream) apply(s *State) error {
	if realRate(c.Rate, s.clock.tempo) > MaxRealRate {
		return tooFastRefusal(c.Rate, s.clock.tempo)
	}
	s.stream = &pulse{stream: c, from: s.now}
	s.decideDue()
	return nil
}

// Stop ends the stream.
type Stop struct{}

func (Stop) String() string { return "stop" }

func (Stop) apply(s *State) error {
	if s.stream == nil {
		return refusal("no stream is running")
	}
	s.stream = nil
	return nil
}

// pulse is a stream under way. It knows its place by a number, so that a copy
// need not find it again.
type pulse struct {
	stream Stream
	from   lab.Time
	taken  int64
}

// due is how many requests come up to an instant, that instant included.
func (p *pulse) due(to lab.Time) int64 {
	if to < p.from {
		return 0
	}
	// Number k comes at from + ⌊k × per / count⌋, so the first that comes later
	// is the least k with k × per ≥ (to − from + 1) × count.
	hi, lo := bits.Mul64(uint64(to-p.from)+1, uint64(p.stream.Rate.Count))
	per := uint64(p.stream.Rate.Per)
	if hi >= per {
		return math.MaxInt64
	}
	n, rest := bits.Div64(hi, lo, per)
	if rest > 0 {
		n++
	}
	return int64(min(n, math.MaxInt64)) - p.taken
}

// Peek is the next request: number k comes k × per / count after the first,
// rounded down to whole nanoseconds.
func (p *pulse) Peek() (lab.Request, bool) {
	hi, lo := bits.Mul64(uint64(p.taken), uint64(p.stream.Rate.Per))
	count := uint64(p.stream.Rate.Count)
	if hi >= count {
		return lab.Request{}, false
	}
	after, _ := bits.Div64(hi, lo, count)
	if after > uint64(MaxNow-p.from) {
		return lab.Request{}, false
	}
	return p.stream.Each.Request(p.from + lab.Time(after)), true
}

func (p *pulse) Take() { p.taken++ }
