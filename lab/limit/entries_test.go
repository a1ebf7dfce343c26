package limit_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
	"github.com/burstlab/burstlab/lab/limit"
)

// TestEntries: the running totals equal what a look through all states finds,
// also after keys were forgotten and in a copy.
func TestEntries(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := labtest.Policy(rt)
		l := mustNew(t, p)
		table := limit.NewTable(0)
		same := func(l limit.Limiters) { sameEntries(rt, l) }
		for _, r := range labtest.Requests(rt, p, 60, true) {
			entries := l.Entries()
			arrive(t, table, &r)
			l.Decide(&arrival, &decision)
			if same(l); l.Entries() > entries+1 {
				rt.Fatalf("one request added %d entries", l.Entries()-entries)
			}
			if rapid.IntRange(0, 9).Draw(rt, "forget") == 0 {
				l.Forget(arrival.Key)
				same(l)
			}
		}
		same(l.Clone())
		for k := range table.Keys() {
			l.Forget(k)
		}
		if n := l.Entries(); n != 0 {
			rt.Fatalf("%d entries are held after every key was forgotten", n)
		}
	})
}

func sameEntries(t rapid.TB, l limit.Limiters) {
	if got, want := l.Entries(), limit.Count(l); got != want {
		t.Fatalf("says %d entries and holds %d", got, want)
	}
	if held, taken := l.Held(0), l.Bytes(); taken < held {
		t.Fatalf("takes %d bytes and holds %d", taken, held)
	}
}

// inside is a request that is in the queue, in the log or in progress until the
// instant gone.
type inside struct {
	gone lab.Time
	cost int64
}

// TestManyInside: with many requests inside, everything said of them is
// what a plain list of them says.
func TestManyInside(t *testing.T) {
	const most = 20_000
	for name, c := range map[string]struct {
		policy lab.Policy
		gone   func(r lab.Request, d lab.Decision) lab.Time
	}{
		"concurrency": {
			lab.Policy{Algorithm: lab.Concurrency, Limit: most},
			func(r lab.Request, d lab.Decision) lab.Time { return d.At.Add(r.Service) },
		},
		"sliding log": {
			lab.Policy{Algorithm: lab.SlidingLog, Limit: most, Per: 5 * time.Millisecond},
			func(r lab.Request, d lab.Decision) lab.Time { return d.At.Add(5 * time.Millisecond) },
		},
		"leaky bucket, immediate": {
			lab.Policy{Algorithm: lab.LeakyBucket, Limit: 1, Per: time.Microsecond, Queue: most},
			func(_ lab.Request, d lab.Decision) lab.Time { return d.Leaves() + 1 },
		},
		"leaky bucket, after a gap": {
			lab.Policy{Algorithm: lab.LeakyBucket, Limit: 1, Per: time.Microsecond, Queue: most, First: lab.FirstAfterGap},
			func(_ lab.Request, d lab.Decision) lab.Time { return d.Leaves() + 1 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.policy.Name = "many"
			l, random := labtest.NewLimiter(t, c.policy), rand.New(rand.NewPCG(1, 2))
			span := func(below time.Duration) time.Duration { return time.Duration(random.Int64N(int64(below))) }
			var all []inside // by when they are gone
			held, at := 0, lab.Time(0)
			for i := range 8000 {
				switch random.IntN(3000) {
				case 0:
					at = at.Add(3 * time.Millisecond)
				case 1:
					at = at.Add(50 * time.Millisecond)
				default:
					at = at.Add(span(time.Microsecond / 2))
				}
				r := lab.Request{At: at, Key: "ann", Cost: 1 + random.Int64N(8), Service: 5 * time.Millisecond}
				switch {
				case i%4000 < 1000: // as most traffic is: they end in order
					r.Cost = 1
				case i%4000 < 2000:
					r.Cost, r.Service = 1, span(20*time.Millisecond)
				case random.IntN(100) == 0:
					r.Cost = 1 + random.Int64N(most+1)
				case random.IntN(3) > 0:
					r.Service = span(20 * time.Millisecond)
				}
				d := l.Decide(r)

				all = slices.DeleteFunc(all, func(e inside) bool { return e.gone <= at })
				used := sum(all)
				passes := used+r.Cost <= most
				if d.Verdict.Passed() != passes {
					t.Fatalf("request %d: %v, want passed: %v", i, d.Verdict, passes)
				}
				if d.Verdict == lab.Refuse {
					if want := until(all, used+r.Cost-most).Sub(at); d.RetryAfter != want {
						t.Fatalf("request %d waits for %d, want %d", i, d.RetryAfter, want)
					}
				}
				if e := (inside{c.gone(r, d), r.Cost}); passes && e.gone > at {
					n, _ := slices.BinarySearchFunc(all, e, func(a, b inside) int { return cmp.Compare(a.gone, b.gone) })
					all = slices.Insert(all, n, e)
					used += e.cost
				}
				held = max(held, len(all))
				reset := time.Duration(0)
				if len(all) > 0 {
					reset = all[0].gone.Sub(at)
				}
				if want := most - used; d.Remaining != want || d.Reset != reset {
					t.Fatalf("request %d: %d remain, reset %d; want %d and %d", i, d.Remaining, d.Reset, want, reset)
				}
				if i%200 == 0 {
					sameInside(t, l, all, at)
					sameInside(t, l, all, at.Add(span(6*time.Millisecond)))
				}
				if i%1000 == 0 {
					// What the original does from here on is not the copy's business.
					sameEntries(t, l.Limiters())
					original, later := l, at
					l = l.Clone()
					for range 2000 {
						later = later.Add(span(2 * time.Microsecond))
						original.Decide(lab.Request{At: later, Key: "ann", Cost: 2, Service: span(10 * time.Millisecond)})
					}
				}
			}
			if held < 500 {
				t.Errorf("at most %d requests were inside at once", held)
			}
		})
	}
}

func sum(all []inside) (n int64) {
	for _, e := range all {
		n += e.cost
	}
	return n
}

// until is when costs of at least n are gone.
func until(all []inside, n int64) lab.Time {
	for _, e := range all {
		if n -= e.cost; n <= 0 {
			return e.gone
		}
	}
	panic("there are not as many")
}

func sameInside(t *testing.T, l *labtest.Limiter, all []inside, at lab.Time) {
	t.Helper()
	s, left := l.State("ann", at), int64(0)
	var entries []lab.Time
	for _, e := range all {
		if e.gone <= at {
			left += e.cost
			continue
		}
		if l.Limiters().Policy().Algorithm == lab.LeakyBucket {
			e.gone-- // it leaves one nanosecond before it is gone
		}
		if len(entries) < lab.MaxEntries && !slices.Contains(entries, e.gone) {
			entries = append(entries, e.gone)
		}
	}
	if diff := gocmp.Diff(entries, s.Entries); diff != "" {
		t.Fatalf("entries at %d (-want +got):\n%s", at, diff)
	}
	if want := sum(all) - left; s.Count != want {
		t.Fatalf("%d are inside at %d, want %d", s.Count, at, want)
	}
}
