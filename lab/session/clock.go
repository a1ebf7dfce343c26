package session

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Tempo is how many thousandths of a nanosecond of lab time pass in a
// nanosecond of real time.
type Tempo int64

// The slowest, the usual and the fastest pace.
const (
	MinTempo  Tempo = 100
	RealTempo Tempo = 1000
	MaxTempo  Tempo = 100_000
)

// String writes the pace as a decimal factor: "0.1", "1", "2.5".
func (t Tempo) String() string {
	whole, part := strconv.FormatInt(int64(t/1000), 10), int64(t%1000)
	if part == 0 {
		return whole
	}
	return whole + "." + strings.TrimRight(strconv.FormatInt(1000+part, 10)[1:], "0")
}

// clock turns stamps into lab time.
type clock struct {
	stamp  Stamp    // at this stamp
	at     lab.Time // it was this lab time
	tempo  Tempo
	paused bool
}

// now is the lab time at a stamp that is not before the clock's own.
func (c clock) now(stamp Stamp) lab.Time {
	if c.paused || stamp <= c.stamp {
		return c.at
	}
	hi, lo := bits.Mul64(uint64(stamp-c.stamp), uint64(c.tempo))
	if hi >= 1000 {
		return MaxNow
	}
	passed, _ := bits.Div64(hi, lo, 1000)
	if passed > uint64(MaxNow-c.at) {
		return MaxNow
	}
	return c.at + lab.Time(passed)
}

// stampOf is the first stamp at which it is lab time t or later; false while
// paused.
func (c clock) stampOf(t lab.Time) (Stamp, bool) {
	if t <= c.at {
		return c.stamp, true
	}
	if c.paused || t > MaxNow {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(t-c.at), 1000)
	q, rest := bits.Div64(hi, lo, uint64(c.tempo)) // hi < MinTempo: t is at most 2^60
	if rest > 0 {
		q++
	}
	// At the slowest pace the latest lab times lie beyond all stamps.
	return c.stamp + Stamp(min(q, uint64(math.MaxInt64-c.stamp))), true
}

// Pause stops lab time.
type Pause struct{}

func (Pause) String() string { return "pause" }

func (Pause) apply(s *State) error {
	if s.clock.paused {
		return refusal("already paused")
	}
	s.setClock(s.clock.tempo, true)
	return nil
}

// Resume lets lab time run on.
type Resume struct{}

func (Resume) String() string { return "resume" }

func (Resume) apply(s *State) error {
	if !s.clock.paused {
		return refusal("not paused")
	}
	s.setClock(s.clock.tempo, false)
	return nil
}

// Pace sets how fast lab time runs: "pace 0.1" to "pace 100".
type Pace struct{ Tempo Tempo }

func parsePace(args string, offset int) (Command, error) {
	whole, part, point := strings.Cut(strings.TrimSpace(args), ".")
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 32)
	if err != nil || len(part) > 3 || whole == "" || point && part == "" || Tempo(n) < MinTempo || Tempo(n) > MaxTempo {
		return nil, commandError(offset, "%.40q is not a pace; expected a number from %s to %s with at most three decimals", args, MinTempo, MaxTempo)
	}
	return Pace{Tempo(n)}, nil
}

func (c Pace) String() string { return "pace " + c.Tempo.String() }

func (c Pace) apply(s *State) error {
	if s.stream != nil && realRate(s.stream.stream.Rate, c.Tempo) > MaxRealRate {
		return tooFastRefusal(s.stream.stream.Rate, c.Tempo)
	}
	s.setClock(c.Tempo, s.clock.paused)
	return nil
}

// Step moves lab time on at once, whether it runs or is paused: by a span ("step
// 100ms"), or, with none, to the next request and whatever comes at the same
// instant ("step").
type Step struct{ By time.Duration }

// MaxStep bounds a step.
const MaxStep = 24 * time.Hour

// maxStepStream bounds the requests that a stream sends in one step, which are
// decided at once.
const maxStepStream = 5000

func parseStep(args string, offset int) (Command, error) {
	args = strings.TrimSpace(args)
	if args == "" {
		return Step{}, nil
	}
	by, err := lab.ParseSpan(args)
	if err != nil || by <= 0 || by > MaxStep {
		return nil, commandError(offset, "%.40q is not a step; expected a duration such as 100ms, at most %s", args, lab.FormatSpan(MaxStep))
	}
	return Step{by}, nil
}

func (c Step) String() string {
	if c.By == 0 {
		return "step"
	}
	return "step " + lab.FormatSpan(c.By)
}

func (c Step) apply(s *State) error {
	to := min(s.now.Add(c.By), MaxNow)
	if c.By == 0 {
		next, ok := s.peek()
		if !ok {
			return refusal("no request is waiting; step by a time, such as 100ms")
		}
		to = next.At
	}
	if s.stream != nil {
		if n := s.stream.due(to); n > maxStepStream {
			return refusal("the stream would send %s requests in this step; expected at most %s: make a shorter step", lab.FormatCount(n), lab.FormatCount(maxStepStream))
		}
	}
	s.clock.at, s.clock.stamp = to, s.stamp
	s.advance(to)
	return nil
}

// Reset takes the session back to lab time 0: fresh states, nothing recorded,
// nothing under way. Policies, pace and pause stay.
type Reset struct{}

func (Reset) String() string { return "reset" }

func (Reset) apply(s *State) error {
	fresh, err := s.newBench(s.bench.Policies())
	if err != nil {
		return err
	}
	s.bench = fresh
	s.sources, s.stream = nil, nil
	s.record = record{}
	s.now, s.undecided = 0, 0
	s.clock.at, s.clock.stamp = 0, s.stamp
	s.began = s.stamp
	s.generation++
	s.life++
	return nil
}
