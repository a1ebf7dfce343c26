// Package bench runs many policies on the same requests: one lane a policy, one
// key table for all.
package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// MaxPolicies bounds the lanes of a bench.
const MaxPolicies = 64

// Options say how a bench works. The zero value decides only.
type Options struct {
	// MaxKeys bounds the keys that are held at once; 0 means limit.MaxKeys.
	// When it is reached, a request with a new key is not decided by any lane
	// ([limit.ErrKeysFull]).
	MaxKeys int
	// MaxEntries bounds the entries (of logs, of queues with costs, of requests
	// in progress) that all lanes hold together; 0 means no bound. When it is
	// reached, no request is decided ([ErrEntriesFull]). One request adds at
	// most one entry a lane, so a few more may be held.
	MaxEntries int64
	// InOrder is the caller's promise that times never step back. A bench that
	// is full may then drop the keys whose states equal a fresh key's since the
	// beginning of the second in which the request comes: a key's place is free
	// at the latest in the second after, and no decision changes.
	InOrder bool
	// Scores keeps a [Score] per lane, each of at most MaxServed served
	// requests; 0 means no bound.
	Scores    bool
	MaxServed int
	// Span is the length of the busiest span that scores look for; 0 means each
	// policy's own per, and a second where it has none.
	Span time.Duration
}

// Bench holds the lanes and the keys. It is not safe for use by more than one
// goroutine.
type Bench struct {
	options   Options
	table     *limit.Table
	lanes     []lane
	policies  []lab.Policy
	decisions []lab.Decision
	arrival   limit.Arrival // of the latest request, here so that it costs no allocation
	swept     lab.Time      // up to which fresh keys have been dropped
}

// ErrEntriesFull is the error of a request that no lane decided because they
// hold as many entries as they may.
var ErrEntriesFull = errors.New("the limiters hold as many entries as they may: no request can be decided until some have left")

type lane struct {
	limiters limit.Limiters
	score    *Score // nil without Options.Scores
}

// New returns a bench of fresh lanes, or what is wrong with the policies as a
// *[lab.PolicyError].
func New(policies []lab.Policy, o Options) (*Bench, error) {
	b := &Bench{options: o, table: limit.NewTable(o.MaxKeys), swept: lab.MinTime}
	if err := b.SetPolicies(policies); err != nil {
		return nil, err
	}
	return b, nil
}

// SetPolicies makes the lanes those of policies, in their order. A lane whose
// policy was there before keeps its states and its score; every other starts
// fresh. On error nothing has changed.
func (b *Bench) SetPolicies(policies []lab.Policy) error {
	if len(policies) > MaxPolicies {
		return fmt.Errorf("%d policies are too many: at most %d", len(policies), MaxPolicies)
	}
	if err := lab.CheckPolicies(policies); err != nil {
		return err
	}
	lanes := make([]lane, len(policies))
	for i, p := range policies {
		if j := slices.IndexFunc(b.policies, p.Same); j >= 0 {
			lanes[i] = b.lanes[j]
			continue
		}
		limiters, err := limit.New(p)
		if err != nil {
			return err
		}
		lanes[i] = lane{limiters: limiters}
		if b.options.Scores {
			lanes[i].score = NewScore(b.span(p), b.options.MaxServed)
		}
	}
	b.lanes, b.policies = lanes, slices.Clone(policies)
	b.decisions = make([]lab.Decision, len(lanes))
	b.swept = lab.MinTime // with other lanes, other keys may be fresh
	return nil
}

func (b *Bench) span(p lab.Policy) time.Duration {
	if b.options.Span > 0 {
		return b.options.Span
	}
	return Span(p)
}

// Span is the length of the busiest span that a policy's score looks for, when
// nothing else is asked for: its own per, and a second where it has none.
func Span(p lab.Policy) time.Duration {
	if p.Per > 0 {
		return p.Per
	}
	return time.Second
}

// Policies are the lanes' policies, in order. The caller does not change them.
func (b *Bench) Policies() []lab.Policy { return b.policies }

// Decide lets every lane decide r and returns their decisions in the order of
// the policies, in a slice that the next call overwrites. On error (a request
// outside the bounds, a key too long, no room) nothing was decided, and whatever
// follows is decided as if r had never come.
func (b *Bench) Decide(r lab.Request) ([]lab.Decision, error) {
	a := &b.arrival
	if b.options.MaxEntries > 0 && b.entriesFull(r.At) {
		return nil, ErrEntriesFull
	}
	err := b.table.Arrive(&r, a)
	if err == limit.ErrKeysFull && b.makeRoom(r.At, anyKey) {
		err = b.table.Arrive(&r, a)
	}
	if err != nil {
		return nil, err
	}
	for i := range b.lanes {
		l := &b.lanes[i]
		l.limiters.Decide(a, &b.decisions[i])
		if l.score != nil {
			l.score.Add(a.Key, r.Cost, &b.decisions[i])
		}
	}
	return b.decisions, nil
}

// Admit returns the error that Decide would, without deciding.
func (b *Bench) Admit(r lab.Request) error {
	if b.options.MaxEntries > 0 && b.entriesFull(r.At) {
		return ErrEntriesFull
	}
	if err := b.table.Admit(r); err != limit.ErrKeysFull || !b.makeRoom(r.At, anyKey) {
		return err
	}
	return b.table.Admit(r)
}

