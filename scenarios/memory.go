package scenarios

import "github.com/burstlab/burstlab/lab"

// numbersKept is how many numbers an algorithm needs to keep for a busy key,
// whatever a store adds: GCRA the theoretical arrival time, a token bucket the
// tokens and when they were counted, a fixed window its number and count, a
// sliding counter one count more, a sliding log one time per request. 0 for the
// algorithms whose state grows with what is inside.
func numbersKept(p lab.Policy) int64 {
	switch p.Algorithm {
	case lab.GCRA:
		return 1
	case lab.TokenBucket, lab.FixedWindow:
		return 2
	case lab.SlidingCounter:
		return 3
	case lab.SlidingLog:
		return p.Limit
	}
	return 0
}

// numberBytes is the size of a number: a 64-bit count or time.
const numberBytes = 8
