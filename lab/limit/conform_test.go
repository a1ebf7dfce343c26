package limit_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
	"github.com/burstlab/burstlab/lab/limit"
)

func TestConform(t *testing.T) {
	for _, a := range lab.Algorithms {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			labtest.Conform(t, a)
		})
	}
}

// sameAsTwin compares every number of every decision with the slow version's.
func sameAsTwin(t testing.TB) func(rt *rapid.T) {
	return func(rt *rapid.T) {
		p := labtest.Policy(rt)
		requests := labtest.Requests(rt, p, 30, false)
		fast, slow := labtest.NewLimiter(t, p), labtest.NewTwin(p)
		for i, r := range requests {
			if diff := cmp.Diff(slow.Decide(r), fast.Decide(r)); diff != "" {
				rt.Fatalf("request %d %+v of policy %+v (-slow +fast):\n%s", i, r, p, diff)
			}
		}
	}
}

func TestSameAsTwin(t *testing.T) { rapid.Check(t, sameAsTwin(t)) }

func FuzzSameAsTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sameAsTwin(f))) }

// TestHeld: the states take what the package says, per key and per entry.
func TestHeld(t *testing.T) {
	for a, want := range map[lab.Algorithm]int64{
		lab.TokenBucket: 16, lab.GCRA: 8, lab.FixedWindow: 16, lab.SlidingCounter: 24,
		lab.LeakyBucket: 32, lab.SlidingLog: 32 + 3*8, lab.Concurrency: 48 + 3*16,
	} {
		p := policyFor(a, 10)
		p.Name = "held"
		limiters, err := limit.New(p)
		if err != nil {
			t.Fatal(err)
		}
		table := limit.NewTable(0)
		var arrival limit.Arrival
		for i := range 3 {
			r := lab.Request{At: lab.Time(i), Key: "ann", Cost: 1, Service: time.Second}
			if err := table.Arrive(&r, &arrival); err != nil {
				t.Fatal(err)
			}
			limiters.Decide(&arrival, &decision)
		}
		if got := limiters.Held(table.Len()); got != want {
			t.Errorf("%s holds %d bytes for a key with three requests, want %d", a, got, want)
		}
		if limiters.Bytes() < want {
			t.Errorf("%s takes %d bytes, less than it holds", a, limiters.Bytes())
		}
	}
}
