package lab

import (
	"fmt"
	"time"
)

// MaxCount bounds every count that a person may write: limit, burst, queue and
// cost. Products with it still fit the engine's 128-bit arithmetic.
const MaxCount = 1_000_000_000_000

// Request is one request as the limiters see it.
type Request struct {
	// At is when it arrives.
	At Time
	// Key says whose allowance it uses. Any text; two keys are the same when
	// their bytes are.
	Key string
	// Cost is how much of the allowance it uses: 1 to MaxCount.
	Cost int64
	// Service is how long it stays in progress once it has been let through.
	Service time.Duration
}

// Check reports what is outside the engine's bounds, if anything.
func (r Request) Check() error {
	switch {
	case r.At < MinTime || r.At > MaxTime:
		return fmt.Errorf("time %s ms is out of range: from %s to %s", r.At.Millis(), MinTime.Millis(), MaxTime.Millis())
	case r.Cost < 1 || r.Cost > MaxCount:
		return fmt.Errorf("cost %d is out of range: a whole number from 1 to %s", r.Cost, FormatCount(MaxCount))
	case r.Service < 0 || r.Service > MaxSpan:
		return fmt.Errorf("service time %s is out of range: from 0 to %s", FormatSpan(r.Service), FormatSpan(MaxSpan))
	}
	return nil
}
