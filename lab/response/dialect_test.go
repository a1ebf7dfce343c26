package response_test

import (
	"math/big"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

// TestDialects: the same decision in the older fields, with the reset as seconds
// left and as an instant. Lab time 0 was half a second before 1,790,000,000.
func TestDialects(t *testing.T) {
	const (
		ms     = time.Millisecond
		origin = lab.Time(1_789_999_999_500) * lab.Time(ms)
	)
	fiveInTen := window(lab.SlidingLog, 5, 10*time.Second)
	leaky := lab.Policy{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 5, Per: time.Second, Queue: 10}
	inProgress := lab.Policy{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 60}
	refusal := []string{`Cache-Control: no-store`, `Content-Type: application/problem+json`}
	for _, test := range []struct {
		name           string
		policy         lab.Policy
		request        lab.Request
		decision       lab.Decision
		status         string
		before         []string // fields before the quota's
		left           []string // X-RateLimit-Limit and -Remaining
		seconds, epoch string   // X-RateLimit-Reset; "" is none
		after          []string
	}{
		{
			name: "allowed: what is left of a second counts as one", policy: fiveInTen, request: one,
			decision: lab.Decision{Verdict: lab.Allow, Remaining: 4, Reset: 9001 * ms},
			status:   "200 OK", left: []string{"5", "4"}, seconds: "10", epoch: "1790000009",
		},
		{
			name: "a nanosecond is a second", policy: fiveInTen, request: one,
			decision: lab.Decision{Verdict: lab.Allow, Remaining: 4, Reset: 500*ms + 1},
			status:   "200 OK", left: []string{"5", "4"}, seconds: "1", epoch: "1790000001",
		},
		{
			name: "whole seconds stay what they are", policy: fiveInTen, request: lab.Request{At: lab.Time(500 * ms), Cost: 1},
			decision: lab.Decision{Verdict: lab.Allow, At: lab.Time(500 * ms), Remaining: 4, Reset: 9 * time.Second},
			status:   "200 OK", left: []string{"5", "4"}, seconds: "9", epoch: "1790000009",
		},
		{
			name: "the whole quota is there: no reset", policy: token(5, time.Second, 10), request: one,
			decision: lab.Decision{Verdict: lab.Allow, Remaining: 10},
			status:   "200 OK", left: []string{"10", "10"},
		},
		{
			name: "delayed: told as of the decision", policy: leaky, request: one,
			decision: lab.Decision{Verdict: lab.Delay, Wait: 200 * ms, Remaining: 8, Reset: 1},
			status:   "200 OK", left: []string{"10", "8"}, seconds: "1", epoch: "1790000000",
		},
		{
			name: "refused: 0 left, and no more before the reset", policy: fiveInTen, request: one,
			decision: lab.Decision{Verdict: lab.Refuse, RetryAfter: 6_000_000_001, Reset: 6_000_000_000},
			status:   "429 Too Many Requests", before: []string{`Retry-After: 7`},
			left: []string{"5", "0"}, seconds: "6", epoch: "1790000006", after: refusal,
		},
		{
			name: "never: no Retry-After", policy: fiveInTen, request: lab.Request{Cost: 6},
			decision: lab.Decision{Verdict: lab.Never, Remaining: 4, Reset: 3 * time.Second},
			status:   "429 Too Many Requests", left: []string{"5", "4"}, seconds: "3", epoch: "1790000003", after: refusal,
		},
		{
			name: "never, with the whole quota there", policy: fiveInTen, request: lab.Request{Cost: 6},
			decision: lab.Decision{Verdict: lab.Never, Remaining: 5},
			status:   "429 Too Many Requests", left: []string{"5", "5"}, after: refusal,
		},
		{
			name: "in progress: the reset is when one ends", policy: inProgress, request: one,
			decision: lab.Decision{Verdict: lab.Allow, Remaining: 59, Reset: 3 * time.Second},
			status:   "200 OK", left: []string{"60", "59"}, seconds: "3", epoch: "1790000003",
		},
		{
			name: "in progress: one that takes no time leaves nothing to reset", policy: inProgress, request: one,
			decision: lab.Decision{Verdict: lab.Allow, Remaining: 60},
			status:   "200 OK", left: []string{"60", "60"},
		},
		{
			name: "clamped: seconds count from the request's own time, the instant is everybody's", policy: fiveInTen,
			request:  lab.Request{At: lab.Time(2 * time.Second), Cost: 1},
			decision: lab.Decision{Verdict: lab.Refuse, Clamped: true, At: lab.Time(5 * time.Second), RetryAfter: 1500 * ms, Reset: 500 * ms},
			status:   "429 Too Many Requests", before: []string{`Retry-After: 5`},
			left: []string{"5", "0"}, seconds: "4", epoch: "1790000005", after: refusal,
		},
		{
			name: "before 1970", policy: fiveInTen, request: one,
			decision: lab.Decision{Verdict: lab.Allow, At: -origin - lab.Time(1500*ms), Remaining: 4, Reset: 1},
			status:   "200 OK", left: []string{"5", "4"}, seconds: "1", epoch: "-1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for dialect, reset := range map[response.Dialect]string{response.Seconds: test.seconds, response.Epoch: test.epoch} {
				want := slices.Concat([]string{"HTTP/1.1 " + test.status}, test.before,
					[]string{"X-RateLimit-Limit: " + test.left[0], "X-RateLimit-Remaining: " + test.left[1]})
				if reset != "" {
					want = append(want, "X-RateLimit-Reset: "+reset)
				}
				want = append(want, test.after...)
				r := response.Of(test.policy, test.request, test.decision, response.Options{Dialect: dialect, Origin: time.Unix(0, int64(origin)), PartitionKey: true})
				if diff := cmp.Diff(want, lines(r)); diff != "" {
					t.Errorf("%v (-want +got):\n%s", dialect, diff)
				}
			}
		})
	}
}

