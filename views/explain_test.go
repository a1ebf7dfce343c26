package views

import (
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

// Every field that a response can have is explained, with its own numbers.
func TestFieldsAreExplained(t *testing.T) {
	request := lab.Request{Cost: 1}
	refused := lab.Decision{Verdict: lab.Refuse, RetryAfter: 1200 * time.Millisecond, Reset: 300 * time.Millisecond}
	passed := lab.Decision{Verdict: lab.Allow, Remaining: 9}
	for _, c := range []struct {
		policy   lab.Policy
		decision lab.Decision
		want     map[string]string
	}{
		{lab.Policy{Name: `a";q=1\`, Algorithm: lab.TokenBucket, Limit: 5, Per: time.Second, Burst: 10}, refused, map[string]string{
			response.RateLimitPolicy:        "The quota (q): 10 requests, all of which come back in 2 s (w).",
			response.RateLimit:              "0 more would pass now (r). There is room for one more in 1 s (t), in whole seconds, rounded up.",
			response.RetryAfter:             "Try again in 2 s: the exact wait in whole seconds, rounded up.",
			response.XLimit:                 "The quota: 10 requests. Over what time is not said.",
			response.XRemaining:             "0 more would pass now.",
			response.XReset + " 1":          "There is room for one more in 1 s: whole seconds left, rounded up. Who takes it for seconds since 1970 comes at once.",
			response.XReset + " 1790000001": "There is room for one more at 2026-09-21 14:13:21 UTC: whole seconds since 1970, rounded up. GitHub counts like this.",
		}},
		{lab.Policy{Name: "a", Algorithm: lab.SlidingLog, Limit: 5, Per: 10 * time.Second}, passed, map[string]string{
			response.RateLimitPolicy: "The quota (q): 5 requests in 10 s (w).",
			response.RateLimit:       "9 more would pass now (r).",
		}},
		{lab.Policy{Name: "a", Algorithm: lab.FixedWindow, Limit: 5, Per: 1500 * time.Millisecond}, passed, map[string]string{
			response.RateLimitPolicy: "The quota (q): 5 requests.",
		}},
		{lab.Policy{Name: "a", Algorithm: lab.Concurrency, Limit: 5}, passed, map[string]string{
			response.RateLimitPolicy: "The quota (q): 5 requests in progress at once (qu).",
			response.XLimit:          "The quota: 5 requests in progress at once.",
		}},
	} {
		for _, line := range allFields(c.policy, request, c.decision) {
			if want := c.want[line.Name] + c.want[line.Name+" "+line.Value]; line.Why == "" || want != "" && plain(line.Why) != want {
				t.Errorf("%s: %s is explained as %q; expected %q", line.Name, line.Value, plain(line.Why), want)
			}
		}
	}
}

// allFields is every field of every dialect. Lab time 0 was at 1,790,000,000.
func allFields(p lab.Policy, r lab.Request, d lab.Decision) (lines []HeaderLine) {
	for _, dialect := range response.Dialects {
		opts := response.Options{Dialect: dialect, Origin: time.Unix(1_790_000_000, 0)}
		lines = append(lines, explainFields(p, response.Of(p, r, d, opts).Fields(), dialect)...)
	}
	return lines
}
