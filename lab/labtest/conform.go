package labtest

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// Limiter runs one policy's limiters with a key table of their own.
type Limiter struct {
	table    *limit.Table
	limiters limit.Limiters
}

// NewLimiter returns fresh limiters for p.
func NewLimiter(t testing.TB, p lab.Policy) *Limiter {
	limiters, err := limit.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return &Limiter{limit.NewTable(0), limiters}
}

// Decide decides r.
func (l *Limiter) Decide(r lab.Request) lab.Decision {
	var a limit.Arrival
	if err := l.table.Arrive(&r, &a); err != nil {
		panic(err)
	}
	var d lab.Decision
	l.limiters.Decide(&a, &d)
	return d
}

// Explain gives the arithmetic of the decision that Decide would make.
func (l *Limiter) Explain(r lab.Request) lab.Arithmetic {
	a, err := l.table.Peek(r)
	if err != nil {
		panic(err)
	}
	return l.limiters.Explain(&a)
}

// State tells what is held for a key at an instant that is not before its latest
// request's.
func (l *Limiter) State(key string, at lab.Time) lab.State {
	a, err := l.table.Peek(lab.Request{At: at, Key: key, Cost: 1})
	if err != nil {
		panic(err)
	}
	return l.limiters.State(a.Key, a.Seen, a.At)
}

// Limiters are the policy's limiters, with all keys.
func (l *Limiter) Limiters() limit.Limiters { return l.limiters }

// Clone returns an independent copy.
func (l *Limiter) Clone() *Limiter { return &Limiter{l.table.Clone(), l.limiters.Clone()} }

// Trace decides all requests.
func (l *Limiter) Trace(requests []lab.Request) []lab.Decision {
	decisions := make([]lab.Decision, len(requests))
	for i, r := range requests {
		decisions[i] = l.Decide(r)
	}
	return decisions
}

// Conform checks what every limiter promises, for random policies of one
// algorithm on random traffic.
func Conform(t *testing.T, a lab.Algorithm) {
	for _, claim := range []struct {
		name  string
		holds func(*rapid.T, *testing.T, lab.Policy)
	}{
		{"promise", promise},
		{"waits", waits},
		{"remaining", remainingByTrying},
		{"refused leave no trace", noTrace},
		{"replay", replay},
		{"clamped clock", clamped},
		{"arithmetic", arithmetic},
		{"state", state},
	} {
		t.Run(claim.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { claim.holds(rt, t, PolicyOf(rt, a)) })
		})
	}
}

// promise: what passed never breaks the algorithm's promise, in any span.
func promise(rt *rapid.T, t *testing.T, p lab.Policy) {
	requests := Requests(rt, p, 60, true)
	decisions := NewLimiter(t, p).Trace(requests)
	byKey := map[string][]passed{}
	for i, d := range decisions {
		if d.Verdict.Passed() {
			r := requests[i]
			byKey[r.Key] = append(byKey[r.Key], passed{d.At, d.Leaves(), r.Cost, r.Service})
		}
	}
	for key, all := range byKey {
		for i := range all {
			sum := int64(0)
			for j := i; j < len(all); j++ {
				sum += all[j].cost
				if most := bound(p, all[i], all[j], sum); new(big.Rat).SetInt64(sum).Cmp(most) > 0 {
					rt.Fatalf("key %q: %d passed from %d to %d, over %v", key, sum, all[i].at, all[j].at, most)
				}
			}
		}
		if p.Algorithm == lab.Concurrency {
			for _, x := range all {
				inProgress := int64(0)
				for _, y := range all {
					if y.at <= x.at && x.at < y.at.Add(y.service) {
						inProgress += y.cost
					}
				}
				if inProgress > p.Limit {
					rt.Fatalf("%d in progress at %d", inProgress, x.at)
				}
			}
		}
	}
}

type passed struct {
	at, leaves lab.Time
	cost       int64
	service    time.Duration
}

