package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/session"
)

// TestKeyScoresAgainstCounting compares each key's score with looking through
// all decisions of the key, and all of them together with the lane's own score,
// in sessions whose policies change and come back.
func TestKeyScoresAgainstCounting(t *testing.T) {
	others, changed := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		h := mustHistory(t, session.DefaultLimits)
		stamp := session.Stamp(0)
		began := map[string]uint64{} // by lanes of today, the first request that each has seen
		for range rapid.IntRange(1, 12).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 400).Draw(rt, "wait")) * ms
			if rapid.IntRange(0, 3).Draw(rt, "kind") == 0 {
				h.Advance(stamp)
				kept := rapid.Permutation(seven).Draw(rt, "policies")[:rapid.IntRange(1, 7).Draw(rt, "lanes")]
				for _, p := range h.State().Policies() {
					if !slices.ContainsFunc(kept, p.Same) {
						delete(began, p.Name)
					}
				}
				for _, p := range kept {
					if !slices.ContainsFunc(h.State().Policies(), p.Same) {
						began[p.Name] = h.State().Decided()
						changed++
					}
				}
				if _, err := h.Append(stamp, session.Policies{Policies: kept}); err != nil {
					rt.Fatal(err)
				}
				continue
			}
			give(t, h, stamp, fmt.Sprintf("send %d@0s every %dms key=%s cost=%d service=%dms",
				rapid.IntRange(1, 15).Draw(rt, "n"), rapid.IntRange(0, 60).Draw(rt, "gap"),
				rapid.SampledFrom([]string{"ann", "bob", "cy", "dee"}).Draw(rt, "key"),
				rapid.SampledFrom([]int{1, 1, 2, 11}).Draw(rt, "cost"), rapid.IntRange(0, 300).Draw(rt, "service")))
		}
		s := h.State()
		if rapid.Bool().Draw(rt, "as a fork") { // whose record holds no decisions at first
			f, err := h.Fork(stamp)
			if err != nil {
				rt.Fatal(err)
			}
			s = f.State()
		}
		s.Advance(stamp + 200*ms)
		most := rapid.IntRange(1, 5).Draw(rt, "most")
		kept := s.Kept()
		s.Advance(stamp + 5000*ms) // goes on meanwhile
		for lane, p := range kept.Policies() {
			got := kept.KeyScores(lane, most)
			type tally struct{ sent, served, refused, never int64 }
			want := map[string]*tally{}
			var all int64
			for i := began[p.Name]; i < kept.Decided(); i++ {
				r, _ := s.Record(i)
				d := r.Decisions[slices.IndexFunc(r.Policies, p.Same)]
				one := want[r.Request.Key]
				if one == nil {
					one = &tally{}
					want[r.Request.Key] = one
				}
				all++
				one.sent++
				switch d.Verdict {
				case lab.Refuse:
					one.refused++
				case lab.Never:
					one.never++
				default:
					one.served++
				}
			}
			if got.Covered != all || got.Decided != all || len(got.Keys)+got.OtherKeys != len(want) || len(got.Keys) > most {
				rt.Fatalf("%s: %d of %d requests, %d keys and %d others; expected %d and %d keys, at most %d apart",
					p.Name, got.Covered, got.Decided, len(got.Keys), got.OtherKeys, all, len(want), most)
			}
			before := session.KeyScore{}
			for _, key := range got.Keys {
				if one := *want[key.Key]; one != (tally{key.Sent, key.Served(), key.Refused, key.Never}) {
					rt.Fatalf("%s, %s: %+v; expected %+v", p.Name, key.Key, *key.Score, one)
				}
				if before.Score != nil && (before.Sent < key.Sent || before.Sent == key.Sent && before.Key > key.Key) {
					rt.Fatalf("%s: %s with %d stands before %s with %d", p.Name, before.Key, before.Sent, key.Key, key.Sent)
				}
				before = key
				delete(want, key.Key)
			}
			var rest tally
			for _, one := range want {
				rest = tally{rest.sent + one.sent, rest.served + one.served, rest.refused + one.refused, rest.never + one.never}
			}
			if o := got.Others; o != nil {
				others++
				if rest != (tally{o.Sent, o.Served(), o.Refused, o.Never}) {
					rt.Fatalf("%s: the others %+v; expected %+v", p.Name, *o, rest)
				}
			} else if rest.sent > 0 {
				rt.Fatalf("%s: %+v of other keys are not told", p.Name, rest)
			}
		}
	})
	if others == 0 || changed == 0 {
		t.Errorf("%d times other keys, %d changed lanes: the test leaves something out", others, changed)
	}
}

