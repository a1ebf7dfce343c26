// Package labtest holds what tests of limiters share: the conformance suite
// that every limiter passes, a slow and obvious second version of each
// algorithm, and random policies and traffic.
package labtest

import (
	"math/big"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Twin decides as SEMANTICS defines it, in big rationals, by remembering what it
// let through and looking through all of it. It has no closed forms: remaining
// is found by trying, and waits by searching.
type Twin struct {
	policy lab.Policy
	keys   map[string]*twinKey
}

type twinKey struct {
	latest lab.Time
	twin   twin
}

// twin is one key's slow limiter.
type twin interface {
	// passes says whether a request would pass. It changes nothing.
	passes(at lab.Time, cost int64) bool
	// accept lets a request through that passes, and says how long it waits.
	accept(at lab.Time, cost int64, service time.Duration) (wait time.Duration)
}

// NewTwin returns the slow version of p's limiters.
func NewTwin(p lab.Policy) *Twin { return &Twin{p, map[string]*twinKey{}} }

func (t *Twin) key(r lab.Request) *twinKey {
	k := t.keys[r.Key]
	if k == nil {
		k = &twinKey{r.At, newTwin(t.policy)}
		t.keys[r.Key] = k
	}
	return k
}

func newTwin(p lab.Policy) twin {
	limit, per := rat(p.Limit), rat(int64(p.Per))
	switch p.Algorithm {
	case lab.TokenBucket:
		b := &twinBucket{rate: new(big.Rat).Quo(limit, per), burst: rat(p.Burst), tokens: rat(p.Burst)}
		if p.Initial == lab.InitialEmpty {
			b.tokens = rat(0)
		}
		return b
	case lab.GCRA:
		return &twinGCRA{interval: new(big.Rat).Quo(per, limit), burst: rat(p.Burst)}
	case lab.LeakyBucket:
		return &twinLeaky{gap: new(big.Rat).Quo(per, limit), queue: p.Queue, afterGap: p.First == lab.FirstAfterGap}
	case lab.FixedWindow:
		if p.Align == lab.AlignFirstRequest {
			return &twinFromFirst{limit: p.Limit, per: p.Per}
		}
		return &twinFixed{limit: p.Limit, per: p.Per, counts: map[int64]int64{}}
	case lab.SlidingLog:
		return &twinLog{limit: p.Limit, per: p.Per}
	case lab.SlidingCounter:
		return &twinCounter{twinFixed{limit: p.Limit, per: p.Per, counts: map[int64]int64{}}}
	case lab.Concurrency:
		return &twinConcurrency{limit: p.Limit}
	}
	panic("labtest: no twin of " + string(p.Algorithm))
}

// Decide decides r.
func (t *Twin) Decide(r lab.Request) lab.Decision {
	k := t.key(r)
	d := lab.Decision{At: max(r.At, k.latest), Clamped: r.At < k.latest}
	k.latest = d.At
	most := t.policy.Most()
	switch {
	case r.Cost > most:
		d.Verdict = lab.Never
	case k.twin.passes(d.At, r.Cost):
		if d.Wait = k.twin.accept(d.At, r.Cost, r.Service); d.Wait > 0 {
			d.Verdict = lab.Delay
		}
	default:
		d.Verdict = lab.Refuse
		d.RetryAfter = search(func(wait time.Duration) bool { return k.twin.passes(d.At.Add(wait), r.Cost) })
	}
	d.Remaining = remaining(k.twin, most, d.At)
	if d.Remaining < most {
		d.Reset = search(func(wait time.Duration) bool { return k.twin.passes(d.At.Add(wait), d.Remaining+1) })
	}
	return d
}

// remaining is the largest cost that passes at an instant: n requests of cost 1
// pass exactly when one of cost n does. [Conform] tries that out on the real
// limiters.
func remaining(k twin, most int64, at lab.Time) int64 {
	low, high := int64(0), most
	for low < high {
		middle := (low + high + 1) / 2
		if k.passes(at, middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// search is the smallest wait of at least one nanosecond for which ok holds.
// With nothing else coming, what passes once passes ever after.
func search(ok func(time.Duration) bool) time.Duration {
	high := time.Duration(1)
	for !ok(high) {
		high *= 2
	}
	low := high / 2 // does not hold, or is 0
	for low+1 < high {
		if middle := low + (high-low)/2; ok(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func rat(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// ceil is r rounded up to a whole number of nanoseconds.
func ceil(r *big.Rat) time.Duration {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return time.Duration(q.Int64())
}

type twinBucket struct {
	rate, burst, tokens *big.Rat
	at                  lab.Time
	started             bool
}

func (b *twinBucket) now(at lab.Time) *big.Rat {
	if !b.started {
		return b.tokens
	}
	tokens := new(big.Rat).Mul(rat(int64(at-b.at)), b.rate)
	tokens.Add(tokens, b.tokens)
	if tokens.Cmp(b.burst) > 0 {
		return b.burst
	}
	return tokens
}

func (b *twinBucket) passes(at lab.Time, cost int64) bool {
	// The first request, passed or not, is when a bucket begins to earn.
	if !b.started {
		b.at, b.started = at, true
	}
	return b.now(at).Cmp(rat(cost)) >= 0
}

func (b *twinBucket) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	b.tokens, b.at = new(big.Rat).Sub(b.now(at), rat(cost)), at
	return 0
}

type twinGCRA struct {
	interval, burst, tat *big.Rat
}

func (g *twinGCRA) after(at lab.Time, cost int64) *big.Rat {
	tat := rat(int64(at))
	if g.tat != nil && g.tat.Cmp(tat) > 0 {
		tat.Set(g.tat)
	}
	return tat.Add(tat, new(big.Rat).Mul(rat(cost), g.interval))
}

func (g *twinGCRA) passes(at lab.Time, cost int64) bool {
	ahead := g.after(at, cost)
	ahead.Sub(ahead, rat(int64(at)))
	return ahead.Cmp(new(big.Rat).Mul(g.burst, g.interval)) <= 0
}

func (g *twinGCRA) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	g.tat = g.after(at, cost)
	return 0
}

type twinLeaky struct {
	gap      *big.Rat
	queue    int64
	afterGap bool
	leaves   []*big.Rat
	costs    []int64
}

func (l *twinLeaky) passes(at lab.Time, cost int64) bool {
	inside := cost
	for i, leave := range l.leaves {
		if leave.Cmp(rat(int64(at))) >= 0 {
			inside += l.costs[i]
		}
	}
	return inside <= l.queue
}

func (l *twinLeaky) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	leave := rat(int64(at))
	if n := len(l.leaves); n > 0 {
		free := l.leaves[n-1]
		if !l.afterGap {
			free = new(big.Rat).Add(free, new(big.Rat).Mul(rat(l.costs[n-1]), l.gap))
		}
		if free.Cmp(leave) > 0 {
			leave.Set(free)
		}
	}
	if l.afterGap {
		leave.Add(leave, new(big.Rat).Mul(rat(cost), l.gap))
	}
	l.leaves, l.costs = append(l.leaves, leave), append(l.costs, cost)
	return ceil(new(big.Rat).Sub(leave, rat(int64(at))))
}

type twinFixed struct {
	limit  int64
	per    time.Duration
	counts map[int64]int64
}

func (w *twinFixed) number(at lab.Time) int64 {
	n := new(big.Int)
	return n.Div(big.NewInt(int64(at)), big.NewInt(int64(w.per))).Int64() // rounds down
}

func (w *twinFixed) passes(at lab.Time, cost int64) bool {
	return w.counts[w.number(at)]+cost <= w.limit
}

func (w *twinFixed) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	w.counts[w.number(at)] += cost
	return 0
}

type twinFromFirst struct {
	limit  int64
	per    time.Duration
	starts []lab.Time
	counts []int64
}

func (w *twinFromFirst) open(at lab.Time) bool {
	n := len(w.starts)
	return n > 0 && at.Sub(w.starts[n-1]) < w.per
}

func (w *twinFromFirst) passes(at lab.Time, cost int64) bool {
	if w.open(at) {
		cost += w.counts[len(w.counts)-1]
	}
	return cost <= w.limit
}

func (w *twinFromFirst) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	if !w.open(at) {
		w.starts, w.counts = append(w.starts, at), append(w.counts, 0)
	}
	w.counts[len(w.counts)-1] += cost
	return 0
}

type twinLog struct {
	limit int64
	per   time.Duration
	times []lab.Time
	costs []int64
}

func (l *twinLog) passes(at lab.Time, cost int64) bool {
	for i, t := range l.times {
		if at.Sub(t) < l.per {
			cost += l.costs[i]
		}
	}
	return cost <= l.limit
}

func (l *twinLog) accept(at lab.Time, cost int64, _ time.Duration) time.Duration {
	l.times, l.costs = append(l.times, at), append(l.costs, cost)
	return 0
}

type twinCounter struct{ twinFixed }

func (c *twinCounter) passes(at lab.Time, cost int64) bool {
	n := c.number(at)
	into := new(big.Int).Sub(big.NewInt(int64(at)), new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(c.per))))
	left := new(big.Rat).SetFrac(into.Sub(big.NewInt(int64(c.per)), into), big.NewInt(int64(c.per)))
	estimate := left.Mul(left, rat(c.counts[n-1]))
	estimate.Add(estimate, rat(c.counts[n]+cost-1))
	return estimate.Cmp(rat(c.limit)) < 0
}

type twinConcurrency struct {
	limit      int64
	start, end []lab.Time
	costs      []int64
}

func (c *twinConcurrency) passes(at lab.Time, cost int64) bool {
	for i := range c.start {
		if c.start[i] <= at && at < c.end[i] {
			cost += c.costs[i]
		}
	}
	return cost <= c.limit
}

func (c *twinConcurrency) accept(at lab.Time, cost int64, service time.Duration) time.Duration {
	c.start, c.end, c.costs = append(c.start, at), append(c.end, at.Add(service)), append(c.costs, cost)
	return 0
}