// bound is the most that may pass from the first to the last of a row of
// passed requests, both included.
func bound(p lab.Policy, first, last passed, sum int64) *big.Rat {
	span := last.at.Sub(first.at)
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		// burst + T × limit / per
		most := new(big.Rat).SetFrac(
			new(big.Int).Mul(big.NewInt(int64(span)), big.NewInt(p.Limit)), big.NewInt(int64(p.Per)))
		return most.Add(most, rat(p.Burst))
	case lab.LeakyBucket:
		// The service gets one every gap: everything but one end of the row fits
		// between the first and the last leaving time. Those are rounded up to
		// whole nanoseconds, hence the one more.
		edge := last.cost
		if p.First == lab.FirstAfterGap {
			edge = first.cost
		}
		span := new(big.Int).Add(big.NewInt(int64(last.leaves.Sub(first.leaves))), big.NewInt(1))
		most := new(big.Rat).SetFrac(span.Mul(span, big.NewInt(p.Limit)), big.NewInt(int64(p.Per)))
		return most.Add(most, rat(edge))
	case lab.FixedWindow, lab.SlidingCounter:
		windows := int64(span/p.Per) + 2
		if p.Algorithm == lab.FixedWindow && p.Align == lab.AlignFirstRequest && span < p.Per {
			windows = 2
		}
		return new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(windows), big.NewInt(p.Limit)))
	case lab.SlidingLog:
		return new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(int64(span/p.Per)+1), big.NewInt(p.Limit)))
	}
	return rat(sum)
}

// waits: after retry_after the same request passes, one nanosecond earlier it
// does not; after reset more remain, one nanosecond earlier they do not.
func waits(rt *rapid.T, t *testing.T, p lab.Policy) {
	l := NewLimiter(t, p)
	for _, r := range Requests(rt, p, 25, false) {
		d := l.Decide(r)
		if (d.RetryAfter > 0) != (d.Verdict == lab.Refuse) {
			rt.Fatalf("%+v has a wait of %d", d, d.RetryAfter)
		}
		if d.Verdict == lab.Refuse {
			try := func(after time.Duration) lab.Verdict {
				again := r
				again.At = d.At.Add(after)
				return l.Clone().Decide(again).Verdict
			}
			if v := try(d.RetryAfter); !v.Passed() {
				rt.Fatalf("after its wait of %d the request gets %v", d.RetryAfter, v)
			}
			if v := try(d.RetryAfter - 1); v != lab.Refuse {
				rt.Fatalf("one nanosecond before its wait of %d the request gets %v", d.RetryAfter, v)
			}
		}
		if (d.Reset == 0) != (d.Remaining == p.Most()) {
			rt.Fatalf("%d of %d remain, and reset is %d", d.Remaining, p.Most(), d.Reset)
		}
		if d.Reset > 0 {
			// A request that costs too much changes nothing and tells what remains.
			look := func(after time.Duration) int64 {
				ask := lab.Request{At: d.At.Add(after), Key: r.Key, Cost: p.Most() + 1}
				return l.Clone().Decide(ask).Remaining
			}
			if n := look(d.Reset); n <= d.Remaining {
				rt.Fatalf("%d remain; after reset %d: %d", d.Remaining, d.Reset, n)
			}
			if n := look(d.Reset - 1); n > d.Remaining {
				rt.Fatalf("%d remain; one nanosecond before reset %d: %d", d.Remaining, d.Reset, n)
			}
		}
	}
}

// remainingByTrying: as many requests of cost 1 as remain pass at the same
// instant, and the next does not.
func remainingByTrying(rt *rapid.T, t *testing.T, p lab.Policy) {
	l := NewLimiter(t, p)
	for _, r := range Requests(rt, p, 12, false) {
		d := l.Decide(r)
		if d.Remaining > 2000 {
			continue
		}
		trial := l.Clone()
		// In progress for a while, or a request would leave as it comes.
		one := lab.Request{At: d.At, Key: r.Key, Cost: 1, Service: time.Second}
		for i := range d.Remaining {
			if v := trial.Decide(one).Verdict; !v.Passed() {
				rt.Fatalf("%d remain, and number %d gets %v", d.Remaining, i+1, v)
			}
		}
		if v := trial.Decide(one).Verdict; v.Passed() {
			rt.Fatalf("%d remain, and one more passes", d.Remaining)
		}
	}
}

// noTrace: without the refused requests, every other is decided the same.
func noTrace(rt *rapid.T, t *testing.T, p lab.Policy) {
	requests := Requests(rt, p, 60, true)
	if p.Initial == lab.InitialEmpty {
		// A bucket begins to earn with its first request, even a refused one, so
		// that one stays.
		seen := map[string]bool{}
		var first []lab.Request
		for _, r := range requests {
			if !seen[r.Key] {
				seen[r.Key] = true
				first = append(first, lab.Request{At: requests[0].At, Key: r.Key, Cost: p.Most() + 1})
			}
		}
		compareWithoutRefused(rt, t, p, first, requests)
		return
	}
	compareWithoutRefused(rt, t, p, nil, requests)
}

