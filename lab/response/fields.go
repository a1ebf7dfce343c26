package response

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/burstlab/burstlab/lab"
)

// policyField is the RateLimit-Policy field: the quota (q), its unit where it
// is not requests (qu), and its window in seconds (w).
func policyField(p lab.Policy, r lab.Request, opts Options) string {
	item := httpsfv.NewItem(p.Name)
	item.Params.Add("q", integer(p.Most()))
	if p.Algorithm == lab.Concurrency {
		item.Params.Add("qu", "concurrent-requests")
	}
	if w := window(p); w > 0 {
		item.Params.Add("w", integer(w))
	}
	return field(p, r, item, opts)
}

// limitField is the RateLimit field: what is left (r), and the seconds until
// more is (t), left out when the whole quota is there.
func limitField(p lab.Policy, r lab.Request, d lab.Decision, opts Options) string {
	item := httpsfv.NewItem(p.Name)
	item.Params.Add("r", integer(d.Remaining))
	if d.Reset > 0 {
		item.Params.Add("t", integer(seconds(sinceRequest(r, d, d.Reset))))
	}
	return field(p, r, item, opts)
}

func field(p lab.Policy, r lab.Request, item httpsfv.Item, opts Options) string {
	if opts.PartitionKey {
		item.Params.Add("pk", []byte(r.Key))
	}
	s, err := httpsfv.Marshal(httpsfv.List{item})
	if err != nil {
		panic(fmt.Sprintf("response: policy %q cannot stand in a header: %v", p.Name, err))
	}
	return s
}

// window is the time over which p's quota comes back, in whole seconds; 0 when
// there is none to tell: requests in progress have no window, and the draft's
// windows are whole seconds, so a window limiter of 1.5 s has none either.
func window(p lab.Policy) int64 {
	switch p.Algorithm {
	case lab.Concurrency:
		return 0
	case lab.FixedWindow, lab.SlidingLog, lab.SlidingCounter:
		if p.Per%time.Second != 0 {
			return 0
		}
		return int64(p.Per / time.Second)
	}
	// The time that a whole bucket or queue takes, rounded up. The product
	// needs 128 bits; Check holds the quotient within lab.MaxSpan.
	hi, lo := bits.Mul64(uint64(p.Most()), uint64(p.Per))
	ns, rest := bits.Div64(hi, lo, uint64(p.Limit))
	if rest > 0 {
		ns++
	}
	return lab.CeilSeconds(time.Duration(ns))
}

// sinceRequest is the wait w after decision d, counted from the request's own
// time. The sum of a step of the clock and a wait needs the 64th bit.
func sinceRequest(r lab.Request, d lab.Decision, w time.Duration) uint64 {
	if d.Clamped {
		return uint64(d.At.Sub(r.At)) + uint64(w)
	}
	return uint64(w)
}

// seconds and millis are a wait in whole units, rounded up.
func seconds(ns uint64) int64 { return int64(ceilDiv(ns, uint64(time.Second))) }
func millis(ns uint64) int64  { return int64(ceilDiv(ns, uint64(time.Millisecond))) }

func ceilDiv(a, b uint64) uint64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// maxInteger is the largest Integer of a structured field: 15 digits (RFC 9651,
// section 3.3.1).
const maxInteger = 999_999_999_999_999

// integer is n as a field can hold it. What Check lets through fits; more than
// that is told as the most that can be told.
func integer(n int64) int64 { return min(n, maxInteger) }
