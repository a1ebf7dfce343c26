package traffic

import "github.com/burstlab/burstlab/lab"

// Steady sends at an even rate from one instant until just before another:
// "15/s 12s..16s". Request k comes k × per / count after the first, rounded down
// to whole nanoseconds.
type Steady struct {
	Rate     Rate
	From, To lab.Time
	Each
}

// Check implements [Pattern].
func (s Steady) Check() error {
	if err := s.Rate.check(partRate, 1); err != nil {
		return err
	}
	if err := checkInterval(s.From, s.To); err != nil {
		return err
	}
	if err := checkTotal(partRate, s.Count(), lab.MaxCount); err != nil {
		return err
	}
	return s.check()
}

// Count implements [Pattern].
func (s Steady) Count() int64 { return s.Rate.due(s.To.Sub(s.From)) }

// Span implements [Pattern].
func (s Steady) Span() (first, last lab.Time) {
	return s.From, s.From.Add(s.Rate.after(s.Count() - 1))
}

func (s Steady) requests() cursor { return &indexed[Steady]{s, 0, s.Count()} }

func (s Steady) request(k int64) lab.Request { return s.Request(s.From.Add(s.Rate.after(k))) }

// String implements [Pattern].
func (s Steady) String() string {
	return s.Rate.String() + " " + formatInterval(s.From, s.To) + s.suffix()
}

func parseSteady(s *scanner, n int64) Pattern {
	var p Steady
	p.Rate = Rate{n, s.per()}
	p.From, p.To = s.interval()
	p.Each = s.each()
	return p
}
