package lab

import "time"

// State is what a policy holds for one key at an instant, as numbers for a
// picture. It is for showing, never for deciding.
type State struct {
	// At is the instant that the state is told for.
	At Time
	// UsedMilli is how much of the quota is taken, in thousandths of a request:
	// tokens missing, requests waiting, counted, logged, estimated, in
	// progress. Of is the whole quota, in requests.
	//
	// What is finer than a thousandth is rounded so that the picture never
	// contradicts a decision. Missing tokens (token bucket, GCRA) are rounded
	// up: a request of cost c passes exactly when UsedMilli ≤ (Of − c) × 1000.
	// A sliding counter's estimate is rounded down: a request of cost 1 passes
	// exactly when UsedMilli < Of × 1000. All others are whole.
	UsedMilli int64
	Of        int64
	// Remaining and Reset are as in [Decision].
	Remaining int64
	Reset     time.Duration

	// Next is when the outlet is free (leaky bucket) or when the next request
	// is due at the steady rate (GCRA's theoretical arrival time), rounded up.
	Next Time
	// WindowStart, WindowEnd, Count and Previous are the windows' (fixed
	// window, sliding counter).
	WindowStart, WindowEnd Time
	Count, Previous        int64
	// Entries are the instants at which something leaves, each once however
	// much leaves at it, oldest first, at most MaxEntries of them: leaving the
	// queue (leaky bucket), the log (sliding log), or progress (concurrency).
	// They are whole nanoseconds, rounded up, as [Decision.Leaves] is. At such
	// an instant what leaves the log or progress is gone; what leaves a queue
	// is so at the latest one nanosecond later.
	Entries []Time
}

// MaxEntries bounds State.Entries.
const MaxEntries = 64
