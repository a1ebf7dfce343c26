package bench

import (
	"maps"
	"math/bits"
	"slices"
	"time"
)

// maxWaits bounds how many different waits are kept apart.
const maxWaits = 16384

// waits counts delays by their length, sorted when asked.
type waits struct {
	counts map[time.Duration]int64
	coarse bool
	sorted []time.Duration // the keys of counts in order; nil when out of date
}

func (w *waits) add(d time.Duration) {
	if w.coarse {
		d = roundUp(d)
	}
	if w.counts == nil {
		w.counts = map[time.Duration]int64{}
	}
	n := w.counts[d]
	w.counts[d] = n + 1
	if n > 0 {
		return
	}
	w.sorted = nil
	if len(w.counts) > maxWaits && !w.coarse {
		w.coarse = true
		exact := w.counts
		w.counts = make(map[time.Duration]int64)
		for d, n := range exact {
			w.counts[roundUp(d)] += n
		}
	}
}

// roundUp keeps eleven significant bits, which bounds the different values by
// some fifty thousand and the error by 0.1 %.
func roundUp(d time.Duration) time.Duration {
	drop := max(0, bits.Len64(uint64(d))-11)
	unit := time.Duration(1) << drop
	return (d + unit - 1) / unit * unit
}

// rank is the n-th smallest wait, n from 1.
func (w *waits) rank(n int64) time.Duration {
	if w.sorted == nil {
		w.sorted = slices.Sorted(maps.Keys(w.counts))
	}
	for _, d := range w.sorted {
		if n -= w.counts[d]; n <= 0 {
			return d
		}
	}
	return 0
}

func (w *waits) clone() waits { return waits{maps.Clone(w.counts), w.coarse, w.sorted} }
