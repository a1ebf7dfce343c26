package lab

import "time"

// State is what a policy holds for one key at an instant, as numbers for a
// picture. It is for showing, never for deciding: parts of units are rounded
// down to thousandths.
type State struct {
	// At is the instant that the state is told for.
	At Time
	// Used is how much of the quota is taken, in thousandths of a request:
	// tokens missing, requests waiting, counted, logged, estimated, in
	// progress. Of is the whole quota, in requests.
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
	// Entries are the instants at which the requests inside leave, oldest
	// first, at most MaxEntries of them: leaving the queue (leaky bucket), the
	// log (sliding log), or progress (concurrency).
	Entries []Time
}

// MaxEntries bounds State.Entries.
const MaxEntries = 64
