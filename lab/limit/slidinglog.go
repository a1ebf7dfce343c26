package limit

import (
	"sort"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// slidingLog keeps the time of every request that it let through in the last
// per. Entries at or before t − per are dropped; a request of cost c passes if
// the costs in the log + c ≤ limit, so no span of per ever holds more than limit.
//
// It keeps 8 bytes per entry and 32 per key. Costs are kept beside the times, in
// 8 more bytes per entry, only for keys whose log holds a cost other than 1.
type slidingLog struct {
	policy  lab.Policy
	logs    pages[ring]
	weights map[Key]*weights
}

// ring is a log's times, oldest first: n of them from head on.
type ring struct {
	times   []lab.Time
	head, n uint32
}

// weights are the running totals of the costs of a ring's entries, in the
// ring's slots, and the total before the oldest entry.
type weights struct {
	totals []uint64
	before uint64
}

// entries is a key's log at an instant.
type entries struct {
	ring
	costs  *weights // nil when every cost is 1
	before uint64
}

func newSlidingLog(p lab.Policy) *slidingLog {
	return &slidingLog{policy: p, weights: map[Key]*weights{}}
}

func (l *slidingLog) Policy() lab.Policy { return l.policy }

func (r *ring) slot(i uint32) int {
	s := int(r.head) + int(i)
	if s >= len(r.times) {
		s -= len(r.times)
	}
	return s
}

// load is k's log without the entries that have left it. It changes nothing.
func (l *slidingLog) load(k Key, at lab.Time) entries {
	e := entries{ring: l.logs.get(k)}
	if e.n == 0 {
		return e
	}
	if len(l.weights) != 0 {
		if e.costs = l.weights[k]; e.costs != nil {
			e.before = e.costs.before
		}
	}
	for leaves := at.Add(-l.policy.Per); e.n > 0 && e.times[e.head] <= leaves; e.n-- {
		if e.costs != nil {
			e.before = e.costs.totals[e.head]
		}
		if e.head++; int(e.head) == len(e.times) {
			e.head = 0
		}
	}
	return e
}

// sum is the costs in the log.
func (e *entries) sum() int64 {
	if e.costs == nil || e.n == 0 {
		return int64(e.n)
	}
	return int64(e.costs.totals[e.slot(e.n-1)] - e.before)
}

// leaver is the time of the entry with which the costs that have left reach n.
func (e *entries) leaver(n int64) lab.Time {
	if e.costs == nil {
		return e.times[e.slot(uint32(n-1))]
	}
	i := sort.Search(int(e.n), func(i int) bool { return int64(e.costs.totals[e.slot(uint32(i))]-e.before) >= n })
	return e.times[e.slot(uint32(i))]
}

// until is how long until at least n requests remain, given that fewer do now.
func (l *slidingLog) until(n int64, e *entries, at lab.Time) time.Duration {
	return e.leaver(e.sum() + n - l.policy.Limit).Add(l.policy.Per).Sub(at)
}

func (l *slidingLog) store(k Key, e *entries) {
	if e.costs != nil {
		if e.n == 0 {
			delete(l.weights, k)
		} else {
			e.costs.before = e.before
		}
	}
	*l.logs.at(k) = e.ring
}

// push adds an entry, making room for it, and the costs' totals when it is the
// first of another cost than 1.
func (l *slidingLog) push(k Key, e *entries, at lab.Time, cost int64) {
	if int(e.n) == len(e.times) {
		// A log never holds more entries than the limit, so a full one has no
		// slack.
		room := min(int64(e.n)+int64(e.n)/4+4, l.policy.Limit)
		times := make([]lab.Time, room)
		var totals []uint64
		if e.costs != nil {
			totals = make([]uint64, room)
		}
		for i := range e.n {
			times[i] = e.times[e.slot(i)]
			if totals != nil {
				totals[i] = e.costs.totals[e.slot(i)]
			}
		}
		e.times, e.head = times, 0
		if totals != nil {
			e.costs.totals = totals
		}
	}
	if cost != 1 && (e.costs == nil || e.n == 0) {
		e.costs, e.before = &weights{totals: make([]uint64, len(e.times))}, 0
		for i := range e.n {
			e.costs.totals[e.slot(i)] = uint64(i) + 1
		}
		l.weights[k] = e.costs
	}
	sum := e.before + uint64(e.sum())
	e.n++
	last := e.slot(e.n - 1)
	e.times[last] = at
	if e.costs != nil {
		e.costs.totals[last] = sum + uint64(cost)
	}
}

func (l *slidingLog) Decide(a *Arrival, d *lab.Decision) {
	e := l.load(a.Key, a.At)
	if e.n == 0 && e.costs != nil {
		delete(l.weights, a.Key)
		e.costs, e.before = nil, 0
	}
	verdict, retry := lab.Allow, time.Duration(0)
	sum := e.sum()
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case sum+a.Cost > l.policy.Limit:
		verdict, retry = lab.Refuse, l.until(a.Cost, &e, a.At)
	default:
		l.push(a.Key, &e, a.At, a.Cost)
		sum += a.Cost
	}
	l.store(a.Key, &e)
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = l.quota(&e, sum, a.At)
}

func (l *slidingLog) quota(e *entries, sum int64, at lab.Time) (remaining int64, reset time.Duration) {
	if sum == 0 {
		return l.policy.Limit, 0
	}
	return l.policy.Limit - sum, e.times[e.head].Add(l.policy.Per).Sub(at)
}

func (l *slidingLog) Explain(a *Arrival) lab.Arithmetic {
	e := l.load(a.Key, a.At)
	return counted("in the log", e.sum(), a, lab.FieldLimit, l.policy.Limit)
}

func (l *slidingLog) State(k Key, _, at lab.Time) lab.State {
	e := l.load(k, at)
	s := lab.State{At: at, UsedMilli: e.sum() * 1000, Of: l.policy.Limit, Count: e.sum()}
	s.Remaining, s.Reset = l.quota(&e, e.sum(), at)
	for i := range min(e.n, lab.MaxEntries) {
		s.Entries = append(s.Entries, e.times[e.slot(i)].Add(l.policy.Per))
	}
	return s
}

func (l *slidingLog) Fresh(k Key, _, at lab.Time) bool {
	e := l.load(k, at)
	return e.n == 0
}

func (l *slidingLog) Forget(k Key) {
	l.logs.clear(k)
	delete(l.weights, k)
}

func (l *slidingLog) Clone() Limiters {
	c := &slidingLog{l.policy, l.logs.clone(), make(map[Key]*weights, len(l.weights))}
	for _, page := range c.logs.list {
		for i := range page {
			page[i].times = append([]lab.Time(nil), page[i].times...)
		}
	}
	for k, w := range l.weights {
		c.weights[k] = &weights{append([]uint64(nil), w.totals...), w.before}
	}
	return c
}

func (l *slidingLog) Bytes() int64 {
	n := l.logs.bytes()
	for _, page := range l.logs.list {
		for i := range page {
			n += int64(cap(page[i].times)) * 8
		}
	}
	for _, w := range l.weights {
		n += int64(cap(w.totals))*8 + 48
	}
	return n
}
