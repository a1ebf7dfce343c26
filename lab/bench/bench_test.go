package bench_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/labtest"
	"github.com/burstlab/burstlab/lab/limit"
)

func policies(t *rapid.T) []lab.Policy {
	ps := make([]lab.Policy, rapid.IntRange(1, 5).Draw(t, "policies"))
	for i := range ps {
		ps[i] = labtest.Policy(t)
		ps[i].Name = fmt.Sprint("p", i)
	}
	return ps
}

func mustNew(t testing.TB, ps []lab.Policy, o bench.Options) *bench.Bench {
	b, err := bench.New(ps, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDroppingChangesNoDecision decides the same traffic with and without keys
// being dropped at random moments, and with a table that has room for one key
// more than are busy.
func TestDroppingChangesNoDecision(t *testing.T) {
	dropped := 0
	rapid.Check(t, func(rt *rapid.T) {
		ps := policies(rt)
		keeps := mustNew(t, ps, bench.Options{Scores: true})
		drops := mustNew(t, ps, bench.Options{Scores: true})
		for i, r := range labtest.Requests(rt, ps[0], 60, true) {
			if rapid.Bool().Draw(rt, "drop") {
				dropped += drops.Drop(r.At)
			}
			want, err := keeps.Decide(r)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := drops.Decide(r)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("request %d (-kept +dropped):\n%s", i, diff)
			}
		}
		for i, want := range keeps.Scores() {
			got := drops.Scores()[i]
			wantBusiest, _ := want.Busiest()
			if gotBusiest, _ := got.Busiest(); gotBusiest != wantBusiest || got.Served() != want.Served() {
				rt.Fatalf("lane %d: busiest %d and served %d, want %d and %d", i, gotBusiest, got.Served(), wantBusiest, want.Served())
			}
		}
	})
	if dropped == 0 {
		t.Error("no key was ever dropped: the test tests nothing")
	}
}

// TestKeysFull: a request with a new key that has no room is decided by no lane,
// leaves no trace, and is let in again once a key is fresh.
func TestKeysFull(t *testing.T) {
	p := []lab.Policy{{Name: "log", Algorithm: lab.SlidingLog, Limit: 1, Per: time.Second}}
	inOrder := mustNew(t, p, bench.Options{MaxKeys: 2, InOrder: true})
	cautious := mustNew(t, p, bench.Options{MaxKeys: 2})
	for _, step := range []struct {
		at             time.Duration
		key            string
		inOrder, other error
	}{
		{0, "ann", nil, nil},
		{0, "bob", nil, nil},
		{500 * time.Millisecond, "cy", limit.ErrKeysFull, limit.ErrKeysFull},
		{500 * time.Millisecond, "ann", nil, nil},
		{time.Second, "cy", nil, limit.ErrKeysFull}, // ann and bob are fresh now
		{time.Second, "ann", nil, nil},
	} {
		r := lab.Request{At: lab.Time(step.at), Key: step.key, Cost: 1}
		if _, err := inOrder.Decide(r); !errors.Is(err, step.inOrder) {
			t.Errorf("in order, at %v, %s: %v, want %v", step.at, step.key, err, step.inOrder)
		}
		if _, err := cautious.Decide(r); !errors.Is(err, step.other) {
			t.Errorf("any order, at %v, %s: %v, want %v", step.at, step.key, err, step.other)
		}
	}
	if n := inOrder.Keys(); n > 2 {
		t.Errorf("%d keys are held, want at most 2", n)
	}
}

func TestSetPoliciesKeepsUnchangedLanes(t *testing.T) {
	log := lab.Policy{Name: "log", Algorithm: lab.SlidingLog, Limit: 1, Per: time.Second}
	fixed := lab.Policy{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 1, Per: time.Second}
	token := lab.Policy{Name: "token", Algorithm: lab.TokenBucket, Limit: 1, Per: time.Second, Burst: 1}
	b := mustNew(t, []lab.Policy{log, fixed, token}, bench.Options{Scores: true})
	r := lab.Request{Key: "ann", Cost: 1}
	if _, err := b.Decide(r); err != nil {
		t.Fatal(err)
	}
	changed := fixed
	changed.Limit = 5
	token.Initial = lab.InitialFull // the default, spelled out
	if err := b.SetPolicies([]lab.Policy{changed, log, token}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Decide(r)
	if err != nil {
		t.Fatal(err)
	}
	if d[0].Verdict != lab.Allow || d[0].Remaining != 4 || d[1].Verdict != lab.Refuse || d[2].Verdict != lab.Refuse {
		t.Errorf("the changed lane is not fresh or the other lost its state: %+v", d)
	}
	if s := b.Scores(); s[0].Sent != 1 || s[1].Sent != 2 {
		t.Errorf("scores count %d and %d, want 1 and 2", s[0].Sent, s[1].Sent)
	}
	twice := []lab.Policy{log, log}
	var policyError *lab.PolicyError
	if err := b.SetPolicies(twice); !errors.As(err, &policyError) {
		t.Errorf("two policies of one name: %v", err)
	}
	if !slices.Equal(b.Policies(), []lab.Policy{changed, log, token}) {
		t.Error("a refused change changed the policies")
	}
}

// TestScoreAgainstCounting compares busiest span and percentiles with looking
// through everything.
func TestScoreAgainstCounting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		span := time.Duration(rapid.IntRange(1, 50).Draw(rt, "span"))
		s := bench.NewScore(span, 0)
		type leave struct {
			key  limit.Key
			at   lab.Time
			cost int64
		}
		var leaves []leave
		var waits, retries []time.Duration
		last := map[limit.Key]lab.Time{}
		at := lab.Time(0)
		for range rapid.IntRange(0, 60).Draw(rt, "requests") {
			at += lab.Time(rapid.IntRange(0, 20).Draw(rt, "gap"))
			k := limit.Key(rapid.IntRange(0, 2).Draw(rt, "key"))
			d := lab.Decision{At: at, Verdict: lab.Verdict(rapid.IntRange(0, 3).Draw(rt, "verdict"))}
			if d.Verdict == lab.Allow && last[k] > at {
				d.Verdict = lab.Delay
			}
			if d.Verdict == lab.Delay { // a queue: nobody overtakes
				d.Wait = max(last[k]-at, 0).Sub(0) + time.Duration(rapid.IntRange(1, 30).Draw(rt, "wait"))
			}
			if d.Verdict == lab.Refuse {
				d.RetryAfter = time.Duration(rapid.IntRange(1, 40).Draw(rt, "retry"))
				retries = append(retries, d.RetryAfter)
			}
			cost := int64(rapid.IntRange(1, 3).Draw(rt, "cost"))
			s.Add(k, cost, &d)
			if d.Verdict.Passed() {
				last[k] = d.Leaves()
				leaves = append(leaves, leave{k, d.Leaves(), cost})
				waits = append(waits, d.Wait)
			}
		}
		var want int64
		for _, first := range leaves {
			sum := int64(0)
			for _, l := range leaves {
				if d := l.at.Sub(first.at); l.key == first.key && d >= 0 && d < span {
					sum += l.cost
				}
			}
			want = max(want, sum)
		}
		if got, _ := s.Busiest(); got != want {
			rt.Fatalf("busiest %d, want %d", got, want)
		}
		slices.Sort(retries)
		if shortest, longest := s.RetryAfter(); len(retries) > 0 && (shortest != retries[0] || longest != retries[len(retries)-1]) ||
			len(retries) == 0 && (shortest != 0 || longest != 0) {
			rt.Fatalf("retry after %v to %v of %v", shortest, longest, retries)
		}
		slices.Sort(waits)
		for _, p := range []int{1, 50, 95, 99, 100} {
			var want time.Duration
			if n := len(waits); n > 0 {
				want = waits[(n*p+99)/100-1]
			}
			if got := s.Wait(p); got != want {
				rt.Fatalf("p%d of %v is %v, want %v", p, waits, got, want)
			}
		}
	})
}

