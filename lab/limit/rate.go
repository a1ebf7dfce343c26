package limit

import (
	"math/big"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// rate is limit requests every per, as a reduced ratio: num requests every den
// nanoseconds. Whatever earns or drains at this rate is kept in units of 1/den
// request, equally 1/num nanosecond: one nanosecond earns num units and one
// request takes den, so nothing is ever divided to decide.
type rate struct {
	num, den uint64
}

func rateOf(p lab.Policy) rate {
	a, b := uint64(p.Limit), uint64(p.Per)
	for b != 0 {
		a, b = b, a%b
	}
	return rate{uint64(p.Limit) / a, uint64(p.Per) / a}
}

// requests is the units that n requests take.
func (r rate) requests(n int64) wide { return mul(uint64(n), r.den) }

// earned is the units of a span of time.
func (r rate) earned(d time.Duration) wide { return mul(uint64(d), r.num) }

// whole is how many whole requests u units are, and the units left over.
func (r rate) whole(u wide) (n int64, rest uint64) {
	q, rest := u.div(r.den)
	return int64(q), rest
}

// time is how long u units take, rounded up to whole nanoseconds.
func (r rate) time(u wide) time.Duration { return time.Duration(u.divUp(r.num)) }

// interval is the exact time between two requests at this rate, in nanoseconds.
func (r rate) interval() *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(r.den), new(big.Int).SetUint64(r.num))
}

// ratRequests is u units in requests, exactly.
func (r rate) ratRequests(u wide) *big.Rat {
	return new(big.Rat).SetFrac(u.big(), new(big.Int).SetUint64(r.den))
}

// ratTime is u units in nanoseconds, exactly.
func (r rate) ratTime(u wide) *big.Rat {
	return new(big.Rat).SetFrac(u.big(), new(big.Int).SetUint64(r.num))
}

// milli is u units in thousandths of a request, rounded up.
func (r rate) milli(u wide) int64 {
	n, rest := r.whole(u)
	return n*1000 + int64(mul(rest, 1000).divUp(r.den))
}
