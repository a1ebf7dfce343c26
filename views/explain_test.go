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
			response.RateLimitPolicy: "The quota (q): 10 requests, all of which come back in 2 s (w).",
			response.RateLimit:       "0 more would pass now (r). There is room for one more in 1 s (t), in whole seconds, rounded up.",
			response.RetryAfter:      "Try again in 2 s: the exact wait in whole seconds, rounded up.",
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
		}},
	} {
		lines := explainFields(c.policy, response.Of(c.policy, request, c.decision, response.Options{}).Fields(), response.IETF)
		for _, line := range lines {
			if want := c.want[line.Name]; line.Why == "" || want != "" && plain(line.Why) != want {
				t.Errorf("%s: %s is explained as %q; expected %q", line.Name, line.Value, plain(line.Why), want)
			}
		}
	}
}
