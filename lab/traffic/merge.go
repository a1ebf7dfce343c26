package traffic

import (
	"slices"

	"github.com/burstlab/burstlab/lab"
)

// merge joins the requests of several patterns in time order: a binary heap of
// each pattern's next request.
type merge struct {
	heads []head
}

type head struct {
	request lab.Request
	order   int // the pattern's place, which decides at the same instant
	cursor  cursor
}

func (h head) before(g head) bool {
	return h.request.At < g.request.At || h.request.At == g.request.At && h.order < g.order
}

func newMerge(patterns []Pattern) *merge {
	m := &merge{heads: make([]head, 0, len(patterns))}
	for i, p := range patterns {
		c := p.requests()
		if r, ok := c.next(); ok {
			m.heads = append(m.heads, head{r, i, c})
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// clone returns an independent merge at the same place.
func (m *merge) clone() *merge {
	c := &merge{heads: slices.Clone(m.heads)}
	for i := range c.heads {
		c.heads[i].cursor = c.heads[i].cursor.clone()
	}
	return c
}

func (m *merge) next() (lab.Request, bool) {
	if len(m.heads) == 0 {
		return lab.Request{}, false
	}
	first := m.heads[0].request
	if r, ok := m.heads[0].cursor.next(); ok {
		m.heads[0].request = r
	} else {
		last := len(m.heads) - 1
		m.heads[0] = m.heads[last]
		m.heads[last] = head{}
		m.heads = m.heads[:last]
	}
	m.sink(0)
	return first, true
}

// sink moves the head at i down to its place.
func (m *merge) sink(i int) {
	for {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(m.heads) && m.heads[child].before(m.heads[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heads[i], m.heads[least] = m.heads[least], m.heads[i]
		i = least
	}
}