// entriesFull says whether the lanes hold as many entries as they may, even
// without those of the keys that could be dropped.
func (b *Bench) entriesFull(at lab.Time) bool {
	over := b.Entries() - b.options.MaxEntries
	if over < 0 {
		return false
	}
	return !b.makeRoom(at, func(second lab.Time) bool {
		for k := range b.table.Keys() {
			if !b.fresh(k, b.table.Seen(k), second) {
				continue
			}
			for i := range b.lanes {
				over -= b.lanes[i].limiters.EntriesOf(k)
			}
		}
		return over < 0
	})
}

// makeRoom drops the keys that have been fresh since the beginning of at's
// second, when the bench may and that is enough for the request that comes, and
// says so. Within one second nothing can be found twice: a key that was not
// fresh at its beginning is not so later, and one that a request has touched
// since is not fresh at it; and while it is not enough, nothing is decided that
// could change that. So one look a second finds all, and a request that is
// turned away leaves no trace.
func (b *Bench) makeRoom(at lab.Time, enough func(second lab.Time) bool) bool {
	second := at - at%lab.Time(time.Second)
	if second > at {
		second -= lab.Time(time.Second)
	}
	if !b.options.InOrder || second <= b.swept {
		return false
	}
	b.swept = second
	return enough(second) && b.Drop(second) > 0
}

// anyKey is enough where a new key needs a place.
func anyKey(lab.Time) bool { return true }

// Drop drops every key whose states equal a fresh key's for all requests at or
// after at, and returns how many. It changes no decision as long as no request
// before at follows.
func (b *Bench) Drop(at lab.Time) int {
	dropped := b.table.Drop(func(k limit.Key, seen lab.Time) bool { return b.fresh(k, seen, at) })
	for _, k := range dropped {
		for i := range b.lanes {
			b.lanes[i].limiters.Forget(k)
			if s := b.lanes[i].score; s != nil {
				s.forget(k)
			}
		}
	}
	return len(dropped)
}

// fresh says whether k's states equal a fresh key's for all requests at or after
// at.
func (b *Bench) fresh(k limit.Key, seen, at lab.Time) bool {
	if seen > at {
		return false
	}
	for i := range b.lanes {
		l := &b.lanes[i]
		if !l.limiters.Fresh(k, seen, at) || l.score != nil && !l.score.fresh(k, at) {
			return false
		}
	}
	return true
}

// Explain gives the arithmetic of the decision that each lane would make of r
// now. It changes nothing.
func (b *Bench) Explain(r lab.Request) ([]lab.Arithmetic, error) {
	a, err := b.table.Peek(r)
	if err != nil {
		return nil, err
	}
	why := make([]lab.Arithmetic, len(b.lanes))
	for i := range b.lanes {
		why[i] = b.lanes[i].limiters.Explain(&a)
	}
	return why, nil
}

// States tells what each lane holds for a key at an instant, which is moved up
// to the key's latest time seen.
func (b *Bench) States(key string, at lab.Time) []lab.State {
	// A key that is not held has a fresh key's states, and Peek gives it a
	// number that no key has.
	a, _ := b.table.Peek(lab.Request{At: at, Key: key, Cost: 1})
	states := make([]lab.State, len(b.lanes))
	for i := range b.lanes {
		states[i] = b.lanes[i].limiters.State(a.Key, a.Seen, a.At)
	}
	return states
}

// Scores are the lanes' scores, in order; nil without Options.Scores.
func (b *Bench) Scores() []*Score {
	if !b.options.Scores {
		return nil
	}
	scores := make([]*Score, len(b.lanes))
	for i := range b.lanes {
		scores[i] = b.lanes[i].score
	}
	return scores
}

// Entries is how many entries all lanes hold together: of logs, of queues with
// costs, of requests in progress.
func (b *Bench) Entries() int64 {
	var n int64
	for i := range b.lanes {
		n += b.lanes[i].limiters.Entries()
	}
	return n
}

// Keys is how many keys are held.
func (b *Bench) Keys() int { return b.table.Len() }

// Bytes is what each lane's states take for the keys that are held, in bytes.
func (b *Bench) Bytes() []int64 {
	bytes := make([]int64, len(b.lanes))
	for i := range b.lanes {
		bytes[i] = b.lanes[i].limiters.Held(b.table.Len())
	}
	return bytes
}

// TableBytes is the memory of the key table, the keys' texts included.
func (b *Bench) TableBytes() int64 { return b.table.Bytes() }

// Memory is about what the bench takes from the system, in bytes.
func (b *Bench) Memory() int64 {
	n := b.table.Bytes()
	for i := range b.lanes {
		n += b.lanes[i].limiters.Bytes()
		if s := b.lanes[i].score; s != nil {
			n += s.Bytes()
		}
	}
	return n
}

// Clone returns an independent copy.
func (b *Bench) Clone() *Bench {
	c := *b
	c.table = b.table.Clone()
	c.lanes = make([]lane, len(b.lanes))
	for i, l := range b.lanes {
		c.lanes[i].limiters = l.limiters.Clone()
		if l.score != nil {
			c.lanes[i].score = l.score.Clone()
		}
	}
	c.decisions = slices.Clone(b.decisions)
	return &c
}

// Checkpoint returns an independent copy that decides and explains as b does,
// without scores and without bounds: it can repeat any requests that b decides.
func (b *Bench) Checkpoint() *Bench {
	plain := *b
	plain.options = Options{}
	plain.lanes = make([]lane, len(b.lanes))
	for i := range b.lanes {
		plain.lanes[i].limiters = b.lanes[i].limiters
	}
	c := plain.Clone()
	c.table.SetMax(limit.MaxKeys)
	return c
}
