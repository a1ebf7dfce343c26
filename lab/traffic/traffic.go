package traffic

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/burstlab/burstlab/lab"
)

const (
	// DefaultKey is the key of a request that names none.
	DefaultKey = "default"
	// DefaultCost is the cost of a request that names none.
	DefaultCost = 1

	// MaxNotation bounds the length of a notation, in bytes.
	MaxNotation = 64 << 10
	// MaxPatterns bounds how many patterns a notation has.
	MaxPatterns = 1000
	// MaxKey bounds the length of a key, in bytes.
	MaxKey = 4096
)

// Traffic is what is sent, as declared: the requests of all patterns together.
type Traffic struct {
	Patterns []Pattern
}

// Pattern is one way of sending requests. The patterns of this package are all
// there are: [Burst], [Steady], [Ramp], [Random], [Edge], [Times] and [Trace].
//
// Only a pattern that passes Check has a meaningful count, span and requests.
type Pattern interface {
	// String writes the pattern in the notation.
	String() string
	// Check reports the first thing that is wrong with it, as a *[PatternError].
	Check() error
	// Count is how many requests it makes, exactly.
	Count() int64
	// Span says when: no request is earlier than first or later than last.
	Span() (first, last lab.Time)

	// requests starts at the first request.
	requests() cursor
}

// cursor is a place among a pattern's requests.
type cursor interface {
	// next gives one request after the other, in time order, and false when
	// there are no more.
	next() (lab.Request, bool)
	// clone returns an independent cursor at the same place.
	clone() cursor
}

// indexed is the cursor of a pattern that can say its request number i.
type indexed[P interface{ request(i int64) lab.Request }] struct {
	pattern  P
	i, count int64
}

func (c *indexed[P]) next() (lab.Request, bool) {
	if c.i == c.count {
		return lab.Request{}, false
	}
	c.i++
	return c.pattern.request(c.i - 1), true
}

func (c *indexed[P]) clone() cursor { d := *c; return &d }

// Each is what every request of a pattern carries besides its time. The zero
// value stands for the defaults.
type Each struct {
	Key     string        // empty: DefaultKey
	Cost    int64         // 0: DefaultCost
	Service time.Duration // how long it stays in progress
}

// Request is a request at an instant that carries what e says.
func (e Each) Request(at lab.Time) lab.Request {
	r := lab.Request{At: at, Key: e.Key, Cost: e.Cost, Service: e.Service}
	if r.Key == "" {
		r.Key = DefaultKey
	}
	if r.Cost == 0 {
		r.Cost = DefaultCost
	}
	return r
}

func (e Each) check() error {
	switch {
	case len(e.Key) > MaxKey:
		return partError(partKey, "the key is too long; expected at most %d bytes", MaxKey)
	case e.Cost < 0 || e.Cost > lab.MaxCount:
		return partError(partCost, "%d is out of range; expected a whole number from 1 to %s", e.Cost, lab.FormatCount(lab.MaxCount))
	case e.Service < 0 || e.Service > lab.MaxSpan:
		return partError(partService, "%s is out of range; expected a duration from 0s to %s", e.Service, lab.FormatSpan(lab.MaxSpan))
	}
	return nil
}

// PatternError says which part of a pattern is wrong, and what was expected.
type PatternError struct {
	// Part is the part's name, as the notation's grammar has it.
	Part string
	// Index tells the times of one pattern apart, from 0.
	Index int
	// Reason is a sentence for a person.
	Reason string
}

func (e *PatternError) Error() string { return e.Part + ": " + e.Reason }

func partError(part, format string, args ...any) *PatternError {
	return &PatternError{Part: part, Reason: fmt.Sprintf(format, args...)}
}

// The parts of patterns that Check speaks of.
const (
	partCount   = "count"
	partTime    = "time"
	partEvery   = "every"
	partTimes   = "x"
	partRound   = "x … every"
	partRate    = "rate"
	partRateEnd = "last rate"
	partFrom    = "from"
	partTo      = "to"
	partPer     = "per"
	partKey     = "key"
	partCost    = "cost"
	partService = "service"
)

// Check reports the first thing that is wrong with a traffic that was not made
// by [Parse], whose results always pass.
func (t Traffic) Check() error {
	if len(t.Patterns) > MaxPatterns {
		return fmt.Errorf("%d patterns; expected at most %d", len(t.Patterns), MaxPatterns)
	}
	var c checker
	for i, p := range t.Patterns {
		if err := c.check(p); err != nil {
			return fmt.Errorf("pattern %d: %w", i+1, err)
		}
	}
	return nil
}

// checker checks the patterns of one traffic, in order.
type checker struct {
	random int64 // the requests of random patterns so far
}

// check reports the first thing that is wrong with p, as a *[PatternError].
func (c *checker) check(p Pattern) error {
	if err := p.Check(); err != nil {
		return err
	}
	if r, ok := p.(Random); ok {
		if c.random += r.Count(); c.random > MaxRandom {
			return partError(partRate, "with this one the random patterns make too many requests; expected at most %s in all", lab.FormatCount(MaxRandom))
		}
	}
	return nil
}

// Count is how many requests the traffic makes, exactly. It costs nothing, so
// ask before generating.
func (t Traffic) Count() int64 {
	var n int64
	for _, p := range t.Patterns {
		n += min(p.Count(), math.MaxInt64-n)
	}
	return n
}

// Bytes is about what the traffic takes in memory, and what a [Source] of it
// takes once more.
func (t Traffic) Bytes() int64 {
	const pattern, request, instant = 160, int64(unsafe.Sizeof(lab.Request{})), int64(unsafe.Sizeof(lab.Time(0)))
	n := int64(len(t.Patterns)) * pattern
	for _, p := range t.Patterns {
		switch p := p.(type) {
		case Times:
			n += int64(len(p.At)) * instant
		case Trace:
			n += int64(len(p.Rows)) * request
		}
	}
	return n
}

// Span says when: no request is earlier than first or later than last. Both are
// 0 for a traffic without requests.
func (t Traffic) Span() (first, last lab.Time) {
	for i, p := range t.Patterns {
		f, l := p.Span()
		if i == 0 {
			first, last = f, l
			continue
		}
		first, last = min(first, f), max(last, l)
	}
	return first, last
}

// Requests gives all requests in time order, shifted by from; those of the same
// instant come in the order of the patterns. It holds one request of each
// pattern at a time.
func (t Traffic) Requests(from lab.Time) iter.Seq[lab.Request] {
	return func(yield func(lab.Request) bool) {
		for m := newMerge(t.Patterns); ; {
			r, ok := m.next()
			if !ok {
				return
			}
			r.At += from
			if !yield(r) {
				return
			}
		}
	}
}

// String writes the traffic in the notation, on one line. [Parse] reads it back
// to an equal traffic, unless it is longer than MaxNotation.
func (t Traffic) String() string {
	var b strings.Builder
	for i, p := range t.Patterns {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// MarshalText writes the notation.
func (t Traffic) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the notation.
func (t *Traffic) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err != nil {
		return err
	}
	*t = read
	return nil
}
