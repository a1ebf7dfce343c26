package limit

import (
	"math/big"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// slidingCounter estimates a sliding window from the counts of two fixed ones.
// With e the time into the window, estimate = previous × (per − e) / per + count,
// and a request of cost c passes if estimate + (c − 1) < limit. The previous
// count is 0 unless that window is the one just before.
//
// It keeps 24 bytes per key: the window's start and two counts.
type slidingCounter struct {
	policy lab.Policy
	grid   grid
	states pages[twoCounts]
}

type twoCounts struct {
	start           lab.Time
	count, previous int64
}

func newSlidingCounter(p lab.Policy) *slidingCounter {
	return &slidingCounter{policy: p, grid: grid{per: p.Per}}
}

func (l *slidingCounter) Policy() lab.Policy { return l.policy }

func (l *slidingCounter) load(k Key, at lab.Time) twoCounts {
	s := l.states.get(k)
	switch start := l.grid.window(at); start {
	case s.start:
		return s
	case s.start.Add(l.policy.Per):
		return twoCounts{start: start, previous: s.count}
	default:
		return twoCounts{start: start}
	}
}

// weighted is previous × (per − e), the previous window's share in units of
// 1/per request.
func (l *slidingCounter) weighted(s twoCounts, at lab.Time) wide {
	return mul(uint64(s.previous), uint64(l.policy.Per-at.Sub(s.start)))
}

// remaining is the most requests of cost 1 that pass at this instant: the
// largest c for which estimate + (c − 1) < limit.
func (l *slidingCounter) remaining(s twoCounts, at lab.Time) int64 {
	n := l.policy.Limit - s.count
	if s.previous != 0 {
		share, _ := l.weighted(s, at).div(uint64(l.policy.Per))
		n -= int64(share)
	}
	return max(0, n)
}

// until is the smallest wait after which at least n requests remain, given that
// fewer do now. Within a window the estimate only falls, so it looks in this
// window, then in the next, where today's count is the previous one; in the
// window after that everything is forgotten.
func (l *slidingCounter) until(n int64, s twoCounts, at lab.Time) time.Duration {
	per := l.policy.Per
	e := at.Sub(s.start)
	if left, ok := l.share(l.policy.Limit-s.count-n+1, s.previous); ok {
		return per - left - e
	}
	room := l.policy.Limit - n + 1
	if s.count < room {
		return per - e
	}
	if left, ok := l.share(room, s.count); ok {
		return per - e + per - left
	}
	return per - e + per
}

// share is the longest rest of a window during which previous × rest / per <
// room, if there is one before the window ends. Previous must be at least room.
func (l *slidingCounter) share(room, previous int64) (rest time.Duration, ok bool) {
	if room < 1 {
		return 0, false
	}
	rest = time.Duration(mul(uint64(room), uint64(l.policy.Per)).divUp(uint64(previous))) - 1
	return rest, rest > 0
}

func (l *slidingCounter) Decide(a *Arrival, d *lab.Decision) {
	s := l.load(a.Key, a.At)
	verdict, retry := lab.Allow, time.Duration(0)
	remaining := l.remaining(s, a.At)
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case a.Cost > remaining:
		verdict, retry = lab.Refuse, l.until(a.Cost, s, a.At)
	default:
		s.count += a.Cost
		remaining -= a.Cost
		*l.states.at(a.Key) = s
	}
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = remaining, 0
	if remaining < l.policy.Limit {
		d.Reset = l.until(remaining+1, s, a.At)
	}
}

func (l *slidingCounter) Explain(a *Arrival) lab.Arithmetic {
	s := l.load(a.Key, a.At)
	per := big.NewInt(int64(l.policy.Per))
	value := new(big.Rat).SetFrac(l.weighted(s, a.At).big(), per)
	value.Add(value, ratInt(s.count+a.Cost-1))
	limit := lab.Quantity{Name: "limit", Unit: lab.Requests, Value: ratInt(l.policy.Limit)}
	why := lab.Arithmetic{
		Left: []lab.Term{
			{Quantity: lab.Quantity{Name: "previous", Unit: lab.Requests, Value: ratInt(s.previous)}},
			{Sign: lab.Times, Quantity: lab.Quantity{Name: "rest of window", Unit: lab.Nanoseconds, Value: ratInt(int64(l.policy.Per - a.At.Sub(s.start)))}},
			{Sign: lab.Over, Quantity: lab.Quantity{Name: "per", Unit: lab.Nanoseconds, Value: new(big.Rat).SetInt(per)}},
			{Sign: lab.Plus, Quantity: lab.Quantity{Name: "current", Unit: lab.Requests, Value: ratInt(s.count)}},
		},
		Value:      lab.Quantity{Name: "estimate", Unit: lab.Requests, Value: value},
		Op:         lab.Less,
		Right:      []lab.Term{{Quantity: limit}},
		RightValue: limit,
		Holds:      value.Cmp(limit.Value) < 0,
	}
	if a.Cost > 1 {
		why.Left = append(why.Left, lab.Term{Sign: lab.Plus, Quantity: lab.Quantity{Name: "cost − 1", Unit: lab.Requests, Value: ratInt(a.Cost - 1)}})
	}
	if why.Holds {
		why.Then = []lab.Quantity{{Name: "current", Unit: lab.Requests, Value: ratInt(s.count + a.Cost)}}
	}
	return why
}

func (l *slidingCounter) State(k Key, _, at lab.Time) lab.State {
	c := l.load(k, at)
	part, rest := l.weighted(c, at).div(uint64(l.policy.Per))
	milli, _ := mul(rest, 1000).div(uint64(l.policy.Per))
	s := lab.State{
		At: at, UsedMilli: (int64(part)+c.count)*1000 + int64(milli), Of: l.policy.Limit, Remaining: l.remaining(c, at),
		WindowStart: c.start, WindowEnd: c.start.Add(l.policy.Per), Count: c.count, Previous: c.previous,
	}
	if s.Remaining < s.Of {
		s.Reset = l.until(s.Remaining+1, c, at)
	}
	return s
}

func (l *slidingCounter) Fresh(k Key, _, at lab.Time) bool {
	s := l.load(k, at)
	return s.count == 0 && s.previous == 0
}

func (l *slidingCounter) Forget(k Key) { l.states.clear(k) }

func (l *slidingCounter) Clone() Limiters {
	c := *l
	c.states = l.states.clone()
	return &c
}

func (l *slidingCounter) Entries() int64 { return 0 }

func (l *slidingCounter) EntriesOf(Key) int64 { return 0 }

func (l *slidingCounter) Held(n int) int64 { return int64(n) * 24 }

func (l *slidingCounter) Bytes() int64 { return l.states.bytes() }
