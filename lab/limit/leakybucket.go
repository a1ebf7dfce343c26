package limit

import (
	"math/big"
	"slices"
	"sort"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// leakyBucket is a queue that lets one request out every gap = per / limit. A
// request is in the bucket until its leaving time has passed: one whose leaving
// time is exactly t is still inside. A request of cost c is accepted if the costs
// inside + c ≤ queue.
//
// With first: immediate it leaves at max(t, when the outlet is free), and the
// outlet is then busy for c gaps. With first: after-gap it leaves c gaps after
// max(t, when the one before left).
//
// It keeps 32 bytes per key, because leaving times follow from the last one and
// the costs. Costs are kept only from the first request inside that does not cost
// 1, in 8 bytes for it and for each one after it.
type leakyBucket struct {
	policy   lab.Policy
	rate     rate
	afterGap bool
	queues   pages[queue]
	entries  int64 // in the costs of all keys
}

// queue is what is inside one key's bucket, told at an instant.
type queue struct {
	// busy is the time until the outlet is free (immediate) or until the last
	// request leaves (after-gap), in the rate's units.
	busy wide
	// inside is the costs inside.
	inside int64
	costs  *costs // nil until a request does not cost 1
}

// costs are the running totals of the last requests in a queue: totals[head:],
// and the total before them. The requests inside ahead of these cost 1 each.
// Totals may wrap around; only their differences count.
type costs struct {
	totals []uint64
	before uint64
	head   uint32
}

func newLeakyBucket(p lab.Policy) *leakyBucket {
	return &leakyBucket{policy: p, rate: rateOf(p), afterGap: p.First == lab.FirstAfterGap}
}

func (l *leakyBucket) Policy() lab.Policy { return l.policy }

func (c *costs) held() int64 {
	if c == nil {
		return 0
	}
	return int64(len(c.totals)) - int64(c.head)
}

// upTo is the sum of the first n costs.
func (c *costs) upTo(n int) int64 {
	if n == 0 {
		return 0
	}
	return int64(c.totals[int(c.head)+n-1] - c.before)
}

// add appends the cost of a request that joins the queue. While none is listed,
// a cost of 1 need not be.
func (c *costs) add(cost int64) {
	if cost != 1 || c.held() > 0 {
		if int(c.head)*2 >= len(c.totals) {
			c.totals = append(c.totals[:0], c.totals[c.head:]...)
			c.head = 0
		}
		c.totals = append(c.totals, c.before+uint64(c.upTo(len(c.totals)-int(c.head))+cost))
	}
}

// drop drops the costs of those that are not inside any more.
func (c *costs) drop(inside int64) {
	for c.held() > 0 && c.upTo(int(c.held())) > inside {
		c.before = c.totals[c.head]
		c.head++
	}
	if c.held() == 0 && cap(c.totals) > spare {
		c.totals, c.head = nil, 0
	}
}

// load is k's bucket at an instant, without what has left it, and the costs that
// have left but are still in its list of costs. It changes nothing.
func (l *leakyBucket) load(k Key, seen, at lab.Time) (q queue, left int64) {
	q = l.queues.get(k)
	if q.busy.zero() && q.inside == 0 {
		return q, 0
	}
	earned := l.rate.earned(at.Sub(seen))
	if q.busy.less(earned) {
		return queue{costs: q.costs}, q.inside
	}
	q.busy = q.busy.sub(earned)
	if q.inside == 0 {
		return q, 0
	}
	gaps, _ := l.rate.whole(q.busy)
	left = l.leavers(q, 0, gaps)
	q.inside -= left
	return q, left
}

// leavers is the costs of the requests inside that leave more than some gaps
// before the end of busy.
func (l *leakyBucket) leavers(q queue, left, gaps int64) int64 {
	n := q.inside - gaps
	if n <= 0 {
		return 0
	}
	before, with := n-1, n
	if q.costs != nil {
		before, with = q.request(n, left)
	}
	if l.afterGap {
		return before
	}
	return with
}

// request finds the request with which the costs inside reach n: it returns
// those before it, and those with it.
func (q queue) request(n, left int64) (before, with int64) {
	c := q.costs
	listed := int(c.held())
	ones := q.inside + left - c.upTo(listed) // ahead of those listed
	if n += left; n <= ones {
		return n - 1 - left, n - left
	}
	i := sort.Search(listed, func(i int) bool { return c.upTo(i+1) >= n-ones })
	return ones + c.upTo(i) - left, ones + c.upTo(i+1) - left
}

// leaves is how long until the request leaves with which the costs inside reach
// n, in the rate's units.
func (l *leakyBucket) leaves(n int64, q queue, left int64) wide {
	before, with := n-1, n
	if q.costs != nil {
		before, with = q.request(n, left)
	}
	if l.afterGap {
		return q.busy.sub(l.rate.requests(q.inside - with))
	}
	return q.busy.sub(l.rate.requests(q.inside - before))
}

// until is how long until costs of at least n have left; n is at most inside.
// A request that leaves at an instant is still inside at it, hence the one
// nanosecond more.
func (l *leakyBucket) until(n int64, q queue, left int64) time.Duration {
	wait, _ := l.leaves(n, q, left).div(l.rate.num)
	return time.Duration(wait) + 1
}

func (l *leakyBucket) Decide(a *Arrival, d *lab.Decision) {
	q, _ := l.load(a.Key, a.Seen, a.At)
	before := q.costs.held()
	if q.costs != nil {
		q.costs.drop(q.inside)
	}
	verdict, wait, retry := lab.Allow, time.Duration(0), time.Duration(0)
	switch {
	case a.Cost > l.policy.Queue:
		verdict = lab.Never
	case q.inside+a.Cost > l.policy.Queue:
		verdict, retry = lab.Refuse, l.until(q.inside+a.Cost-l.policy.Queue, q, 0)
	default:
		if wait = l.accept(&q, a.Cost); wait > 0 {
			verdict = lab.Delay
		}
	}
	*l.queues.at(a.Key) = q
	l.entries += q.costs.held() - before
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, wait, retry
	d.Remaining, d.Reset = l.quota(q, 0)
}

// accept puts a request into the bucket and says how long it waits there.
func (l *leakyBucket) accept(q *queue, cost int64) time.Duration {
	if q.costs == nil && cost != 1 {
		q.costs = new(costs)
	}
	if q.costs != nil {
		q.costs.add(cost)
	}
	q.inside += cost
	before := q.busy
	q.busy = q.busy.add(l.rate.requests(cost))
	if l.afterGap {
		return l.rate.time(q.busy)
	}
	return l.rate.time(before)
}

func (l *leakyBucket) quota(q queue, left int64) (remaining int64, reset time.Duration) {
	if q.inside == 0 {
		return l.policy.Queue, 0
	}
	return l.policy.Queue - q.inside, l.until(1, q, left)
}

func (l *leakyBucket) Explain(a *Arrival) lab.Arithmetic {
	q, _ := l.load(a.Key, a.Seen, a.At)
	why := counted("inside", q.inside, a, lab.FieldQueue, l.policy.Queue)
	if why.Holds {
		leaves := q.busy
		if l.afterGap {
			leaves = leaves.add(l.rate.requests(a.Cost))
		}
		wait := l.rate.ratTime(leaves)
		why.Then = append(why.Then,
			lab.Quantity{Name: "wait", Unit: lab.Nanoseconds, Value: wait},
			lab.Quantity{Name: "leaves", Unit: lab.Instant, Value: new(big.Rat).Add(wait, ratInt(int64(a.At)))})
	}
	return why
}

func (l *leakyBucket) State(k Key, seen, at lab.Time) lab.State {
	q, left := l.load(k, seen, at)
	s := lab.State{
		At: at, UsedMilli: q.inside * 1000, Of: l.policy.Queue, Count: q.inside,
		Next: at.Add(l.rate.time(q.busy)),
	}
	s.Remaining, s.Reset = l.quota(q, left)
	for q.inside > 0 && len(s.Entries) < lab.MaxEntries {
		wait := l.rate.time(l.leaves(1, q, left))
		s.Entries = append(s.Entries, at.Add(wait))
		// Whatever else leaves up to that instant leaves with it.
		passed := l.rate.earned(wait)
		if !passed.less(q.busy) {
			break
		}
		gaps := int64(q.busy.sub(passed).divUp(l.rate.den)) - 1
		n := l.leavers(q, left, gaps)
		q.inside, left = q.inside-n, left+n
	}
	return s
}

// Fresh: the outlet must be free as well, and nothing may leave at this very
// instant.
func (l *leakyBucket) Fresh(k Key, seen, at lab.Time) bool {
	q, _ := l.load(k, seen, at)
	return q.inside == 0 && q.busy.zero()
}

func (l *leakyBucket) Forget(k Key) {
	l.entries -= l.queues.get(k).costs.held()
	l.queues.clear(k)
}

func (l *leakyBucket) Clone() Limiters {
	c := *l
	c.queues = l.queues.clone()
	for _, page := range c.queues.list {
		for i := range page {
			if w := page[i].costs; w != nil {
				page[i].costs = &costs{slices.Clone(w.totals), w.before, w.head}
			}
		}
	}
	return &c
}

func (l *leakyBucket) Entries() int64 { return l.entries }

func (l *leakyBucket) EntriesOf(k Key) int64 { return l.queues.get(k).costs.held() }

func (l *leakyBucket) Held(n int) int64 { return int64(n)*32 + l.entries*8 }

func (l *leakyBucket) Bytes() int64 {
	n := l.queues.bytes()
	for _, page := range l.queues.list {
		for i := range page {
			if w := page[i].costs; w != nil {
				n += int64(cap(w.totals))*8 + 40
			}
		}
	}
	return n
}
