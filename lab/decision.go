package lab

import (
	"fmt"
	"time"
)

// Verdict is what a policy says of a request.
type Verdict uint8

const (
	// Allow lets the request through at once.
	Allow Verdict = iota
	// Delay lets it through later (leaky bucket).
	Delay
	// Refuse turns it away; after Decision.RetryAfter it would pass.
	Refuse
	// Never turns it away for good: it costs more than the policy can ever pass.
	Never
)

var verdictNames = [...]string{"allow", "delay", "refuse", "never"}

func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// Passed says whether the request reaches the service, now or later.
func (v Verdict) Passed() bool { return v <= Delay }

// MarshalText writes the verdict's word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the verdict's word.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a decision: allow, delay, refuse or never", text)
}

// Decision is what a policy says of one request. Waits are the smallest whole
// number of nanoseconds.
type Decision struct {
	Verdict Verdict
	// Clamped says that the request carried an earlier time than one already
	// seen for its key, and was decided at that later time.
	Clamped bool
	// At is the instant at which it was decided.
	At Time
	// Wait is how long a delayed request waits until it leaves; otherwise 0.
	Wait time.Duration
	// Remaining is how many requests of cost 1, sent at this same instant
	// after this decision, would pass.
	Remaining int64
	// RetryAfter is, for Refuse, the smallest wait after which this same
	// request would pass if nothing else came in between; otherwise 0.
	RetryAfter time.Duration
	// Reset is the smallest wait until Remaining would be larger than it is,
	// if nothing else came; 0 when the whole quota is already there.
	Reset time.Duration
}

// Leaves is when a request that passed reaches the service.
func (d Decision) Leaves() Time { return d.At.Add(d.Wait) }
