package limit

import (
	"slices"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// concurrency limits the requests in progress: one is in progress from t until
// t + service time, not at that instant any more. A request of cost c passes if
// the costs in progress + c ≤ limit.
//
// It keeps 16 bytes for every instant at which a request ends, and 40 per key.
type concurrency struct {
	policy lab.Policy
	states pages[progress]
	ends   int64 // of all keys
}

// progress is what a key has in progress: ends[head:] in order of time.
type progress struct {
	ends []ending
	head uint32
	sum  int64 // the costs in progress
}

type ending struct {
	at   lab.Time
	cost int64
}

func newConcurrency(p lab.Policy) *concurrency { return &concurrency{policy: p} }

func (l *concurrency) Policy() lab.Policy { return l.policy }

func (s *progress) held() int64 { return int64(len(s.ends)) - int64(s.head) }

// expire drops what has ended at an instant.
func (s *progress) expire(at lab.Time) {
	for s.sum > 0 && s.ends[s.head].at <= at {
		s.sum -= s.ends[s.head].cost
		s.head++
	}
}

// look is what k has in progress at an instant, in a copy.
func (l *concurrency) look(k Key, at lab.Time) progress {
	s := l.states.get(k)
	s.expire(at)
	return s
}

func (s *progress) add(end lab.Time, cost int64) {
	s.sum += cost
	// What has ended leaves room at the front; it is taken back once it is half
	// of the list, so that every entry moves once.
	if int(s.head)*2 >= len(s.ends) {
		s.ends = append(s.ends[:0], s.ends[s.head:]...)
		s.head = 0
	}
	i, found := slices.BinarySearchFunc(s.ends[s.head:], end, func(e ending, t lab.Time) int {
		return int(min(1, max(-1, e.at-t)))
	})
	i += int(s.head)
	if found {
		s.ends[i].cost += cost
		return
	}
	s.ends = slices.Insert(s.ends, i, ending{end, cost})
}

// until is how long until at least n requests remain, given that fewer do now.
func (l *concurrency) until(n int64, s *progress, at lab.Time) time.Duration {
	over := s.sum + n - l.policy.Limit
	i := s.head
	for ; over > s.ends[i].cost; i++ {
		over -= s.ends[i].cost
	}
	return s.ends[i].at.Sub(at)
}

func (l *concurrency) Decide(a *Arrival, d *lab.Decision) {
	s := l.states.at(a.Key)
	before := s.held()
	s.expire(a.At)
	verdict, retry := lab.Allow, time.Duration(0)
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case s.sum+a.Cost > l.policy.Limit:
		verdict, retry = lab.Refuse, l.until(a.Cost, s, a.At)
	case a.Service > 0:
		s.add(a.At.Add(a.Service), a.Cost)
	}
	l.ends += s.held() - before
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = l.quota(s, a.At)
}

func (l *concurrency) quota(s *progress, at lab.Time) (remaining int64, reset time.Duration) {
	if s.sum == 0 {
		return l.policy.Limit, 0
	}
	return l.policy.Limit - s.sum, s.ends[s.head].at.Sub(at)
}

func (l *concurrency) Explain(a *Arrival) lab.Arithmetic {
	s := l.look(a.Key, a.At)
	return counted("in progress", s.sum, a, lab.FieldLimit, l.policy.Limit)
}

func (l *concurrency) State(k Key, _, at lab.Time) lab.State {
	p := l.look(k, at)
	s := lab.State{At: at, UsedMilli: p.sum * 1000, Of: l.policy.Limit, Count: p.sum}
	s.Remaining, s.Reset = l.quota(&p, at)
	if p.sum > 0 {
		for _, e := range p.ends[p.head:] {
			for range min(e.cost, lab.MaxEntries-int64(len(s.Entries))) {
				s.Entries = append(s.Entries, e.at)
			}
		}
	}
	return s
}

func (l *concurrency) Fresh(k Key, _, at lab.Time) bool {
	s := l.look(k, at)
	return s.sum == 0
}

func (l *concurrency) Forget(k Key) {
	s := l.states.get(k)
	l.ends -= s.held()
	l.states.clear(k)
}

func (l *concurrency) Clone() Limiters {
	c := &concurrency{l.policy, l.states.clone(), l.ends}
	for _, page := range c.states.list {
		for i := range page {
			page[i].ends = slices.Clone(page[i].ends)
		}
	}
	return c
}

func (l *concurrency) Entries() int64 { return l.ends }

func (l *concurrency) Held(n int) int64 {
	held := int64(n) * 40
	for _, page := range l.states.list {
		for i := range page {
			held += int64(len(page[i].ends)-int(page[i].head)) * 16
		}
	}
	return held
}

func (l *concurrency) Bytes() int64 {
	n := l.states.bytes()
	for _, page := range l.states.list {
		for i := range page {
			n += int64(cap(page[i].ends)) * 16
		}
	}
	return n
}
