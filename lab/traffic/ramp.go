package traffic

import (
	"math"
	"math/big"

	"github.com/burstlab/burstlab/lab"
)

// Ramp sends at a rate that grows or falls evenly over an interval:
// "ramp 1/s..20/s 0s..10s". One of the two rates may be 0.
//
// With the rate r₀ at the beginning and r₁ after the length D, r₀t + (r₁−r₀)t²/2D
// requests are due t after the beginning. Request k comes at the last whole
// nanosecond at which no more than k are due, so a ramp between equal rates is a
// [Steady].
type Ramp struct {
	First, Last Rate
	From, To    lab.Time
	Each
}

// Check implements [Pattern].
func (r Ramp) Check() error {
	if err := r.First.check(partRate, 0); err != nil {
		return err
	}
	if err := r.Last.check(partRateEnd, 0); err != nil {
		return err
	}
	if r.First.Count == 0 && r.Last.Count == 0 {
		return partError(partRateEnd, "both rates are 0; expected one of them to be at least 1")
	}
	if err := checkInterval(r.From, r.To); err != nil {
		return err
	}
	if err := checkTotal(partRateEnd, r.Count(), lab.MaxCount); err != nil {
		return err
	}
	return r.check()
}

// Count implements [Pattern].
func (r Ramp) Count() int64 {
	// D(r₀+r₁)/2 rounded up, over the common denominator.
	q := r.quadratic()
	due := new(big.Int).Mul(q.a, q.length)
	due.Add(due, q.b).Mul(due, q.length)
	due.Add(due, q.unit).Sub(due, big.NewInt(1))
	due.Quo(due, q.unit)
	if !due.IsInt64() {
		return math.MaxInt64
	}
	return due.Int64()
}

// Span implements [Pattern].
func (r Ramp) Span() (first, last lab.Time) {
	return r.From, r.From + r.quadratic().root(r.Count()-1)
}

// quadratic holds the ramp's equation in whole numbers: at² + bt = unit × k.
type quadratic struct {
	a, b, unit, length *big.Int
}

func (r Ramp) quadratic() quadratic {
	n0, p0 := big.NewInt(r.First.Count), big.NewInt(int64(r.First.Per))
	n1, p1 := big.NewInt(r.Last.Count), big.NewInt(int64(r.Last.Per))
	length := big.NewInt(int64(r.To.Sub(r.From)))
	start, end := new(big.Int).Mul(n0, p1), new(big.Int).Mul(n1, p0)
	twice := new(big.Int).Lsh(length, 1)
	return quadratic{
		a:      new(big.Int).Sub(end, start),
		b:      new(big.Int).Mul(twice, start),
		unit:   new(big.Int).Mul(twice, new(big.Int).Mul(p0, p1)),
		length: length,
	}
}

// root is the equation's first root that is not negative, rounded down. It
// exists for every k below the ramp's count.
func (q quadratic) root(k int64) lab.Time {
	c := new(big.Int).Mul(q.unit, big.NewInt(k))
	if q.a.Sign() == 0 {
		return lab.Time(c.Quo(c, q.b).Int64())
	}
	// x is the discriminant b² + 4ac; then t = (√x − b) / 2a.
	x := new(big.Int).Mul(q.a, c)
	x.Lsh(x, 2).Add(x, new(big.Int).Mul(q.b, q.b))
	s := new(big.Int).Sqrt(x)
	t := new(big.Int)
	if q.a.Sign() < 0 {
		// A falling ramp divides b − √x by a positive number: for the quotient
		// to be rounded down, the square root is rounded up.
		if t.Mul(s, s).Cmp(x) < 0 {
			s.Add(s, big.NewInt(1))
		}
		t.Sub(q.b, s)
	} else {
		t.Sub(s, q.b)
	}
	twice := new(big.Int).Lsh(q.a, 1)
	return lab.Time(t.Quo(t, twice.Abs(twice)).Int64())
}

func (r Ramp) requests() cursor {
	return &indexed[ramp]{ramp{r, r.quadratic()}, 0, r.Count()}
}

// ramp is a Ramp with its equation worked out.
type ramp struct {
	Ramp
	equation quadratic
}

func (r ramp) request(k int64) lab.Request { return r.Request(r.From + r.equation.root(k)) }

// String implements [Pattern].
func (r Ramp) String() string {
	return "ramp " + r.First.String() + ".." + r.Last.String() + " " + formatInterval(r.From, r.To) + r.suffix()
}

func parseRamp(s *scanner) Pattern {
	var r Ramp
	r.First = s.rate(partRate, 0)
	s.expect("..", "and the last rate, such as \"1/s..20/s\"")
	r.Last = s.rate(partRateEnd, 0)
	r.From, r.To = s.interval()
	r.Each = s.each()
	return r
}
