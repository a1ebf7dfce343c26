// Package limit decides: one algorithm a file, each with the states of all its
// keys.
//
// A [Table] gives every key a small dense number, once per request and for all
// policies together; [Limiters] hold one policy's states in an array by that
// number. A state whose memory is all zero bits is a fresh key's, so a new key
// needs no set-up, and a key whose state equals a fresh one's can be dropped
// without changing any decision.
//
// A decision for a known key allocates only when a list of the key's grows: a log,
// the costs in a queue, what is in progress. A list keeps its room for as long as
// it has entries, and a short one for ever.
//
// Nothing here is safe for use by more than one goroutine.
package limit

import (
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Key is a key's number in a [Table].
type Key uint32

// Arrival is a request as limiters see it: its key as a number, its time
// clamped so that it never runs backwards for the key.
type Arrival struct {
	Key Key
	// Seen is the latest time seen for the key before this request; for a new
	// key it equals At. Never later than At.
	Seen lab.Time
	// At is the instant to decide at.
	At lab.Time
	// Cost is 1 to lab.MaxCount.
	Cost int64
	// Service is how long the request stays in progress.
	Service time.Duration
	// Clamped says that the request carried an earlier time than Seen.
	Clamped bool
}

// Limiters are the states that one policy keeps, one per key.
//
// Every arrival of a key must be decided, in order: states are told relative to
// the key's latest time seen, which is what makes them small.
type Limiters interface {
	// Policy is the policy that they follow.
	Policy() lab.Policy
	// Decide decides a, writes the decision to d, all of it, and changes the
	// state accordingly. A refused request changes nothing but the time seen.
	Decide(a *Arrival, d *lab.Decision)
	// Explain gives the arithmetic of the decision that Decide would make now.
	// It changes nothing.
	Explain(a *Arrival) lab.Arithmetic
	// State tells what is held for k at an instant, for a picture. Seen is the
	// key's latest time seen; at is not before it.
	State(k Key, seen, at lab.Time) lab.State
	// Fresh says whether k's state will equal a fresh key's for every request
	// at or after at.
	Fresh(k Key, seen, at lab.Time) bool
	// Forget makes k's state a fresh key's.
	Forget(k Key)
	// Clone returns an independent copy.
	Clone() Limiters
	// Entries is how many entries the states hold: of logs, of queues' costs,
	// of endings of what is in progress. It costs nothing, so a bound on memory
	// can ask before every decision. No request adds more than one.
	Entries() int64
	// EntriesOf is how many of them are k's.
	EntriesOf(k Key) int64
	// Held is what the states of n keys, all that the table holds, take in
	// bytes: what each algorithm says that it keeps per key and per entry,
	// without the room for more.
	Held(n int) int64
	// Bytes is the memory that is taken from the system, that room included.
	Bytes() int64
}

// New returns fresh limiters for p, or a *[lab.PolicyError] that says why p
// cannot be held.
func New(p lab.Policy) (Limiters, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	switch p.Algorithm {
	case lab.TokenBucket:
		return newTokenBucket(p), nil
	case lab.LeakyBucket:
		return newLeakyBucket(p), nil
	case lab.GCRA:
		return newGCRA(p), nil
	case lab.FixedWindow:
		return newFixedWindow(p), nil
	case lab.SlidingLog:
		return newSlidingLog(p), nil
	case lab.SlidingCounter:
		return newSlidingCounter(p), nil
	case lab.Concurrency:
		return newConcurrency(p), nil
	}
	panic("limit: " + string(p.Algorithm) + " passed Check but has no limiters")
}
