package session

import (
	"sort"

	"github.com/burstlab/burstlab/lab"
)

// Past is what the policies held for a key at an instant that has passed.
type Past struct {
	At lab.Time
	// Policies are those of that time; States are one for each.
	Policies   []lab.Policy
	Generation uint64
	States     []lab.State
}

// Past tells what the policies held for a key at instants that have passed, in
// ascending order, each as after all requests that came up to it. It repeats
// the decisions since the checkpoint before the first instant. Instants of which
// nothing is kept any more are left out, as are those to come.
func (s *State) Past(key string, instants []lab.Time) []Past {
	instants = instants[:sort.Search(len(instants), func(i int) bool { return instants[i] > s.now })]
	chunks := s.record.chunks
	if len(chunks) > 0 && chunks[0].first > 0 {
		// What was held before the oldest request depends on older ones.
		oldest := chunks[0].requests[0].At
		instants = instants[sort.Search(len(instants), func(i int) bool { return instants[i] >= oldest }):]
	}
	var out []Past
	for n, c := range chunks {
		if len(instants) == 0 {
			return out
		}
		last := n == len(chunks)-1
		if !last && len(chunks[n+1].requests) > 0 && chunks[n+1].requests[0].At <= instants[0] {
			continue // a later checkpoint is nearer
		}
		out, instants = c.past(key, instants, last, out)
	}
	for _, at := range instants { // only where nothing was ever decided
		out = append(out, Past{at, s.bench.Policies(), s.generation, s.bench.States(key, at)})
	}
	return out
}

// past adds the instants up to the chunk's last request to out, or all of them
// when nothing was decided after the chunk, and returns those that are left.
func (c *chunk) past(key string, instants []lab.Time, last bool, out []Past) ([]Past, []lab.Time) {
	b := c.before.Clone()
	changes, generation := c.segments, uint64(0)
	if len(changes) > 0 {
		generation = changes[0].generation
	}
	until := func(before func(lab.Time) bool) {
		for len(instants) > 0 && before(instants[0]) {
			out = append(out, Past{instants[0], b.Policies(), generation, b.States(key, instants[0])})
			instants = instants[1:]
		}
	}
	set := func(i int) {
		for len(changes) > 0 && changes[0].request == i {
			until(func(t lab.Time) bool { return t < changes[0].set })
			mustSet(b, changes[0].policies)
			generation, changes = changes[0].generation, changes[1:]
		}
	}
	for i, r := range c.requests {
		set(i)
		until(func(t lab.Time) bool { return t < r.At })
		if len(instants) == 0 {
			return out, nil
		}
		mustDecide(b, r)
	}
	if last {
		set(len(c.requests))
		until(func(lab.Time) bool { return true })
	}
	return out, instants
}
