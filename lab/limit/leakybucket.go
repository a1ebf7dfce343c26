package limit

import (
	"math/big"
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
// the costs; the costs themselves are kept, 8 bytes a request inside, only for
// keys that have a cost other than 1 inside.
type leakyBucket struct {
	policy   lab.Policy
	rate     rate
	afterGap bool
	queues   pages[queue]
	entries  int64 // in the lists of costs of all keys
}

// queue is what is inside one key's bucket, told at an instant.
type queue struct {
	// busy is the time until the outlet is free (immediate) or until the last
	// request leaves (after-gap), in the rate's units.
	busy wide
	// inside is the costs inside.
	inside int64
	costs  *costs // nil when every cost inside is 1
}

// costs are those inside a bucket, in the order of leaving: list[head:].
type costs struct {
	list []int64
	head int
}

func newLeakyBucket(p lab.Policy) *leakyBucket {
	return &leakyBucket{policy: p, rate: rateOf(p), afterGap: p.First == lab.FirstAfterGap}
}

func (l *leakyBucket) Policy() lab.Policy { return l.policy }

func (c *costs) held() int64 {
	if c == nil {
		return 0
	}
	return int64(len(c.list) - c.head)
}

// load is k's bucket at an instant, without what has left it, and how many of
// its costs' list have left. It changes nothing.
func (l *leakyBucket) load(k Key, seen, at lab.Time) (q queue, left int) {
	q = l.queues.get(k)
	if q.busy.zero() && q.inside == 0 {
		return q, 0
	}
	earned := l.rate.earned(at.Sub(seen))
	if q.busy.less(earned) {
		return queue{}, 0
	}
	q.busy = q.busy.sub(earned)
	if q.costs == nil {
		if q.inside > 0 {
			n, _ := l.rate.whole(q.busy)
			if l.afterGap {
				n++
			}
			q.inside = min(q.inside, n)
		}
		return q, 0
	}
	list := q.costs.list[q.costs.head:]
	for left < len(list) && q.busy.less(l.rate.requests(l.behind(q.inside, list[left]))) {
		q.inside -= list[left]
		left++
	}
	return q, left
}

// behind is how many gaps before the end of busy a request leaves, when inside
// costs are inside from it on and its own is cost.
func (l *leakyBucket) behind(inside, cost int64) int64 {
	if l.afterGap {
		return inside - cost
	}
	return inside
}

// until is how long until costs of at least n have left; n is at most inside.
// A request that leaves at an instant is still inside at it, hence the one
// nanosecond more.
func (l *leakyBucket) until(n int64, q queue, left int) time.Duration {
	inside, cost := q.inside-n+1, int64(1)
	if q.costs != nil {
		inside = q.inside
		for _, cost = range q.costs.list[q.costs.head+left:] {
			if n -= cost; n <= 0 {
				break
			}
			inside -= cost
		}
	}
	wait, _ := q.busy.sub(l.rate.requests(l.behind(inside, cost))).div(l.rate.num)
	return time.Duration(wait) + 1
}

func (l *leakyBucket) Decide(a *Arrival, d *lab.Decision) {
	before := l.queues.at(a.Key).costs.held()
	q, left := l.load(a.Key, a.Seen, a.At)
	verdict, wait, retry := lab.Allow, time.Duration(0), time.Duration(0)
	switch {
	case a.Cost > l.policy.Queue:
		verdict = lab.Never
	case q.inside+a.Cost > l.policy.Queue:
		verdict, retry = lab.Refuse, l.until(q.inside+a.Cost-l.policy.Queue, q, left)
	default:
		if wait = l.accept(&q, &left, a.Cost); wait > 0 {
			verdict = lab.Delay
		}
	}
	if q.costs != nil {
		q.costs.head += left
		left = 0
		if q.inside == 0 {
			q.costs = nil
		}
	}
	*l.queues.at(a.Key) = q
	l.entries += q.costs.held() - before
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, wait, retry
	d.Remaining, d.Reset = l.quota(q, left)
}

// accept puts a request into the bucket and says how long it waits there.
func (l *leakyBucket) accept(q *queue, left *int, cost int64) time.Duration {
	if q.inside == 0 {
		q.costs, *left = nil, 0
	}
	if cost != 1 && q.costs == nil {
		q.costs = &costs{list: make([]int64, q.inside, q.inside+4)}
		for i := range q.costs.list {
			q.costs.list[i] = 1
		}
	}
	if c := q.costs; c != nil {
		c.head, *left = c.head+*left, 0
		if c.head*2 > len(c.list) {
			c.list, c.head = append(c.list[:0], c.list[c.head:]...), 0
		}
		c.list = append(c.list, cost)
	}
	q.inside += cost
	before := q.busy
	q.busy = q.busy.add(l.rate.requests(cost))
	if l.afterGap {
		return l.rate.time(q.busy)
	}
	return l.rate.time(before)
}

func (l *leakyBucket) quota(q queue, left int) (remaining int64, reset time.Duration) {
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
	for n := int64(1); n <= q.inside && len(s.Entries) < lab.MaxEntries; n++ {
		s.Entries = append(s.Entries, at.Add(l.until(n, q, left)-1))
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
				page[i].costs = &costs{append([]int64(nil), w.list...), w.head}
			}
		}
	}
	return &c
}

func (l *leakyBucket) Entries() int64 { return l.entries }

func (l *leakyBucket) Held(n int) int64 {
	held := int64(n) * 32
	for _, page := range l.queues.list {
		for i := range page {
			if w := page[i].costs; w != nil {
				held += int64(len(w.list)-w.head) * 8
			}
		}
	}
	return held
}

func (l *leakyBucket) Bytes() int64 {
	n := l.queues.bytes()
	for _, page := range l.queues.list {
		for i := range page {
			if w := page[i].costs; w != nil {
				n += int64(cap(w.list))*8 + 32
			}
		}
	}
	return n
}
