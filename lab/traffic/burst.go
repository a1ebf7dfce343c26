package traffic

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Burst is a number of requests at once or a fixed gap apart, once or several
// times: "30@3s every 2ms x5 every 1s".
type Burst struct {
	// Requests is how many there are in one round.
	Requests int64
	// At is when the first comes.
	At lab.Time
	// Gap is the time between two of them.
	Gap time.Duration
	// Rounds is how often the burst comes; 0 means once. Every is the time from
	// the beginning of one round to that of the next, at least the length of a
	// round.
	Rounds int64
	Every  time.Duration
	Each
}

// Check implements [Pattern].
func (b Burst) Check() error {
	switch {
	case b.Requests < 1 || b.Requests > lab.MaxCount:
		return partError(partCount, "%d is out of range; expected a whole number from 1 to %s", b.Requests, lab.FormatCount(lab.MaxCount))
	case b.At < lab.MinTime || b.At > lab.MaxTime:
		return partError(partTime, "%s", timeOutOfRange(b.At))
	case b.Gap < 0 || b.Gap > lab.MaxSpan:
		return partError(partEvery, "%s is out of range; expected a duration from 0s to %s", lab.FormatSpan(b.Gap), lab.FormatSpan(lab.MaxSpan))
	case b.Rounds < 0 || b.Rounds > lab.MaxCount:
		return partError(partTimes, "%d is out of range; expected a whole number from 1 to %s", b.Rounds, lab.FormatCount(lab.MaxCount))
	case b.Every < 0 || b.Every > lab.MaxSpan:
		return partError(partRound, "%s is out of range; expected a duration from 0s to %s", lab.FormatSpan(b.Every), lab.FormatSpan(lab.MaxSpan))
	case b.Rounds == 0 && b.Every != 0:
		return partError(partTimes, "expected how often the burst comes, because it has a time between rounds")
	}
	if err := checkTotal(partCount, b.Count(), lab.MaxCount); err != nil {
		return err
	}
	length := repeated(b.Requests, b.Gap)
	if length > time.Duration(lab.MaxTime-b.At) {
		return partError(partEvery, "the last request would come after %s, the last time that the engine's clock holds", formatTime(lab.MaxTime))
	}
	if b.Rounds > 1 && b.Every < length {
		return partError(partRound, "the burst itself takes %s; expected at least that from one round to the next", lab.FormatSpan(length))
	}
	rounds := repeated(b.rounds(), b.Every)
	if rounds > time.Duration(lab.MaxTime-b.At)-length {
		return partError(partRound, "the last request would come after %s, the last time that the engine's clock holds", formatTime(lab.MaxTime))
	}
	return b.check()
}

// repeated is the time from the first to the last of n things that are gap
// apart. It saturates.
func repeated(n int64, gap time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(n-1), uint64(gap))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}

func (b Burst) rounds() int64 { return max(b.Rounds, 1) }

// Count implements [Pattern].
func (b Burst) Count() int64 {
	hi, lo := bits.Mul64(uint64(b.Requests), uint64(b.rounds()))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// Span implements [Pattern].
func (b Burst) Span() (first, last lab.Time) {
	return b.At, b.At.Add(repeated(b.rounds(), b.Every)).Add(repeated(b.Requests, b.Gap))
}

func (b Burst) requests() cursor { return &indexed[Burst]{b, 0, b.Count()} }

func (b Burst) request(i int64) lab.Request {
	round, i := i/b.Requests, i%b.Requests
	return b.Request(b.At + lab.Time(round)*lab.Time(b.Every) + lab.Time(i)*lab.Time(b.Gap))
}

// String implements [Pattern].
func (b Burst) String() string {
	s := strconv.FormatInt(b.Requests, 10) + "@" + formatTime(b.At)
	if b.Gap != 0 {
		s += " every " + lab.FormatSpan(b.Gap)
	}
	if b.Rounds != 0 {
		s += " x" + strconv.FormatInt(b.Rounds, 10) + " every " + lab.FormatSpan(b.Every)
	}
	return s + b.suffix()
}

func parseBurst(s *scanner, n int64) Pattern {
	b := Burst{Requests: n, At: s.instant(partTime)}
	if s.word("every") {
		b.Gap = s.span(partEvery)
	}
	if s.rounds() {
		b.Rounds = s.count(partTimes)
		s.expectWord("every", "and the time from one round to the next, such as \"x10 every 100ms\"")
		b.Every = s.span(partRound)
	}
	b.Each = s.each()
	return b
}
