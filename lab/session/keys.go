package session

import (
	"slices"
	"sort"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
)

// Kept is the requests that a state keeps, as they were when it was taken. It may
// be read in a goroutine of its own while the state goes on, and should not be
// held for long: it keeps from being freed what the state gives up meanwhile.
type Kept struct {
	record     record
	policies   []lab.Policy
	now        lab.Time
	generation uint64
	life       uint64
	decided    []int64 // by each lane, ever
}

// Kept takes the requests that are kept now. It costs little.
func (s *State) Kept() *Kept {
	k := &Kept{record: s.record.clone(), policies: slices.Clone(s.Policies()), now: s.now, generation: s.generation, life: s.life}
	for _, score := range s.Scores() {
		k.decided = append(k.decided, score.Sent)
	}
	return k
}

// Policies are those in force when it was taken.
func (k *Kept) Policies() []lab.Policy { return k.policies }

// Generation is the state's when it was taken.
func (k *Kept) Generation() uint64 { return k.generation }

// Now is the lab time at which it was taken.
func (k *Kept) Now() lab.Time { return k.now }

// Continues says whether k was taken later than o from the same session, with no
// reset in between.
func (k *Kept) Continues(o *Kept) bool { return k.life == o.life && k.now >= o.now }

// Complete makes it fit to be read by more than one goroutine at once.
func (k *Kept) Complete() {
	for n := range k.record.chunks {
		k.record.whole(n)
	}
}

// Decided is the number of the first request that is not in it.
func (k *Kept) Decided() uint64 { return k.record.decided }

// Len is how many requests are kept.
func (k *Kept) Len() int {
	n := 0
	for _, c := range k.record.chunks {
		n += len(c.requests)
	}
	return n
}

// KeyScore is what one policy did to the requests of one key.
type KeyScore struct {
	Key string
	*bench.Score
}

// KeyScores are a policy's scores key by key.
type KeyScores struct {
	// Covered is how many requests they are of: the newest ones that the policy
	// decided, as many as are kept. Decided is how many it ever did.
	Covered, Decided int64
	// Keys are those with most requests first, and in the order of their texts
	// where they have as many; Others is of all other keys together, OtherKeys of
	// them. Others is nil when there are none.
	Keys      []KeyScore
	Others    *bench.Score
	OtherKeys int
}

// KeyScores counts the kept requests of a lane for each key apart, at most most
// of them. The scores are exact for the requests that they cover.
func (k *Kept) KeyScores(lane, most int) KeyScores {
	p := k.policies[lane]
	parts := k.lane(p)
	out := KeyScores{Decided: k.decided[lane]}
	sent := map[string]int{}
	for _, part := range parts {
		out.Covered += int64(len(part.requests))
		for i := range part.requests {
			sent[part.requests[i].Key]++
		}
	}
	keys := make([]string, 0, len(sent))
	for key := range sent {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if n := sent[b] - sent[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	numbers := make(map[string]limit.Key, len(keys))
	for n, key := range keys {
		numbers[key] = limit.Key(n)
	}
	span := bench.Span(p)
	for _, key := range keys[:min(most, len(keys))] {
		out.Keys = append(out.Keys, KeyScore{key, bench.NewScore(span, 0)})
	}
	if out.OtherKeys = len(keys) - len(out.Keys); out.OtherKeys > 0 {
		out.Others = bench.NewScore(span, 0)
	}
	for _, part := range parts {
		for i := range part.requests {
			n := numbers[part.requests[i].Key]
			score := out.Others
			if int(n) < len(out.Keys) {
				score = out.Keys[n].Score
			}
			score.Add(n, part.requests[i].Cost, &part.decisions[i*part.lanes+part.lane])
		}
	}
	return out
}

// part is kept requests that follow each other and were decided under the same
// policies.
type part struct {
	requests    []lab.Request
	decisions   []lab.Decision // lanes for each request
	lanes, lane int
}

// lane is the kept requests that p has decided without a break until now.
func (k *Kept) lane(p lab.Policy) []part {
	var parts []part
	later := k.generation
	for n := len(k.record.chunks) - 1; n >= 0; n-- {
		c := k.record.whole(n)
		for i := len(c.segments) - 1; i >= 0; i-- {
			s := c.segments[i]
			lane := slices.IndexFunc(s.policies, p.Same)
			// Where a chunk had no room to note all changes that followed, the lane
			// may have ended and begun anew among them.
			if lane < 0 || later > s.generation+1 {
				slices.Reverse(parts)
				return parts
			}
			later = s.generation
			requests, decisions := c.requests[s.request:], c.decisions[s.decision:]
			if i+1 < len(c.segments) {
				requests = c.requests[s.request:c.segments[i+1].request]
			}
			parts = append(parts, part{requests, decisions, len(s.policies), lane})
		}
	}
	slices.Reverse(parts)
	return parts
}

// SpanScores counts, for each lane, the kept requests that came from one instant
// on and before another. A busiest span is one of theirs alone.
func (k *Kept) SpanScores(from, to lab.Time) []*bench.Score {
	var out []*bench.Score
	for _, p := range k.policies {
		score := bench.NewScore(bench.Span(p), 0)
		numbers := map[string]limit.Key{}
		for _, part := range k.lane(p) {
			at := func(i int) lab.Time { return part.requests[i].At }
			first := sort.Search(len(part.requests), func(i int) bool { return at(i) >= from })
			for i := first; i < len(part.requests) && at(i) < to; i++ {
				key := part.requests[i].Key
				n, known := numbers[key]
				if !known {
					n = limit.Key(len(numbers))
					numbers[key] = n
				}
				score.Add(n, part.requests[i].Cost, &part.decisions[i*part.lanes+part.lane])
			}
		}
		out = append(out, score)
	}
	return out
}

// Since is the time of the oldest request that is kept; false when all are, or
// there is none.
func (k *Kept) Since() (lab.Time, bool) {
	if len(k.record.chunks) == 0 || k.record.chunks[0].first == 0 || len(k.record.chunks[0].requests) == 0 {
		return 0, false
	}
	return k.record.chunks[0].requests[0].At, true
}
