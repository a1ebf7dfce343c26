package bench

import (
	"math"
	"time"
	"unsafe"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// Score is the tally of one lane.
type Score struct {
	// Sent is the sum of Allowed, Delayed, Refused and Never, each a number of
	// requests.
	Sent, Allowed, Delayed, Refused, Never int64

	span        time.Duration
	busiest     costs
	busiestFrom lab.Time
	atLeast     bool
	longestWait time.Duration
	waits       waits

	shortestRetry, longestRetry time.Duration // 0 while nothing was refused

	recent  map[limit.Key]*recent
	most    int      // bounds held; 0 means no bound
	held    int      // what all of recent hold
	expired lab.Time // when all keys were last looked through
}

// recent is what one key had served in the last span, oldest first.
type recent struct {
	served []served // served[head:] lie within one span of the last
	head   int
	sum    costs
}

type served struct {
	at   lab.Time
	cost int64
}

// costs is a sum of costs, which are at most lab.MaxCount each, in two digits:
// it takes as many as fit in memory.
type costs struct{ high, low int64 }

func (c costs) plus(cost int64) costs {
	c.low += cost
	switch {
	case c.low >= lab.MaxCount:
		return costs{c.high + 1, c.low - lab.MaxCount}
	case c.low < 0:
		return costs{c.high - 1, c.low + lab.MaxCount}
	}
	return c
}

func (c costs) less(d costs) bool { return c.high < d.high || c.high == d.high && c.low < d.low }

func (c costs) int64() int64 {
	if c.high >= math.MaxInt64/lab.MaxCount {
		return math.MaxInt64
	}
	return c.high*lab.MaxCount + c.low
}

// NewScore returns an empty score that looks for the busiest span of that
// length. It holds at most so many served requests to find it, 16 bytes each; 0
// means as many as there are. When the spans of all keys together hold more, it
// forgets the oldest early, and the busiest span is only known to be at least as
// busy as it says: see [Score.AtLeast].
func NewScore(span time.Duration, most int) *Score {
	return &Score{span: span, most: most, expired: lab.MinTime, recent: map[limit.Key]*recent{}}
}

// Add counts a decision of this lane on a request of a cost. The key's number
// tells keys apart.
func (s *Score) Add(k limit.Key, cost int64, d *lab.Decision) {
	s.Sent++
	switch d.Verdict {
	case lab.Refuse:
		if s.Refused == 0 || d.RetryAfter < s.shortestRetry {
			s.shortestRetry = d.RetryAfter
		}
		s.longestRetry = max(s.longestRetry, d.RetryAfter)
		s.Refused++
		return
	case lab.Never:
		s.Never++
		return
	case lab.Delay:
		s.Delayed++
		s.longestWait = max(s.longestWait, d.Wait)
		s.waits.add(d.Wait)
	default:
		s.Allowed++
	}
	s.serve(k, d.At, d.Leaves(), cost)
}

// serve counts what reaches the service at an instant, as was decided at now.
func (s *Score) serve(k limit.Key, now, at lab.Time, cost int64) {
	w := s.recent[k]
	if w == nil {
		w = &recent{}
		s.recent[k] = w
	}
	s.held -= w.expire(at, s.span)
	if s.most > 0 && s.held >= s.most && !s.makeRoom(w, now) {
		return
	}
	if w.head*2 > len(w.served) {
		w.served, w.head = append(w.served[:0], w.served[w.head:]...), 0
	}
	w.served = append(w.served, served{at, cost})
	w.sum = w.sum.plus(cost)
	s.held++
	if s.busiest.less(w.sum) {
		s.busiest, s.busiestFrom = w.sum, w.served[w.head].at
	}
}

// makeRoom forgets the oldest of w's requests when all keys together hold as
// many as they may, and says whether there is room now.
func (s *Score) makeRoom(w *recent, now lab.Time) bool {
	// Other keys may hold what has long left their spans: nothing more reaches
	// the service before now. Looking again before a span has passed would find
	// little for much work.
	if now.Sub(s.expired) >= s.span {
		s.expired = now
		for _, other := range s.recent {
			s.held -= other.expire(now, s.span)
		}
		if s.held < s.most {
			return true
		}
	}
	s.atLeast = true
	if w.empty() {
		return false
	}
	w.forgetOldest()
	s.held--
	return true
}

// expire forgets what lies a span or more before at, and says how many those
// were.
func (w *recent) expire(at lab.Time, span time.Duration) (n int) {
	for !w.empty() && at.Sub(w.served[w.head].at) >= span {
		w.forgetOldest()
		n++
	}
	if w.empty() && cap(w.served) > maxEmpty {
		w.served, w.head = nil, 0
	}
	return n
}

// maxEmpty is for how many requests an empty window keeps its room.
const maxEmpty = 64

func (w *recent) empty() bool { return w.head == len(w.served) }

func (w *recent) forgetOldest() {
	w.sum = w.sum.plus(-w.served[w.head].cost)
	w.head++
}

func (s *Score) fresh(k limit.Key, at lab.Time) bool {
	w := s.recent[k]
	return w == nil || w.empty() || at.Sub(w.served[len(w.served)-1].at) >= s.span
}

func (s *Score) forget(k limit.Key) {
	if w := s.recent[k]; w != nil {
		s.held -= len(w.served) - w.head
		delete(s.recent, k)
	}
}

// Span is the length of the busiest span that is looked for.
func (s *Score) Span() time.Duration { return s.span }

// Served is how many requests reached the service, or will.
func (s *Score) Served() int64 { return s.Allowed + s.Delayed }

// Busiest is the largest cost that the service got from one key within any
// half-open span [t, t + Span), and where the first such span starts. A delayed
// request counts when it leaves. A cost beyond an int64, of ten million requests
// of the greatest cost, is told as the greatest int64.
func (s *Score) Busiest() (cost int64, from lab.Time) { return s.busiest.int64(), s.busiestFrom }

// AtLeast says that the busiest span may be busier than [Score.Busiest] says,
// because more requests were served within a span than the score holds.
func (s *Score) AtLeast() bool { return s.atLeast }

// Bytes is about what the score takes. It looks at every key.
func (s *Score) Bytes() int64 {
	n := int64(len(s.waits.counts)) * 40
	for _, w := range s.recent {
		n += 96 + int64(cap(w.served))*int64(unsafe.Sizeof(served{}))
	}
	return n
}

// RetryAfter is the shortest and the longest wait that refused requests were
// told, counted from the instants at which they were decided; 0 and 0 when none
// was refused.
func (s *Score) RetryAfter() (shortest, longest time.Duration) {
	return s.shortestRetry, s.longestRetry
}

// LongestWait is the longest that a delayed request waits.
func (s *Score) LongestWait() time.Duration { return s.longestWait }

// Wait is the p-th percentile of the waits of all served requests, by nearest
// rank: the smallest wait that at least p % of them do not exceed. 0 when
// nothing was served. It is exact until more than 16,384 different waits were
// seen, and then rounded up by less than 0.1 %, never over the longest.
func (s *Score) Wait(p int) time.Duration {
	served := s.Served()
	rank := (served*int64(p) + 99) / 100
	if rank <= s.Allowed {
		return 0
	}
	return min(s.waits.rank(rank-s.Allowed), s.longestWait)
}

// Clone returns an independent copy.
func (s *Score) Clone() *Score {
	c := *s
	c.waits = s.waits.clone()
	c.recent = make(map[limit.Key]*recent, len(s.recent))
	for k, w := range s.recent {
		c.recent[k] = &recent{append([]served(nil), w.served[w.head:]...), 0, w.sum}
	}
	return &c
}

// PerSecond counts instants by the second in which they lie.
type PerSecond map[int64]int64

// Add counts t.
func (p PerSecond) Add(t lab.Time) {
	second := int64(t) / int64(time.Second)
	if int64(t)%int64(time.Second) < 0 {
		second--
	}
	p[second]++
}
