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

// take decides a request of cost c and returns what is missing afterwards.
func (m *meter) take(missing wide, c int64, d *lab.Decision) wide {
	if c > m.policy.Burst {
		d.Verdict = lab.Never
		return missing
	}
	after := missing.add(m.rate.requests(c))
	if m.full.less(after) {
		d.Verdict, d.RetryAfter = lab.Refuse, m.rate.time(after.sub(m.full))
		return missing
	}
	return after
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

func (m *meter) decide(a Arrival, missing wide) (lab.Decision, wide) {
	d := lab.Decision{At: a.At, Clamped: a.Clamped}
	missing = m.take(missing, a.Cost, &d)
	d.Remaining, d.Reset = m.quota(missing)
	return d, missing
}

func (m *meter) state(missing wide, at lab.Time) lab.State {
	s := lab.State{At: at, UsedMilli: m.rate.milli(missing), Of: m.policy.Burst}
	s.Remaining, s.Reset = m.quota(missing)
	s.Next = at.Add(m.rate.time(missing))
	return s
}

func ratInt(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
