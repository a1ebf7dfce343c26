package response

import (
	"encoding/json"
	"fmt"

	"github.com/burstlab/burstlab/lab"
)

// problemType is the media type of a problem (RFC 9457).
const problemType = "application/problem+json"

// The draft's type of problem, with the title that it shows for it.
const (
	quotaExceeded      = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	quotaExceededTitle = "Request cannot be satisfied as assigned quota has been exceeded"
)

// problem is a refusal's body.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Violated names the policies whose quota was exceeded.
	Violated []string `json:"violated-policies"`
}

func (pr problem) encode() []byte {
	b, err := json.MarshalIndent(pr, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("response: a problem of plain text does not encode: %v", err))
	}
	return append(b, '\n')
}

// detail says why this request was turned away, and what would help.
func detail(p lab.Policy, r lab.Request, d lab.Decision) string {
	if d.Verdict == lab.Never {
		return fmt.Sprintf("This request costs %d. Policy %q allows %s, so a request that costs more than %d can never pass, however long it waits.",
			r.Cost, p.Name, quota(p), p.Most())
	}
	return fmt.Sprintf("This request costs %d. Policy %q allows %s, and %d of it is left. The request would pass in %d ms if nothing else came.",
		r.Cost, p.Name, quota(p), d.Remaining, millis(sinceRequest(r, d, d.RetryAfter)))
}

// quota says in words what p allows.
func quota(p lab.Policy) string {
	per := lab.FormatSpan(p.Per)
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		return fmt.Sprintf("%d at once and %d per %s after that", p.Burst, p.Limit, per)
	case lab.LeakyBucket:
		return fmt.Sprintf("%d in its queue, which lets %d per %s out", p.Queue, p.Limit, per)
	case lab.Concurrency:
		return fmt.Sprintf("%d in progress at once", p.Limit)
	}
	return fmt.Sprintf("%d per %s", p.Limit, per)
}
