package session

import (
	"slices"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// Comparison is what two sessions that were once the same have done since to the
// requests that both had.
type Comparison struct {
	// Both is how many requests both had, and Here and There are how many only
	// one of them had.
	Both, Here, There int64
	// Lanes are one for each policy of the session here.
	Lanes []LaneComparison
}

// LaneComparison is the lanes of one name in two sessions.
type LaneComparison struct {
	// Policy is the one here, and Original the one there; nil when there is none,
	// and then there is nothing to compare.
	Policy   lab.Policy
	Original *lab.Policy
	// Here and There are the scores of the requests that both sessions had.
	Here, There *bench.Score
	// Differ is how many requests the two decided differently, First the first of
	// them, and Numbers those of the newest, as the session here numbers them.
	Differ  int64
	First   *Difference
	Numbers []uint64
}

// Difference is a request that two lanes decided differently.
type Difference struct {
	// Number is the session's here.
	Number      uint64
	Here, There lab.Decision
}

// maxDifferences bounds the numbers of a [LaneComparison].
const maxDifferences = 500

// Compare compares two sessions whose first requests, so many, are the same ones,
// from then on, as far as both have come. Requests are the same when time, key,
// cost and service time are; of equal ones at one instant the first belongs to
// the first. Instants of which one of the two no longer keeps all are left out.
func Compare(here, there *Kept, first uint64) Comparison {
	var c Comparison
	var both []shared
	both, c.Here, c.There = match(here, there, first)
	c.Both = int64(len(both))
	for _, p := range here.policies {
		c.Lanes = append(c.Lanes, compareLane(p, there.policies, both))
	}
	return c
}

func compareLane(p lab.Policy, theirs []lab.Policy, both []shared) LaneComparison {
	named := func(q lab.Policy) bool { return q.Name == p.Name }
	lane := LaneComparison{Policy: p}
	n := slices.IndexFunc(theirs, named)
	if n < 0 {
		return lane
	}
	lane.Original = &theirs[n]
	lane.Here, lane.There = bench.NewScore(0, 1), bench.NewScore(0, 1)
	// Requests that follow each other were mostly decided by the same policies.
	var ours, others *segment
	i, j := -1, -1
	for n := range both {
		one := &both[n]
		if one.here.segment != ours {
			ours = one.here.segment
			i = slices.IndexFunc(ours.policies, named)
		}
		if one.there.segment != others {
			others = one.there.segment
			j = slices.IndexFunc(others.policies, named)
		}
		if i < 0 || j < 0 {
			continue
		}
		a, b := &one.here.decisions[i], &one.there.decisions[j]
		lane.Here.Add(0, one.here.request.Cost, a)
		lane.There.Add(0, one.there.request.Cost, b)
		if a.Verdict == b.Verdict && a.Wait == b.Wait {
			continue
		}
		if lane.Differ++; lane.First == nil {
			lane.First = &Difference{one.here.number, *a, *b}
		}
		lane.Numbers = append(lane.Numbers, one.here.number)
	}
	lane.Numbers = lane.Numbers[max(0, len(lane.Numbers)-maxDifferences):]
	return lane
}

// shared is a request that two sessions had.
type shared struct{ here, there numbered }

// numbered is a kept request with its number, and what it was decided by.
type numbered struct {
	number    uint64
	request   lab.Request
	decisions []lab.Decision
	segment   *segment
}

// match pairs the requests of two sessions from a number on, as far as both have
// come, and counts those that only one has.
func match(here, there *Kept, first uint64) (both []shared, onlyHere, onlyThere int64) {
	until := min(here.now, there.now)
	// What one of them no longer keeps is not held against the other. Of the
	// oldest instant some may be gone.
	after := lab.MinTime
	for _, k := range []*Kept{here, there} {
		if at, some := k.Since(); some && k.record.chunks[0].first > first {
			after = max(after, at)
		}
	}
	a, b := here.between(first, after, until), there.between(first, after, until)
	for len(a) > 0 || len(b) > 0 {
		var at lab.Time
		switch {
		case len(a) == 0:
			at = b[0].request.At
		case len(b) == 0:
			at = a[0].request.At
		default:
			at = min(a[0].request.At, b[0].request.At)
		}
		var ours, theirs []numbered
		ours, a = cut(a, at)
		theirs, b = cut(b, at)
		waiting := map[lab.Request][]numbered{}
		for _, r := range theirs {
			waiting[r.request] = append(waiting[r.request], r)
		}
		for _, r := range ours {
			if w := waiting[r.request]; len(w) > 0 {
				both = append(both, shared{r, w[0]})
				waiting[r.request] = w[1:]
				continue
			}
			onlyHere++
		}
		for _, w := range waiting {
			onlyThere += int64(len(w))
		}
	}
	return both, onlyHere, onlyThere
}

// between is the kept requests from a number on that came after one instant and
// not after another.
func (k *Kept) between(first uint64, after, until lab.Time) []numbered {
	var out []numbered
	for n := range k.record.chunks {
		c := k.record.chunks[n]
		last := len(c.requests) - 1
		if last < 0 || c.first+uint64(last) < first || c.requests[last].At <= after || c.requests[0].At > until {
			continue
		}
		c = k.record.whole(n)
		for s := range c.segments {
			in := &c.segments[s]
			end := len(c.requests)
			if s+1 < len(c.segments) {
				end = c.segments[s+1].request
			}
			lanes := len(in.policies)
			for i := in.request; i < end; i++ {
				number := c.first + uint64(i)
				if at := c.requests[i].At; number < first || at <= after || at > until {
					continue
				}
				d := in.decision + (i-in.request)*lanes
				out = append(out, numbered{number, c.requests[i], c.decisions[d : d+lanes], in})
			}
		}
	}
	return out
}

// cut takes the requests of an instant from the front.
func cut(all []numbered, at lab.Time) (of, rest []numbered) {
	n := 0
	for n < len(all) && all[n].request.At == at {
		n++
	}
	return all[:n], all[n:]
}
