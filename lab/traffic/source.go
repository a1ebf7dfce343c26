package traffic

import "github.com/burstlab/burstlab/lab"

// Source gives a traffic's requests one at a time, for who cannot range over
// [Traffic.Requests]: it can be asked what comes next, and copied.
type Source struct {
	from     lab.Time
	left     int64
	patterns int
	merge    *merge
	next     lab.Request
	ok       bool
}

// NewSource returns a source of t's requests, shifted by from.
func NewSource(t Traffic, from lab.Time) *Source {
	s := &Source{from: from, left: t.Count() + 1, patterns: len(t.Patterns), merge: newMerge(t.Patterns)}
	s.Take()
	return s
}

// Peek is the next request; false when there are no more.
func (s *Source) Peek() (lab.Request, bool) { return s.next, s.ok }

// Take moves on to the request after the next one.
func (s *Source) Take() {
	s.next, s.ok = s.merge.next()
	s.next.At += s.from
	s.left = max(s.left-1, 0)
}

// Patterns is how many patterns the traffic has.
func (s *Source) Patterns() int { return s.patterns }

// Left is how many requests are still to come.
func (s *Source) Left() int64 { return s.left }

// Clone returns an independent copy at the same place.
func (s *Source) Clone() *Source {
	c := *s
	c.merge = s.merge.clone()
	return &c
}
