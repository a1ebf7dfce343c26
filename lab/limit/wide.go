package limit

import (
	"math/big"
	"math/bits"
)

// wide is a whole number of 128 bits. The engine keeps tokens and times as
// whole numbers of a policy's own smallest unit; products of a count and a
// duration need up to 103 bits.
type wide struct{ hi, lo uint64 }

func mul(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{a.hi + b.hi + carry, lo}
}

// sub is a − b; b must not exceed a.
func (a wide) sub(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return wide{a.hi - b.hi - borrow, lo}
}

// less says whether a < b.
func (a wide) less(b wide) bool {
	_, borrow := bits.Sub64(a.lo, b.lo, 0)
	_, borrow = bits.Sub64(a.hi, b.hi, borrow)
	return borrow != 0
}

func (a wide) zero() bool { return a.hi|a.lo == 0 }

// div is a / b rounded down, and the rest. The quotient must fit 64 bits.
func (a wide) div(b uint64) (q, r uint64) {
	if a.hi == 0 {
		return a.lo / b, a.lo % b
	}
	return bits.Div64(a.hi, a.lo, b)
}

// divUp is a / b rounded up. The quotient must fit 64 bits.
func (a wide) divUp(b uint64) uint64 {
	if b == 1 {
		return a.lo
	}
	q, r := a.div(b)
	if r != 0 {
		q++
	}
	return q
}

func (a wide) big() *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(a.lo))
}
