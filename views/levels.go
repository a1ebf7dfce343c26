package views

import (
	"slices"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Levels are the lanes' levels over a stretch of time that has passed, for the
// picture. A page draws on from there with the levels of its frames.
type Levels struct {
	Generation uint64 `json:"gen"`
	// At holds the instants, in whole microseconds: the first an instant, the
	// others the distance from the one before. Where a level jumps there are two
	// of the same microsecond.
	At []int64 `json:"at"`
	// Levels holds one number a lane for each instant, one instant after the
	// other: thousandths of the whole, and -1 where the lane was not there yet.
	Levels []int `json:"v"`
	// Edges are, for each lane, where its windows begin and end that first
	// requests have begun, in whole microseconds, in order.
	Edges [][]int64 `json:"e,omitempty"`
}

const (
	// levelSteps is how many even steps a stretch is told in, levelJumps at how
	// many instants of requests more.
	levelSteps = 240
	levelJumps = 240
	// MaxLevelSpan is the longest stretch that is told.
	MaxLevelSpan = time.Minute
)

// LevelsOf tells the levels from an instant until now, of the key whose levels
// the frames tell; at most [MaxLevelSpan] of them.
func LevelsOf(s *session.State, from lab.Time) Levels {
	from = max(from, s.Now().Add(-MaxLevelSpan), 0)
	out := Levels{Generation: s.Generation()}
	edges := make([][]int64, len(s.Policies()))
	var before int64
	for _, past := range s.Past(shownKey(s), levelInstants(s, from)) {
		at := int64(past.At) / int64(time.Microsecond)
		out.At = append(out.At, at-before)
		before = at
		for n, p := range s.Policies() {
			lane := n
			if past.Generation != s.Generation() {
				lane = slices.IndexFunc(past.Policies, p.Same)
			}
			level := -1
			if lane >= 0 {
				fill, under := fillOf(p, past.States[lane])
				level = max(fill, under)
				edges[n] = append(edges[n], begun(p, past.States[lane])...)
			}
			out.Levels = append(out.Levels, level)
		}
	}
	for n := range edges {
		slices.Sort(edges[n])
		edges[n] = slices.Compact(edges[n])
		if len(edges[n]) > 0 {
			out.Edges = edges
		}
	}
	return out
}

// levelInstants are the instants at which levels are told, in order: even steps
// and, just before and just after, those of the newest requests.
func levelInstants(s *session.State, from lab.Time) []lab.Time {
	var instants []lab.Time
	step := max(s.Now().Sub(from)/levelSteps, time.Millisecond)
	for at := from; at < s.Now(); at = at.Add(step) {
		instants = append(instants, at)
	}
	instants = append(instants, s.Now())
	jumps, last := 0, lab.MaxTime
	for i := s.Decided(); i > s.Oldest() && jumps < levelJumps; i-- {
		r, ok := s.Record(i - 1)
		if !ok || r.Request.At < from {
			break
		}
		if r.Request.At != last {
			last = r.Request.At
			instants = append(instants, last-1, last)
			jumps++
		}
	}
	slices.Sort(instants)
	return slices.Compact(instants)
}
