package response_test

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/response"
)

// TestRetryAfterKeepsItsPromise: over random policies and random traffic, with
// a clock that may step back, a refused client that waits exactly Retry-After
// by its own clock passes, if nothing else came; Retry-After is never earlier
// than t, and both are 1 or more.
func TestRetryAfterKeepsItsPromise(t *testing.T) {
	refusals := 0
	rapid.Check(t, func(t *rapid.T) {
		p := policies(lab.Algorithms...).Draw(t, "policy")
		b, err := bench.New([]lab.Policy{p}, bench.Options{})
		if err != nil {
			t.Fatal(err)
		}
		decide := func(b *bench.Bench, r lab.Request) lab.Decision {
			d, err := b.Decide(r)
			if err != nil {
				t.Fatal(err)
			}
			return d[0]
		}
		// Steps about as long as a request's share of per, so that the traffic
		// meets the limit from both sides.
		gap := max(time.Duration(1), p.Per/time.Duration(p.Limit))
		if p.Algorithm == lab.Concurrency {
			gap = time.Second
		}
		if gap > 1<<40 {
			gap = 1 << 40
		}
		at := lab.Time(rapid.Int64Range(0, 1<<60).Draw(t, "start"))
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			at = at.Add(time.Duration(rapid.Int64Range(-int64(gap), 2*int64(gap)).Draw(t, "step")))
			r := lab.Request{
				At: at, Key: "ann",
				Cost:    rapid.OneOf(rapid.Int64Range(1, 3), rapid.Int64Range(1, min(2*p.Most(), lab.MaxCount))).Draw(t, "cost"),
				Service: time.Duration(rapid.Int64Range(0, 5*int64(gap)).Draw(t, "service")),
			}
			d := decide(b, r)
			resp := response.Of(p, r, d, response.Options{})
			if d.Verdict != lab.Refuse {
				continue
			}
			refusals++
			retryAfter, err := strconv.ParseInt(resp.Header.Get(response.RetryAfter), 10, 64)
			if err != nil || retryAfter < 1 {
				t.Fatalf("Retry-After = %q, want 1 or more", resp.Header.Get(response.RetryAfter))
			}
			reset, ok := param(t, resp, response.RateLimit, "t")
			if !ok || reset.(int64) < 1 || retryAfter < reset.(int64) {
				t.Fatalf("Retry-After = %d is earlier than t = %v (there: %v) for %+v", retryAfter, reset, ok, d)
			}
			later := r
			later.At = r.At.Add(time.Duration(retryAfter) * time.Second)
			if d := decide(b.Clone(), later); !d.Verdict.Passed() {
				t.Fatalf("refused again after Retry-After: %d: %+v", retryAfter, d)
			}
		}
	})
	if refusals == 0 {
		t.Error("no request was refused: the traffic does not meet the limits")
	}
}
