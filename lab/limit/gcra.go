package limit

import (
	"math/big"

	"github.com/burstlab/burstlab/lab"
)

// gcra is the generic cell rate algorithm in its virtual scheduling form (ITU-T
// I.371, Annex A). With T = per / limit and TAT the theoretical arrival time, a
// request of cost c at t passes if max(TAT, t) + cT − t ≤ burst × T, and TAT
// then grows by cT. The decisions, the remaining quota and the waits equal the
// token bucket's: how far TAT lies ahead, over T, is the tokens that are missing.
//
// It keeps one number per key: how far TAT lies ahead of the key's time seen, in
// units of 1/num nanosecond, 0 when it does not. That is 8 bytes, or 16 for a
// policy whose burst × T needs more than 64 bits in those units (999,983 a day
// with a burst of as many, for instance).
type gcra struct {
	meter
	narrow bool
	ahead  pages[uint64]
	wide   pages[wide]
}

func newGCRA(p lab.Policy) *gcra {
	m := meterOf(p)
	return &gcra{meter: m, narrow: m.full.hi == 0}
}

func (l *gcra) Policy() lab.Policy { return l.policy }

// load is how far TAT lies ahead of at.
func (l *gcra) load(k Key, seen, at lab.Time) wide {
	if l.narrow {
		return l.earn(wide{0, l.ahead.get(k)}, at.Sub(seen))
	}
	return l.earn(l.wide.get(k), at.Sub(seen))
}

func (l *gcra) Decide(a *Arrival, d *lab.Decision) {
	m := l.decide(a, d, l.load(a.Key, a.Seen, a.At))
	if l.narrow {
		*l.ahead.at(a.Key) = m.lo
	} else {
		*l.wide.at(a.Key) = m
	}
}

func (l *gcra) Explain(a *Arrival) lab.Arithmetic {
	ahead := l.rate.ratTime(l.load(a.Key, a.Seen, a.At))
	tat := new(big.Rat).Add(ratInt(int64(a.At)), ahead)
	interval := lab.Quantity{Name: "interval", Unit: lab.Nanoseconds, Value: l.rate.interval()}
	added := new(big.Rat).Mul(ratInt(a.Cost), interval.Value)
	value := new(big.Rat).Add(ahead, added)
	most := new(big.Rat).Mul(ratInt(l.policy.Burst), interval.Value)
	why := lab.Arithmetic{
		Left: []lab.Term{
			{Quantity: lab.Quantity{Name: "TAT", Unit: lab.Instant, Value: tat}},
			{Sign: lab.Plus, Quantity: lab.Quantity{Name: "cost", Unit: lab.Plain, Value: ratInt(a.Cost)}},
			{Sign: lab.Times, Quantity: interval},
			{Sign: lab.Minus, Quantity: lab.Quantity{Name: "now", Unit: lab.Instant, Value: ratInt(int64(a.At))}},
		},
		Value: lab.Quantity{Name: "ahead", Unit: lab.Nanoseconds, Value: value},
		Op:    lab.AtMost,
		Right: []lab.Term{
			{Quantity: lab.Quantity{Name: "burst", Unit: lab.Plain, Value: ratInt(l.policy.Burst)}},
			{Sign: lab.Times, Quantity: interval},
		},
		RightValue: lab.Quantity{Name: "tolerance", Unit: lab.Nanoseconds, Value: most},
		Holds:      value.Cmp(most) <= 0,
	}
	if why.Holds {
		why.Then = []lab.Quantity{{Name: "TAT", Unit: lab.Instant, Value: new(big.Rat).Add(tat, added)}}
	}
	return why
}

func (l *gcra) State(k Key, seen, at lab.Time) lab.State {
	return l.state(l.load(k, seen, at), at)
}

// Fresh: a TAT that is not ahead equals one that was never set.
func (l *gcra) Fresh(k Key, seen, at lab.Time) bool { return l.load(k, seen, at).zero() }

func (l *gcra) Forget(k Key) {
	l.ahead.clear(k)
	l.wide.clear(k)
}

func (l *gcra) Clone() Limiters {
	c := *l
	c.ahead, c.wide = l.ahead.clone(), l.wide.clone()
	return &c
}

func (l *gcra) Entries() int64 { return 0 }

func (l *gcra) EntriesOf(Key) int64 { return 0 }

func (l *gcra) Held(n int) int64 {
	if l.narrow {
		return int64(n) * 8
	}
	return int64(n) * 16
}

func (l *gcra) Bytes() int64 { return l.ahead.bytes() + l.wide.bytes() }
