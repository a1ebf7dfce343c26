// Package pyrandom gives the numbers of Python's random.Random(seed) for a whole
// number as seed, bit for bit: the lessons' traces were made with it.
//
// CPython seeds the Mersenne Twister MT19937 with the seed's magnitude by
// init_by_array and builds everything else on 32-bit words of it; see
// Modules/_randommodule.c and Lib/random.py. What is here is the same in every
// CPython from 3.2 on.
package pyrandom

import (
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// Random is Python's random.Random. It is not safe for use by more than one
// goroutine.
type Random struct {
	twister prng.MT19937
}

// New is random.Random(seed). As in Python a seed and its negative give the same
// numbers.
func New(seed int64) *Random {
	magnitude := uint64(seed)
	if seed < 0 {
		magnitude = -magnitude
	}
	key := []uint32{uint32(magnitude)}
	if high := uint32(magnitude >> 32); high != 0 {
		key = append(key, high)
	}
	r := new(Random)
	r.twister.SeedFromKeys(key)
	return r
}

// Random is random(): a multiple of 2⁻⁵³ from 0 up to 1, 1 excluded. The number is
// exact, so it is the same on every machine.
func (r *Random) Random() float64 {
	a, b := r.twister.Uint32()>>5, r.twister.Uint32()>>6
	return float64(uint64(a)<<26|uint64(b)) / (1 << 53)
}

// Getrandbits is getrandbits(k): k random bits. It panics unless k is from 1 to
// 64.
func (r *Random) Getrandbits(k int) uint64 {
	if k < 1 || k > 64 {
		panic("pyrandom: the number of bits is not from 1 to 64")
	}
	if k <= 32 {
		return uint64(r.twister.Uint32() >> (32 - k))
	}
	// The low word comes first; the high one is cut from its top.
	low := uint64(r.twister.Uint32())
	return uint64(r.twister.Uint32()>>(64-k))<<32 | low
}

// Randrange is randrange(start, stop): a whole number from start up to stop, stop
// excluded. It panics if there is none.
func (r *Random) Randrange(start, stop int64) int64 {
	if start >= stop {
		panic("pyrandom: empty range")
	}
	return start + int64(r.below(uint64(stop)-uint64(start)))
}

// Choice is the index that choice(seq) would take from a sequence of n. It panics
// if n is not positive.
func (r *Random) Choice(n int) int { return int(r.Randrange(0, int64(n))) }

// below is _randbelow(n). Python takes the bits of n, not of n − 1, and draws
// again as long as the number is too large.
func (r *Random) below(n uint64) uint64 {
	k := bits.Len64(n)
	for {
		if v := r.Getrandbits(k); v < n {
			return v
		}
	}
}
