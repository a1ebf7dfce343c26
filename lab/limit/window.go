package limit

import (
	"math/big"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// grid cuts time into windows of one length that start at time zero. It
// remembers the window that it was last asked for, because most requests come
// in the same one as the request before and a division is the dearest thing
// that a decision does.
type grid struct {
	per   time.Duration
	start lab.Time // of the window last asked for
}

// window is the start of the window that holds at.
func (g *grid) window(at lab.Time) lab.Time {
	if e := at.Sub(g.start); e >= 0 && e < g.per {
		return g.start
	}
	into := int64(at) % int64(g.per)
	if into < 0 {
		into += int64(g.per)
	}
	g.start = at - lab.Time(into)
	return g.start
}

// counted is the arithmetic of every policy that compares a count: name + cost ≤
// bound.
func counted(name string, n int64, a *Arrival, bound lab.Field, most int64) lab.Arithmetic {
	value := new(big.Rat).Add(ratInt(n), ratInt(a.Cost))
	limit := lab.Quantity{Name: string(bound), Unit: lab.Requests, Value: ratInt(most)}
	why := lab.Arithmetic{
		Left: []lab.Term{
			{Quantity: lab.Quantity{Name: name, Unit: lab.Requests, Value: ratInt(n)}},
			{Sign: lab.Plus, Quantity: lab.Quantity{Name: "cost", Unit: lab.Requests, Value: ratInt(a.Cost)}},
		},
		Value:      lab.Quantity{Name: "sum", Unit: lab.Requests, Value: value},
		Op:         lab.AtMost,
		Right:      []lab.Term{{Quantity: limit}},
		RightValue: limit,
		Holds:      n+a.Cost <= most,
	}
	if why.Holds {
		why.Then = []lab.Quantity{{Name: name, Unit: lab.Requests, Value: value}}
	}
	return why
}