func compareWithoutRefused(rt *rapid.T, t *testing.T, p lab.Policy, first, requests []lab.Request) {
	all, some := NewLimiter(t, p), NewLimiter(t, p)
	all.Trace(first)
	some.Trace(first)
	for i, r := range requests {
		d := all.Decide(r)
		if !d.Verdict.Passed() {
			continue
		}
		if diff := cmp.Diff(d, some.Decide(r)); diff != "" {
			rt.Fatalf("request %d differs without the refused ones before it (-with +without):\n%s", i, diff)
		}
	}
}

// replay: the same requests get the same decisions, from a copy as well.
func replay(rt *rapid.T, t *testing.T, p lab.Policy) {
	requests := Requests(rt, p, 40, false)
	l := NewLimiter(t, p)
	half := len(requests) / 2
	first := l.Trace(requests[:half])
	copied := l.Clone()
	second := l.Trace(requests[half:])
	if diff := cmp.Diff(second, copied.Trace(requests[half:])); diff != "" {
		rt.Fatalf("the copy decides otherwise:\n%s", diff)
	}
	if diff := cmp.Diff(append(first, second...), NewLimiter(t, p).Trace(requests)); diff != "" {
		rt.Fatalf("a replay decides otherwise:\n%s", diff)
	}
}

// clamped: a request that carries an earlier time than one seen for its key is
// decided as if it came at that time, and marked.
func clamped(rt *rapid.T, t *testing.T, p lab.Policy) {
	raw, straight := NewLimiter(t, p), NewLimiter(t, p)
	latest := map[string]lab.Time{}
	for i, r := range Requests(rt, p, 40, false) {
		d := raw.Decide(r)
		at, seen := latest[r.Key]
		if back := seen && r.At < at; back != d.Clamped {
			rt.Fatalf("request %d: clamped is %v", i, d.Clamped)
		} else if back {
			r.At = at
		}
		latest[r.Key] = r.At
		want := straight.Decide(r)
		want.Clamped = d.Clamped
		if diff := cmp.Diff(want, d); diff != "" {
			rt.Fatalf("request %d (-in order +as it came):\n%s", i, diff)
		}
	}
}

// arithmetic: what Explain says agrees with what Decide does, and its terms add
// up to its values.
func arithmetic(rt *rapid.T, t *testing.T, p lab.Policy) {
	l := NewLimiter(t, p)
	for i, r := range Requests(rt, p, 40, false) {
		why := l.Explain(r)
		if left := Evaluate(why.Left); left.Cmp(why.Value.Value) != 0 {
			rt.Fatalf("request %d: the left side is %v, its value %v", i, left, why.Value.Value)
		}
		if right := Evaluate(why.Right); right.Cmp(why.RightValue.Value) != 0 {
			rt.Fatalf("request %d: the right side is %v, its value %v", i, right, why.RightValue.Value)
		}
		c := why.Value.Value.Cmp(why.RightValue.Value)
		holds := map[lab.Sign]bool{lab.Less: c < 0, lab.AtMost: c <= 0, lab.AtLeast: c >= 0}[why.Op]
		if holds != why.Holds {
			rt.Fatalf("request %d: %v %s %v does not agree with %v", i, why.Value.Value, why.Op, why.RightValue.Value, why.Holds)
		}
		if d := l.Decide(r); d.Verdict.Passed() != why.Holds {
			rt.Fatalf("request %d: the arithmetic says %v, the decision %v", i, why.Holds, d.Verdict)
		}
	}
}

// state: what State tells agrees with what Decide says at the same instant, and
// its entries are the instants at which those that passed leave.
func state(rt *rapid.T, t *testing.T, p lab.Policy) {
	l := NewLimiter(t, p)
	all := map[string][]leaving{}
	for _, r := range Requests(rt, p, 25, false) {
		stateAgrees(rt, l, r.Key, r.At)
		d := l.Decide(r)
		if e := leavingOf(p, r, d); d.Verdict.Passed() && e.cost > 0 {
			all[r.Key] = append(all[r.Key], e)
		}
		s := stateAgrees(rt, l, r.Key, d.At)
		stateAgrees(rt, l, r.Key, d.At.Add(duration(0, 2*max(p.Per, 20)).Draw(rt, "later")))
		entriesAgree(rt, p, s, all[r.Key])
		for _, at := range s.Entries[:min(len(s.Entries), 5)] {
			for x := max(at-1, d.At); x <= at+1; x++ {
				countAgrees(rt, p, l.State(r.Key, x), all[r.Key])
			}
		}
	}
}