// TestDialectsAgree: over random policies and decisions all dialects tell the
// same numbers, and an instant is never before more is there, nor a second after.
func TestDialectsAgree(t *testing.T) {
	const second = int64(time.Second)
	rapid.Check(t, func(t *rapid.T) {
		p := policies(lab.Algorithms...).Draw(t, "policy")
		d := lab.Decision{
			Verdict:    rapid.SampledFrom([]lab.Verdict{lab.Allow, lab.Delay, lab.Refuse, lab.Never}).Draw(t, "verdict"),
			At:         lab.Time(rapid.Int64Range(int64(lab.MinTime), int64(lab.MaxTime)).Draw(t, "at")),
			Remaining:  rapid.Int64Range(0, lab.MaxCount).Draw(t, "remaining"),
			RetryAfter: time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "retry after")),
			Reset:      time.Duration(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 1<<62)).Draw(t, "reset")),
		}
		r := lab.Request{At: d.At, Cost: 1}
		origin := lab.Time(rapid.Int64Range(int64(lab.MinTime), int64(lab.MaxTime)).Draw(t, "origin"))
		of := func(dialect response.Dialect) response.Response {
			return response.Of(p, r, d, response.Options{Dialect: dialect, Origin: time.Unix(0, int64(origin))})
		}
		ietf, seconds, epoch := of(response.IETF), of(response.Seconds), of(response.Epoch)
		whole := func(r response.Response, name string) int64 {
			n, err := strconv.ParseInt(r.Header.Get(name), 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return n
		}
		for _, older := range []response.Response{seconds, epoch} {
			if older.Status != ietf.Status || string(older.Body) != string(ietf.Body) || older.Header.Get(response.RetryAfter) != ietf.Header.Get(response.RetryAfter) {
				t.Fatalf("another answer than the IETF one: %v", older)
			}
			if q, _ := param(t, ietf, response.RateLimitPolicy, "q"); q != whole(older, response.XLimit) {
				t.Fatalf("limit %d, q %v", whole(older, response.XLimit), q)
			}
			if left, _ := param(t, ietf, response.RateLimit, "r"); left != whole(older, response.XRemaining) {
				t.Fatalf("remaining %d, r %v", whole(older, response.XRemaining), left)
			}
			if _, there := older.Header["X-Ratelimit-Reset"]; there != (d.Reset > 0) {
				t.Fatalf("a reset is there: %v, for a wait of %v", there, d.Reset)
			}
		}
		if d.Reset == 0 {
			return
		}
		if left, _ := param(t, ietf, response.RateLimit, "t"); left != whole(seconds, response.XReset) {
			t.Fatalf("reset %d, t %v", whole(seconds, response.XReset), left)
		}
		// How long the instant is after more is there: from 0 to less than a second.
		late := new(big.Int).Mul(big.NewInt(whole(epoch, response.XReset)), big.NewInt(second))
		for _, part := range []int64{int64(origin), int64(d.At), int64(d.Reset)} {
			late.Sub(late, big.NewInt(part))
		}
		if late.Sign() < 0 || late.Cmp(big.NewInt(second)) >= 0 {
			t.Fatalf("the instant is %v ns after more is there", late)
		}
	})
}

func TestParseDialect(t *testing.T) {
	for text, want := range map[string]response.Dialect{"": response.IETF, "ietf": response.IETF, "seconds": response.Seconds, "epoch": response.Epoch} {
		got, err := response.ParseDialect(text)
		if err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
		if text != "" && got.String() != text {
			t.Errorf("%v writes itself as %q", want, got)
		}
	}
	if _, err := response.ParseDialect("Epoch"); err == nil || err.Error() != `"Epoch" is not a dialect; expected ietf, seconds or epoch` {
		t.Errorf("got %v", err)
	}
	if got := len(response.Dialects); got != 3 {
		t.Errorf("%d dialects are listed", got)
	}
}
