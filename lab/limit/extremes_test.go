package limit_test

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
)

// TestExtremes: at the bounds of every number that a policy and a request may
// have, the limiters decide as the slow version does, which cannot overflow.
func TestExtremes(t *testing.T) {
	const policies, requests = 100, 12
	for _, a := range lab.Algorithms {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			random := extremes{rand.New(rand.NewPCG(1, 2))}
			verdicts := map[lab.Verdict]int{}
			for range policies {
				p := random.policy(a)
				if err := p.Check(); err != nil {
					t.Fatal(err)
				}
				fast, slow := labtest.NewLimiter(t, p), labtest.NewTwin(p)
				var all []lab.Request
				at := random.start(p)
				end := min(at+2*lab.Time(lab.MaxSpan), lab.MaxTime)
				for range requests {
					if gap := lab.Time(random.gap(p)); at <= end-gap {
						at += gap
					} else {
						at = end
					}
					r := lab.Request{At: at, Key: "ann", Cost: random.cost(p), Service: random.service(a)}
					all = append(all, r)
					want, got := slow.Decide(r), fast.Decide(r)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("the last of %+v\nof %+v (-slow +fast):\n%s", all, p, diff)
					}
					s := fast.State("ann", at)
					if s.Remaining != want.Remaining || s.Reset != want.Reset || s.UsedMilli < 0 {
						t.Fatalf("after %+v\nof %+v: the state %+v is not that of %+v", all, p, s, want)
					}
					verdicts[got.Verdict]++
				}
			}
			for v := lab.Allow; v <= lab.Never; v++ {
				if n := verdicts[v]; n < policies*requests/40 && (v != lab.Delay || a == lab.LeakyBucket) {
					t.Errorf("only %d of %d requests were decided %v", n, policies*requests, v)
				}
			}
		})
	}
}

// extremes draws what lies at the bounds, and now and then anything between.
type extremes struct{ *rand.Rand }

func (e extremes) pick(of ...int64) int64 { return of[e.IntN(len(of))] }

// upTo draws a number from 1 to most, near most or near 1 more often than not.
func (e extremes) upTo(most int64) int64 {
	return e.pick(1, min(2, most), min(3, most), most, max(1, most-1), 1+e.Int64N(most))
}

func (e extremes) policy(a lab.Algorithm) lab.Policy {
	// The largest primes below the bounds share no factor with anything, so
	// their rates cannot be reduced.
	const largePrime, longPrime = 999_999_999_989, 1_576_799_999_999_999_957
	p := lab.Policy{Name: "extreme", Algorithm: a, Limit: e.pick(e.upTo(lab.MaxCount), largePrime)}
	if a.Has(lab.FieldPer) {
		p.Per = time.Duration(e.pick(e.upTo(int64(lab.MaxSpan)), longPrime))
	}
	for _, f := range []lab.Field{lab.FieldBurst, lab.FieldQueue} {
		if a.Has(f) {
			held := sort.Search(lab.MaxCount, func(n int) bool {
				*p.Count(f) = int64(n) + 1
				return p.Check() != nil
			})
			*p.Count(f) = e.upTo(int64(held))
		}
	}
	for _, f := range []lab.Field{lab.FieldInitial, lab.FieldFirst, lab.FieldAlign} {
		if a.Has(f) {
			*p.Option(f) = f.Options()[e.IntN(2)]
		}
	}
	return p
}

func (e extremes) start(p lab.Policy) lab.Time {
	per := lab.Time(max(p.Per, 1))
	return lab.Time(e.pick(int64(lab.MinTime), int64(-per), 0, int64(lab.MaxTime-3*per), int64(lab.MaxTime)))
}

func (e extremes) gap(p lab.Policy) time.Duration {
	per := int64(max(p.Per, 1))
	return time.Duration(e.pick(0, 0, 0, 1, per, per-1, per+1, e.Int64N(per), per/p.Limit, int64(lab.MaxSpan)))
}

func (e extremes) cost(p lab.Policy) int64 {
	return min(e.pick(1, p.Most(), max(1, p.Most()-1), p.Most()+1, 1+e.Int64N(p.Most())), lab.MaxCount)
}

func (e extremes) service(a lab.Algorithm) time.Duration {
	if a != lab.Concurrency {
		return 0
	}
	return time.Duration(e.pick(0, 1, int64(lab.MaxSpan), e.Int64N(int64(lab.MaxSpan))))
}