// leaving is when a request that passed leaves the queue, the log or progress.
type leaving struct {
	at   lab.Time
	cost int64
}

// leavingOf has no cost for a request that is never inside anything.
func leavingOf(p lab.Policy, r lab.Request, d lab.Decision) leaving {
	switch {
	case p.Algorithm == lab.LeakyBucket:
		return leaving{d.Leaves(), r.Cost}
	case p.Algorithm == lab.SlidingLog:
		return leaving{d.At.Add(p.Per), r.Cost}
	case p.Algorithm == lab.Concurrency && r.Service > 0:
		return leaving{d.At.Add(r.Service), r.Cost}
	}
	return leaving{}
}

// stateAgrees compares a key's state with what a request is told that costs too
// much to change anything.
func stateAgrees(rt *rapid.T, l *Limiter, key string, at lab.Time) lab.State {
	p, s := l.limiters.Policy(), l.State(key, at)
	d := l.Clone().Decide(lab.Request{At: at, Key: key, Cost: p.Most() + 1})
	if s.At != d.At || s.Of != p.Most() || s.Remaining != d.Remaining || s.Reset != d.Reset {
		rt.Fatalf("the state %+v is not that of the decision %+v", s, d)
	}
	room := s.UsedMilli <= (s.Of-1)*1000
	if p.Algorithm == lab.SlidingCounter {
		room = s.UsedMilli < s.Of*1000
	}
	if passes := s.Remaining > 0; room != passes {
		rt.Fatalf("%d thousandths of %d are used, and that one more passes is %v", s.UsedMilli, s.Of, passes)
	}
	if s.UsedMilli < 0 || p.Algorithm != lab.SlidingCounter && s.UsedMilli > s.Of*1000 {
		rt.Fatalf("%d thousandths of %d are used", s.UsedMilli, s.Of)
	}
	if windows := s.WindowStart != 0 || s.WindowEnd != 0; windows && (s.At < s.WindowStart || s.WindowEnd <= s.At) {
		rt.Fatalf("%d is not in the window from %d to %d", s.At, s.WindowStart, s.WindowEnd)
	}
	return s
}

// entriesAgree: the entries are the instants at which something leaves, each
// once. What leaves a queue at the state's own instant may have gone already:
// leaving times are rounded up.
func entriesAgree(rt *rapid.T, p lab.Policy, s lab.State, all []leaving) {
	var want []lab.Time
	for _, e := range all {
		if e.at > s.At || e.at == s.At && len(s.Entries) > 0 && s.Entries[0] == s.At && p.Algorithm == lab.LeakyBucket {
			want = append(want, e.at)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	want = want[:min(len(want), lab.MaxEntries)]
	if diff := cmp.Diff(want, s.Entries, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("entries at %d (-want +got):\n%s", s.At, diff)
	}
}

// countAgrees: inside is what has not left.
func countAgrees(rt *rapid.T, p lab.Policy, s lab.State, all []leaving) {
	least, now := int64(0), int64(0)
	for _, e := range all {
		if e.at > s.At {
			least += e.cost
		} else if e.at == s.At && p.Algorithm == lab.LeakyBucket {
			now += e.cost
		}
	}
	if s.Count < least || s.Count > least+now || s.UsedMilli != s.Count*1000 {
		rt.Fatalf("%d are inside at %d (%d thousandths), want %d, and up to %d that leave now", s.Count, s.At, s.UsedMilli, least, now)
	}
}

// Evaluate is the value of one side of an arithmetic.
func Evaluate(terms []lab.Term) *big.Rat {
	sum, product := new(big.Rat), new(big.Rat)
	for _, term := range terms {
		switch term.Sign {
		case lab.Times:
			product.Mul(product, term.Value)
		case lab.Over:
			product.Quo(product, term.Value)
		case lab.Minus:
			sum.Add(sum, product)
			product = new(big.Rat).Neg(term.Value)
		default:
			sum.Add(sum, product)
			product = new(big.Rat).Set(term.Value)
		}
	}
	return sum.Add(sum, product)
}
