package limit

import (
	"math/big"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// meter is what the token bucket and GCRA have in common: the size of the
// quota, and the rate at which it comes back. Both keep what is missing from a
// full quota, the one as tokens, the other as time.
type meter struct {
	policy lab.Policy
	rate   rate
	full   wide // the whole quota, in the rate's units
}

func meterOf(p lab.Policy) meter {
	r := rateOf(p)
	return meter{p, r, r.requests(p.Burst)}
}

// earn is what is missing after a span of time.
func (m *meter) earn(missing wide, d time.Duration) wide {
	if missing.zero() {
		return missing
	}
	earned := m.rate.earned(d)
	if !earned.less(missing) {
		return wide{}
	}
	return missing.sub(earned)
}

// quota is how many whole requests are left, and how long until there is one
// more.
func (m *meter) quota(missing wide) (remaining int64, reset time.Duration) {
	if missing.zero() {
		return m.policy.Burst, 0
	}
	n, rest := m.rate.whole(m.full.sub(missing))
	return n, m.rate.time(wide{0, m.rate.den - rest})
}

// decide decides a request and returns what is missing afterwards.
func (m *meter) decide(a *Arrival, d *lab.Decision, missing wide) wide {
	verdict, retry := lab.Allow, time.Duration(0)
	if a.Cost > m.policy.Burst {
		verdict = lab.Never
	} else if after := missing.add(m.rate.requests(a.Cost)); m.full.less(after) {
		verdict, retry = lab.Refuse, m.rate.time(after.sub(m.full))
	} else {
		missing = after
	}
	d.Verdict, d.Clamped, d.At, d.Wait, d.RetryAfter = verdict, a.Clamped, a.At, 0, retry
	d.Remaining, d.Reset = m.quota(missing)
	return missing
}

func (m *meter) state(missing wide, at lab.Time) lab.State {
	s := lab.State{At: at, UsedMilli: m.rate.milli(missing), Of: m.policy.Burst}
	s.Remaining, s.Reset = m.quota(missing)
	s.Next = at.Add(m.rate.time(missing))
	return s
}

func ratInt(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
