package limit

import (
	"slices"
	"sort"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// concurrency limits the requests in progress: one is in progress from t until
// t + service time, not at that instant any more. A request of cost c passes if
// the costs in progress + c ≤ limit.
//
// It keeps 16 bytes for every instant at which a request ends, and 48 per key. Of
// a key with many of them the later ones lie in blocks, so that a new ending moves
// no more than one block, and what a refused request waits for is found block by
// block. Held leaves the blocks' headers out: a quarter of a byte an ending.
type concurrency struct {
	policy lab.Policy
	states pages[progress]
	ends   int64 // of all keys
}

// progress is what a key has in progress: ends[head:] and then later[gone:], in
// order of time. While anything is in progress, ends[head] is what ends next.
type progress struct {
	ends       []ending
	later      *[]block // nil until they are needed
	head, gone uint32
	sum        int64 // the costs in progress
}

type ending struct {
	at   lab.Time
	cost int64
}

// block is fewer than blockSize endings, and the sum of their costs.
type block struct {
	ends []ending
	sum  int64
}

const blockSize = 256

func newConcurrency(p lab.Policy) *concurrency { return &concurrency{policy: p} }

func (l *concurrency) Policy() lab.Policy { return l.policy }

func (s *progress) blocks() []block {
	if s.later == nil {
		return nil
	}
	return (*s.later)[s.gone:]
}

// due says whether something in progress has ended at an instant.
func (s *progress) due(at lab.Time) bool { return s.sum > 0 && s.ends[s.head].at <= at }

// expire drops what has ended at an instant and says how many endings that were.
// It changes nothing that a copy of s shares.
func (s *progress) expire(at lab.Time) (ended int64) {
	for s.due(at) {
		s.sum -= s.ends[s.head].cost
		s.head++
		ended++
		if int(s.head) < len(s.ends) {
			continue
		}
		if s.sum > 0 {
			s.ends, s.head = s.blocks()[0].ends, 0
			s.gone++
		} else if cap(s.ends) > spare {
			*s = progress{}
		}
	}
	return ended
}

// look is what k has in progress at an instant, in a copy.
func (l *concurrency) look(k Key, at lab.Time) progress {
	s := l.states.get(k)
	s.expire(at)
	return s
}

// add notes when a request ends, and says whether that is one ending more.
func (s *progress) add(end lab.Time, cost int64) bool {
	s.sum += cost
	// What has ended leaves room at the front; it is taken back once it is half
	// of the list, so that every entry moves about once.
	if int(s.head)*2 >= len(s.ends) {
		s.ends = append(s.ends[:0], s.ends[s.head:]...)
		s.head = 0
	}
	list, from, n := &s.ends, int(s.head), 0
	if s.later != nil {
		if int(s.gone)*2 >= len(*s.later) {
			*s.later = slices.Delete(*s.later, 0, int(s.gone))
			s.gone = 0
		}
		later := s.blocks()
		if n = sort.Search(len(later), func(i int) bool { return later[i].ends[0].at > end }); n > 0 {
			later[n-1].sum += cost
			list, from = &later[n-1].ends, 0
		}
	}
	i := len(*list)
	if i == from || (*list)[i-1].at < end { // as most do: they end in order
		*list = append(*list, ending{end, cost})
	} else {
		i = from + sort.Search(i-from, func(i int) bool { return (*list)[from+i].at >= end })
		if (*list)[i].at == end {
			(*list)[i].cost += cost
			return false
		}
		*list = slices.Insert(*list, i, ending{end, cost})
	}
	if len(*list)-from == blockSize {
		s.split(n, from, i)
	}
	return true
}

// split moves the upper half of a list that has become too long, the n-th after
// ends, to a block of its own; or only the ending at added when that is the last
// of all, so that endings that come in order fill their blocks.
func (s *progress) split(n, from, added int) {
	later, list := s.blocks(), &s.ends
	if n > 0 {
		list = &later[n-1].ends
	}
	keep := from + blockSize/2
	if n == len(later) && added == len(*list)-1 {
		keep = added
	}
	upper := block{ends: append(make([]ending, 0, blockSize), (*list)[keep:]...)}
	for _, e := range upper.ends {
		upper.sum += e.cost
	}
	*list = (*list)[:keep]
	if n > 0 {
		later[n-1].sum -= upper.sum
	} else if s.later == nil {
		s.later = new([]block)
	}
	*s.later = slices.Insert(*s.later, int(s.gone)+n, upper)
}

// until is how long until at least n requests remain, given that fewer do now.
func (l *concurrency) until(n int64, s *progress, at lab.Time) time.Duration {
	over := s.sum + n - l.policy.Limit
	for list, next := s.ends[s.head:], 0; ; next++ {
		for _, e := range list {
			if over -= e.cost; over <= 0 {
				return e.at.Sub(at)
			}
		}
		for over > s.blocks()[next].sum {
			over -= s.blocks()[next].sum
			next++
		}
		list = s.blocks()[next].ends
	}
}

func (l *concurrency) Decide(a *Arrival, d *lab.Decision) {
	s := l.states.at(a.Key)
	if s.due(a.At) {
		l.ends -= s.expire(a.At)
	}
	verdict, retry := lab.Allow, time.Duration(0)
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case s.sum+a.Cost > l.policy.Limit:
		verdict, retry = lab.Refuse, l.until(a.Cost, s, a.At)
	case a.Service > 0:
		if s.add(a.At.Add(a.Service), a.Cost) {
			l.ends++
		}
	}
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
	list, later := p.ends[p.head:], p.blocks()
	for len(list) > 0 && len(s.Entries) < lab.MaxEntries {
		s.Entries = append(s.Entries, list[0].at)
		if list = list[1:]; len(list) == 0 && len(later) > 0 {
			list, later = later[0].ends, later[1:]
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

// held is how many endings s has in progress.
func (s *progress) held() int64 {
	n := int64(len(s.ends)) - int64(s.head)
	for _, b := range s.blocks() {
		n += int64(len(b.ends))
	}
	return n
}

func (l *concurrency) Clone() Limiters {
	c := &concurrency{l.policy, l.states.clone(), l.ends}
	for _, page := range c.states.list {
		for i := range page {
			s := &page[i]
			s.ends = slices.Clone(s.ends)
			if s.later == nil {
				continue
			}
			later := slices.Clone(s.blocks())
			for j := range later {
				later[j].ends = append(make([]ending, 0, cap(later[j].ends)), later[j].ends...)
			}
			s.later, s.gone = &later, 0
		}
	}
	return c
}

func (l *concurrency) Entries() int64 { return l.ends }

func (l *concurrency) EntriesOf(k Key) int64 {
	s := l.states.get(k)
	return s.held()
}

func (l *concurrency) Held(n int) int64 { return int64(n)*48 + l.ends*16 }

func (l *concurrency) Bytes() int64 {
	n := l.states.bytes()
	for _, page := range l.states.list {
		for i := range page {
			n += int64(cap(page[i].ends)) * 16
			if page[i].later == nil {
				continue
			}
			n += int64(cap(*page[i].later))*32 + 24
			for _, b := range *page[i].later {
				n += int64(cap(b.ends)) * 16
			}
		}
	}
	return n
}