// TestBoundedScore: a score that holds only so many requests is exact until it
// says otherwise, and never says more than there was.
func TestBoundedScore(t *testing.T) {
	exact, atLeast := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		span := time.Duration(rapid.IntRange(1, 50).Draw(rt, "span"))
		whole := bench.NewScore(span, 0)
		bounded := bench.NewScore(span, rapid.IntRange(1, 12).Draw(rt, "most"))
		d, leaves := lab.Decision{}, map[limit.Key]lab.Time{}
		for range rapid.IntRange(0, 80).Draw(rt, "requests") {
			d.At += lab.Time(rapid.IntRange(0, 20).Draw(rt, "gap"))
			k, cost := limit.Key(rapid.IntRange(0, 3).Draw(rt, "key")), int64(rapid.IntRange(1, 3).Draw(rt, "cost"))
			d.Verdict, d.Wait = lab.Allow, 0
			if wait := rapid.IntRange(0, 60).Draw(rt, "wait"); leaves[k] > d.At || wait > 40 { // a queue: nobody overtakes
				d.Verdict, d.Wait = lab.Delay, max(leaves[k].Sub(d.At), 0)+time.Duration(wait)
			}
			leaves[k] = d.Leaves()
			whole.Add(k, cost, &d)
			bounded.Add(k, cost, &d)
		}
		want, from := whole.Busiest()
		got, gotFrom := bounded.Busiest()
		switch {
		case bounded.AtLeast():
			atLeast++
			if got > want {
				rt.Fatalf("busiest at least %d, but it is %d", got, want)
			}
		case got != want || gotFrom != from:
			rt.Fatalf("busiest %d from %d, want %d from %d", got, gotFrom, want, from)
		default:
			exact++
		}
	})
	if exact == 0 || atLeast == 0 {
		t.Errorf("%d exact and %d not: the test tests only one kind", exact, atLeast)
	}
}

