package session_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// TestPastIsWhatWasSeen: on random logs, what the policies held at an instant is
// told afterwards as it was seen then.
func TestPastIsWhatWasSeen(t *testing.T) {
	limits := session.Limits{Policies: 8, Keys: 3, Entries: 11, Served: 12, Pending: 500, Record: 5000}
	told := 0
	rapid.Check(t, func(rt *rapid.T) {
		h, err := session.NewHistory(seven, limits)
		if err != nil {
			rt.Fatal(err)
		}
		type view struct {
			generation uint64
			states     []lab.State
		}
		seen := map[lab.Time]view{}
		look := func() {
			s := h.State()
			seen[s.Now()] = view{s.Generation(), s.States("ann")}
		}
		stamp := session.Stamp(0)
		for range rapid.IntRange(1, 40).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 900).Draw(rt, "gap")) * ms
			h.Advance(stamp)
			look()
			_, _ = h.Append(stamp, mustParse(t, rapid.SampledFrom(append(commands, "stream 4000/s")).Draw(rt, "command")))
			look()
		}
		s := h.State()
		oldest := lab.MinTime
		if r, ok := s.Record(s.Oldest()); ok && s.Oldest() > 0 {
			oldest = r.Request.At
		}
		var instants []lab.Time
		for _, at := range slices.Sorted(maps.Keys(seen)) {
			if seen[at].generation == s.Generation() && at >= oldest && at <= s.Now() {
				instants = append(instants, at)
			}
		}
		past := s.Past("ann", instants)
		if len(past) != len(instants) {
			rt.Fatalf("%d instants told of %d", len(past), len(instants))
		}
		for i, p := range past {
			told++
			if p.At != instants[i] || p.Generation != s.Generation() || len(p.Policies) != len(p.States) {
				rt.Fatalf("instant %d is told as %v of generation %d", instants[i], p.At, p.Generation)
			}
			if diff := cmp.Diff(seen[p.At].states, p.States); diff != "" {
				rt.Fatalf("at %d (-seen +told):\n%s", p.At, diff)
			}
		}
	})
	if told == 0 {
		t.Error("nothing was told")
	}
}

func TestPastLeavesOutWhatIsNotKnown(t *testing.T) {
	h := mustHistory(t, session.Limits{Policies: 7, Keys: 5, Pending: 100_000, Record: 100})
	give(t, h, 0, "send 30000@0s every 1ms")
	h.Advance(session.Stamp(20 * time.Second))
	s := h.State()
	r, _ := s.Record(s.Oldest())
	instants := []lab.Time{0, r.Request.At - 1, r.Request.At, s.Now() - 1, s.Now(), s.Now() + 1}
	var got []lab.Time
	for _, p := range s.Past("default", instants) {
		got = append(got, p.At)
	}
	if diff := cmp.Diff(instants[2:5], got); s.Oldest() == 0 || diff != "" {
		t.Errorf("oldest request %d (-want +got):\n%s", s.Oldest(), diff)
	}
	if got := mustHistory(t, session.DefaultLimits).State().Past("default", []lab.Time{0}); len(got) != 1 || len(got[0].States) != len(seven) {
		t.Errorf("before anything was decided: %v", got)
	}
}

// The policies are those of the time, as far as requests tell it.
func TestPastKnowsTheFormerPolicies(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "send 1@0s; 1@2s")
	give(t, h, 1000*ms, `policies {"policies":[{"name":"only","algorithm":"gcra","limit":1,"per":"1s","burst":1}]}`)
	h.Advance(3000 * ms)
	past := h.State().Past("default", []lab.Time{0, lab.Time(2 * time.Second)})
	if len(past) != 2 || len(past[0].Policies) != len(seven) || past[1].Policies[0].Name != "only" {
		t.Errorf("%v", past)
	}
}

// BenchmarkPast tells 500 instants of the newest minute at 5,000 requests a
// second, or what is kept of it.
func BenchmarkPast(b *testing.B) {
	h := mustHistory(b, session.DefaultLimits)
	give(b, h, 0, "stream 5000/s")
	h.Advance(session.Stamp(time.Minute))
	s := h.State()
	r, _ := s.Record(s.Oldest())
	instants := make([]lab.Time, 500)
	for i := range instants {
		instants[i] = r.Request.At + lab.Time(int64(s.Now()-r.Request.At)*int64(i)/500)
	}
	for b.Loop() {
		s.Past("default", instants)
	}
}
