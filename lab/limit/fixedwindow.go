package limit

import (
	"time"

	"github.com/burstlab/burstlab/lab"
)

// fixedWindow counts the requests of the current window. Windows start at
// multiples of per or, with align: first-request, at the first request after the
// last window ended. A request of cost c passes if count + c ≤ limit.
//
// It keeps 16 bytes per key: the window's start and its count.
type fixedWindow struct {
	policy    lab.Policy
	grid      grid
	fromFirst bool
	states    pages[windowCount]
}

type windowCount struct {
	start lab.Time
	count int64
}

func newFixedWindow(p lab.Policy) *fixedWindow {
	return &fixedWindow{policy: p, grid: grid{per: p.Per}, fromFirst: p.Align == lab.AlignFirstRequest}
}

func (l *fixedWindow) Policy() lab.Policy { return l.policy }

// load is k's window at an instant. A window without a count is fresh, and
// starts at the instant asked for when windows start with a request.
func (l *fixedWindow) load(k Key, at lab.Time) windowCount {
	s := l.states.get(k)
	if l.fromFirst {
		if s.count == 0 || at.Sub(s.start) >= l.policy.Per {
			return windowCount{at, 0}
		}
		return s
	}
	if start := l.grid.window(at); s.start != start {
		return windowCount{start, 0}
	}
	return s
}

func (l *fixedWindow) untilEnd(s windowCount, at lab.Time) time.Duration {
	return s.start.Add(l.policy.Per).Sub(at)
}

func (l *fixedWindow) Decide(a *Arrival, d *lab.Decision) {
	s := l.load(a.Key, a.At)
	verdict, retry := lab.Allow, time.Duration(0)
	switch {
	case a.Cost > l.policy.Limit:
		verdict = lab.Never
	case s.count+a.Cost > l.policy.Limit:
		verdict, retry = lab.Refuse, l.untilEnd(s, a.At)
	default:
		s.count += a.Cost
		*l.states.at(a.Key) = s
	}
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = l.policy.Limit-s.count, 0
	if s.count > 0 {
		d.Reset = l.untilEnd(s, a.At)
	}
}

func (l *fixedWindow) Explain(a *Arrival) lab.Arithmetic {
	return counted("count", l.load(a.Key, a.At).count, a, lab.FieldLimit, l.policy.Limit)
}

func (l *fixedWindow) State(k Key, _, at lab.Time) lab.State {
	w := l.load(k, at)
	s := lab.State{
		At: at, UsedMilli: w.count * 1000, Of: l.policy.Limit, Remaining: l.policy.Limit - w.count,
		WindowStart: w.start, WindowEnd: w.start.Add(l.policy.Per), Count: w.count,
	}
	if w.count > 0 {
		s.Reset = l.untilEnd(w, at)
	}
	return s
}

func (l *fixedWindow) Fresh(k Key, _, at lab.Time) bool { return l.load(k, at).count == 0 }

func (l *fixedWindow) Forget(k Key) { l.states.clear(k) }

func (l *fixedWindow) Clone() Limiters {
	c := *l
	c.states = l.states.clone()
	return &c
}

func (l *fixedWindow) Entries() int64 { return 0 }

func (l *fixedWindow) EntriesOf(Key) int64 { return 0 }

func (l *fixedWindow) Held(n int) int64 { return int64(n) * 16 }

func (l *fixedWindow) Bytes() int64 { return l.states.bytes() }