// TestHugeCosts: costs whose sum is beyond an int64 neither wrap around nor are
// lost count of.
func TestHugeCosts(t *testing.T) {
	s := bench.NewScore(time.Second, 0)
	d := lab.Decision{}
	const n = math.MaxInt64/lab.MaxCount - 1
	for range n {
		s.Add(0, lab.MaxCount, &d)
	}
	if got, _ := s.Busiest(); got != n*lab.MaxCount {
		t.Errorf("%d of the greatest cost are %d", n, got)
	}
	for range 5 {
		s.Add(0, lab.MaxCount, &d)
	}
	if got, _ := s.Busiest(); got != math.MaxInt64 {
		t.Errorf("more than an int64 holds is told as %d", got)
	}
	// All of them leave, and one of cost 7 comes: the busiest stays what it was.
	d.At = lab.Time(2 * time.Second)
	s.Add(0, 7, &d)
	if got, from := s.Busiest(); got != math.MaxInt64 || from != 0 {
		t.Errorf("the busiest has become %d from %d", got, from)
	}
}

// TestEntriesFull: a bench that holds all the entries that it may decides
// nothing until some have left.
func TestEntriesFull(t *testing.T) {
	p := []lab.Policy{
		{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second},
		{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	}
	b := mustNew(t, p, bench.Options{MaxEntries: 3, InOrder: true})
	for _, step := range []struct {
		at   time.Duration
		key  string
		want error
	}{
		{0, "ann", nil},
		{0, "ann", nil},
		{500 * time.Millisecond, "bob", nil},
		{500 * time.Millisecond, "ann", bench.ErrEntriesFull},
		{1001 * time.Millisecond, "bob", nil}, // ann is fresh since the second began
		{1002 * time.Millisecond, "bob", nil},
		{1003 * time.Millisecond, "bob", bench.ErrEntriesFull},
	} {
		r := lab.Request{At: lab.Time(step.at), Key: step.key, Cost: 1}
		admit := b.Admit(r)
		if _, err := b.Decide(r); err != step.want || admit != step.want {
			t.Errorf("at %v, %s: %v and %v, want %v", step.at, step.key, admit, err, step.want)
		}
	}
}

// TestManyWaits: more different waits than are kept apart stay within 0.1 %.
func TestManyWaits(t *testing.T) {
	s := bench.NewScore(time.Second, 0)
	const n = 40_000
	for i := 1; i <= n; i++ {
		s.Add(0, 1, &lab.Decision{Verdict: lab.Delay, Wait: time.Duration(i) * 1_000_003})
	}
	for _, p := range []int{1, 50, 99} {
		exact := time.Duration(n*p/100) * 1_000_003
		if got := s.Wait(p); got < exact || got > exact+exact/1000 {
			t.Errorf("p%d is %d, want %d or up to 0.1 %% more", p, got, exact)
		}
	}
	if got, longest := s.Wait(100), s.LongestWait(); got != longest {
		t.Errorf("p100 is %d, over the longest wait of %d", got, longest)
	}
}

func TestCheckpointDecidesAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ps := policies(rt)
		requests := labtest.Requests(rt, ps[0], 40, true)
		b := mustNew(t, ps, bench.Options{MaxKeys: 2, InOrder: true, Scores: true})
		var c *bench.Bench
		from := rapid.IntRange(0, len(requests)).Draw(rt, "from")
		for i, r := range requests {
			if i == from {
				c = b.Checkpoint()
			}
			want, err := b.Decide(r)
			if c == nil || err != nil {
				continue
			}
			got, err := c.Decide(r)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				rt.Fatalf("request %d: %v\n%s", i, err, diff)
			}
		}
	})
}

func BenchmarkSevenLanes(b *testing.B) {
	var ps []lab.Policy
	for _, a := range lab.Algorithms {
		p := lab.Policy{Name: string(a), Algorithm: a, Limit: 10}
		if a.Has(lab.FieldPer) {
			p.Per = time.Second
		}
		if a.Has(lab.FieldBurst) {
			p.Burst = 10
		}
		if a.Has(lab.FieldQueue) {
			p.Queue = 10
		}
		ps = append(ps, p)
	}
	for _, o := range []struct {
		name    string
		options bench.Options
	}{{"decide", bench.Options{}}, {"decide and score", bench.Options{Scores: true}}} {
		b.Run(o.name, func(b *testing.B) {
			bench := mustNew(b, ps, o.options)
			r := lab.Request{Key: "default", Cost: 1, Service: 100 * time.Millisecond}
			b.ReportAllocs()
			for b.Loop() {
				r.At += 50_000_000
				if _, err := bench.Decide(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