// TestKeyScoresAddUp: busiest span, waits and Retry-After of the keys are those
// of the lane.
func TestKeyScoresAddUp(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "send random 40/s 0s..5s seed=3 key=ann service=300ms; random 25/s 0s..5s seed=4 key=bob cost=2; 30@2s key=cy")
	h.Advance(6000 * ms)
	s := h.State()
	for lane, whole := range s.Scores() {
		keys := s.Kept().KeyScores(lane, 2)
		parts := []*bench.Score{keys.Keys[0].Score, keys.Keys[1].Score, keys.Others}
		var busiest, at int64
		var longest, shortestRetry, longestRetry time.Duration
		for _, part := range parts {
			b, _ := part.Busiest()
			busiest, longest = max(busiest, b), max(longest, part.LongestWait())
			at += part.Sent
			shortest, retry := part.RetryAfter()
			if retry > 0 && (shortestRetry == 0 || shortest < shortestRetry) {
				shortestRetry = shortest
			}
			longestRetry = max(longestRetry, retry)
		}
		wantBusiest, _ := whole.Busiest()
		wantShortest, wantLongest := whole.RetryAfter()
		if at != whole.Sent || busiest != wantBusiest || longest != whole.LongestWait() || shortestRetry != wantShortest || longestRetry != wantLongest {
			t.Errorf("lane %d: sent %d, busiest %d, longest wait %v, retry after %v to %v; the lane's own %d, %d, %v, %v to %v",
				lane, at, busiest, longest, shortestRetry, longestRetry, whole.Sent, wantBusiest, whole.LongestWait(), wantShortest, wantLongest)
		}
	}
}

// TestKeyScoresSayWhatTheyCover: requests that are no longer kept are left out,
// and a lane that may have ended and begun anew unnoted is not taken for one.
func TestKeyScoresSayWhatTheyCover(t *testing.T) {
	limits := session.DefaultLimits
	limits.Record = 5000
	h := mustHistory(t, limits)
	give(t, h, 0, "send 30000@0s every 1ms")
	h.Advance(40_000 * ms)
	s := h.State()
	got := s.Kept().KeyScores(0, 5)
	if n := int64(s.Decided() - s.Oldest()); got.Covered != n || got.Decided != 30_000 || n >= 30_000 || got.Keys[0].Sent != n || s.Kept().Len() != int(n) {
		t.Errorf("%d of %d requests; %d are kept", got.Covered, got.Decided, n)
	}
	// Policies there and back, more often than can be noted in a chunk.
	h = mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "send 3@0s")
	for range 400 {
		for _, n := range []int{6, 7} {
			if _, err := h.Append(ms, session.Policies{Policies: seven[:n]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	give(t, h, 2*ms, "send 2@0s")
	s = h.State()
	for lane, want := range map[int]int64{0: 2, 6: 2} {
		if got := s.Kept().KeyScores(lane, 5); got.Covered != want || got.Decided != s.Scores()[lane].Sent {
			t.Errorf("lane %d: %d of %d requests; expected %d of %d", lane, got.Covered, got.Decided, want, s.Scores()[lane].Sent)
		}
	}
}

func BenchmarkKeyScores(b *testing.B) {
	h := mustHistory(b, session.DefaultLimits)
	for key := range 24_000 {
		give(b, h, 0, fmt.Sprintf("hit key=k%d", key*key%997))
	}
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			h.State().Kept()
		}
	})
	b.Run("count", func(b *testing.B) {
		kept := h.State().Kept()
		for b.Loop() {
			kept.KeyScores(1, 20)
		}
		b.ReportMetric(float64(kept.Len()), "requests")
	})
}
