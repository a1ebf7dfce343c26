package limit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
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
