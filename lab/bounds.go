package lab

import (
	"math/bits"
	"time"
)

// spanTooLong says whether n requests at limit per per take longer than
// MaxSpan, without rounding.
func spanTooLong(n int64, per time.Duration, limit int64) bool {
	hi, lo := bits.Mul64(uint64(n), uint64(per))
	maxHi, maxLo := bits.Mul64(uint64(MaxSpan), uint64(limit))
	return hi > maxHi || hi == maxHi && lo > maxLo
}

// longestCount is the largest count that spanTooLong accepts.
func longestCount(per time.Duration, limit int64) int64 {
	hi, lo := bits.Mul64(uint64(MaxSpan), uint64(limit))
	if hi >= uint64(per) {
		return MaxCount
	}
	q, _ := bits.Div64(hi, lo, uint64(per))
	return int64(min(q, MaxCount))
}
