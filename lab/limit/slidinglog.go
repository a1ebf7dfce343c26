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
// 8 more bytes per entry, only for keys that have had a cost other than 1.
type slidingLog struct {
	policy  lab.Policy
	logs    pages[ring]
	weights map[Key]*weights
	entries int64 // in all logs
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

// expire drops the entries that have left the log at an instant. W is the log's
// weights, nil when every cost is 1.
func (r *ring) expire(leaves lab.Time, w *weights) {
	for r.n > 0 && r.times[r.head] <= leaves {
		if w != nil {
			w.before = w.totals[r.head]
		}
		if r.head++; int(r.head) == len(r.times) {
			r.head = 0
		}
		r.n--
	}
}

// sum is the costs in the log.
func (r *ring) sum(w *weights) int64 {
	if w == nil || r.n == 0 {
		return int64(r.n)
	}
	return int64(w.totals[r.slot(r.n-1)] - w.before)
}

// leaver is the time of the entry with which the costs that have left reach n.
func (r *ring) leaver(n int64, w *weights) lab.Time {
	if w == nil {
		return r.times[r.slot(uint32(n-1))]
	}
	i := sort.Search(int(r.n), func(i int) bool { return int64(w.totals[r.slot(uint32(i))]-w.before) >= n })
	return r.times[r.slot(uint32(i))]
}

// grow makes room for one more entry. A log never holds more entries than
// most, so a full one has no slack.
func (r *ring) grow(most int64, w *weights) {
	room := min(int64(r.n)+int64(r.n)/4+4, most)
	times := make([]lab.Time, room)
	for i := range r.n {
		times[i] = r.times[r.slot(i)]
	}
	if w != nil {
		totals := make([]uint64, room)
		for i := range r.n {
			totals[i] = w.totals[r.slot(i)]
		}
		w.totals = totals
	}
	r.times, r.head = times, 0
}

// push adds an entry to k's log.
func (l *slidingLog) push(k Key, r *ring, w *weights, at lab.Time, cost int64) {
	if int(r.n) == len(r.times) {
		r.grow(l.policy.Limit, w)
	}
	if cost != 1 && w == nil {
		w = &weights{totals: make([]uint64, len(r.times))}
		for i := range r.n {
			w.totals[r.slot(i)] = uint64(i) + 1
		}
		l.weights[k] = w
	}
	sum := r.sum(w)
	r.n++
	last := r.slot(r.n - 1)
	r.times[last] = at
	if w != nil {
		w.totals[last] = w.before + uint64(sum+cost)
	}
}

// weightsOf is the weights of k's log, if it has any.
func (l *slidingLog) weightsOf(k Key) *weights {
	if len(l.weights) == 0 {
		return nil
	}
	return l.weights[k]
}

// look is k's log at an instant, its weights and the costs in it. The ring and
// the weights are copies, though they share what they hold.
func (l *slidingLog) look(k Key, at lab.Time) (r ring, w *weights, sum int64) {
	r = l.logs.get(k)
	if shared := l.weightsOf(k); shared != nil {
		copied := *shared
		w = &copied
	}
	r.expire(at.Add(-l.policy.Per), w)
	return r, w, r.sum(w)
}

func (l *slidingLog) Decide(a *Arrival, d *lab.Decision) {
	r, w := l.logs.at(a.Key), l.weightsOf(a.Key)
	before := r.n
	r.expire(a.At.Add(-l.policy.Per), w)
	if r.n == 0 && len(r.times) > spare {
		*r = ring{}
		if w != nil {
			w.totals = nil
		}
	}
	verdict, retry := lab.Allow, time.Duration(0)
	sum := r.sum(w)
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case sum+a.Cost > l.policy.Limit:
		leaver := r.leaver(sum+a.Cost-l.policy.Limit, w)
		verdict, retry = lab.Refuse, leaver.Add(l.policy.Per).Sub(a.At)
	default:
		l.push(a.Key, r, w, a.At, a.Cost)
		sum += a.Cost
	}
	l.entries += int64(r.n) - int64(before)
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = l.quota(r, sum, a.At)
}

func (l *slidingLog) quota(r *ring, sum int64, at lab.Time) (remaining int64, reset time.Duration) {
	if sum == 0 {
		return l.policy.Limit, 0
	}
	return l.policy.Limit - sum, r.times[r.head].Add(l.policy.Per).Sub(at)
}

func (l *slidingLog) Explain(a *Arrival) lab.Arithmetic {
	_, _, sum := l.look(a.Key, a.At)
	return counted("in the log", sum, a, lab.FieldLimit, l.policy.Limit)
}

func (l *slidingLog) State(k Key, _, at lab.Time) lab.State {
	r, _, sum := l.look(k, at)
	s := lab.State{At: at, UsedMilli: sum * 1000, Of: l.policy.Limit, Count: sum}
	s.Remaining, s.Reset = l.quota(&r, sum, at)
	for i := 0; i < int(r.n) && len(s.Entries) < lab.MaxEntries; {
		t := r.times[r.slot(uint32(i))]
		s.Entries = append(s.Entries, t.Add(l.policy.Per))
		i += sort.Search(int(r.n)-i, func(j int) bool { return r.times[r.slot(uint32(i+j))] > t })
	}
	return s
}

func (l *slidingLog) Fresh(k Key, _, at lab.Time) bool {
	r, _, _ := l.look(k, at)
	return r.n == 0
}

func (l *slidingLog) Forget(k Key) {
	l.entries -= int64(l.logs.get(k).n)
	l.logs.clear(k)
	delete(l.weights, k)
}

func (l *slidingLog) Clone() Limiters {
	c := &slidingLog{l.policy, l.logs.clone(), make(map[Key]*weights, len(l.weights)), l.entries}
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

func (l *slidingLog) Entries() int64 { return l.entries }

func (l *slidingLog) EntriesOf(k Key) int64 { return int64(l.logs.get(k).n) }

func (l *slidingLog) Held(n int) int64 {
	held := int64(n)*32 + l.entries*8
	for k := range l.weights {
		held += int64(l.logs.get(k).n) * 8
	}
	return held
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
