package traffic

import (
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// Times sends at exactly the times given, which are in order: "at 0s 100ms".
type Times struct {
	At []lab.Time
	Each
}

// Check implements [Pattern].
func (p Times) Check() error {
	if len(p.At) == 0 {
		return partError(partTime, "expected at least one time")
	}
	for i, t := range p.At {
		if err := checkTimeAfter(i, t, p.At[max(i-1, 0)]); err != nil {
			return err
		}
	}
	return p.check()
}

// checkTimeAfter checks time i of several against the one before it.
func checkTimeAfter(i int, t, before lab.Time) error {
	switch {
	case t < lab.MinTime || t > lab.MaxTime:
		return &PatternError{partTime, i, timeOutOfRange(t)}
	case t < before:
		return &PatternError{partTime, i, formatTime(t) + " is earlier than " + formatTime(before) + " before it; expected times in order"}
	}
	return nil
}

// Count implements [Pattern].
func (p Times) Count() int64 { return int64(len(p.At)) }

// Span implements [Pattern].
func (p Times) Span() (first, last lab.Time) {
	if len(p.At) == 0 {
		return 0, 0
	}
	return p.At[0], p.At[len(p.At)-1]
}

func (p Times) requests() cursor { return &indexed[Times]{p, 0, p.Count()} }

func (p Times) request(i int64) lab.Request { return p.Request(p.At[i]) }

// String implements [Pattern].
func (p Times) String() string {
	var b strings.Builder
	b.WriteString("at")
	for _, t := range p.At {
		b.WriteString(" ")
		b.WriteString(formatTime(t))
	}
	b.WriteString(p.suffix())
	return b.String()
}

func parseTimes(s *scanner) Pattern {
	var p Times
	p.At = append(p.At, s.instant(partTime))
	for s.atInstant() {
		p.At = append(p.At, s.instant(partTime))
	}
	p.Each = s.each()
	return p
}
