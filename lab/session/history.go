package session

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// History is a session's log together with its newest state. Older states are
// replayed from checkpoints, which never show in a result.
//
// It is bounded: moments before its oldest checkpoint can no longer be reached.
type History struct {
	base        *State   // the oldest checkpoint, before entries[0]; nobody changes it
	entries     []logged // in order
	bytes       int64    // what the entries' commands take, about
	told        int64    // what they took when the newest checkpoint was made
	checkpoints []*State // the others, in order; nobody changes them
	state       *State   // the newest
	shared      uint64   // requests that it has in common with the one it was forked from
}

// logged is an entry and where lab time stood once it had been carried out.
type logged struct {
	Entry
	now lab.Time
}

const (
	// A checkpoint is made after so many entries, so many requests or commands
	// of so many bytes, which bounds the work of reaching a moment and the size
	// of the log.
	checkpointEntries  = 1024
	checkpointRequests = 1 << 16
	checkpointBytes    = 1 << 20
	// maxCheckpoints bounds those that are kept, the base apart.
	maxCheckpoints = 8
)

// NewHistory returns the history of a session at its beginning.
func NewHistory(policies []lab.Policy, limits Limits) (*History, error) {
	s, err := New(policies, limits)
	if err != nil {
		return nil, err
	}
	return &History{base: s.Clone(), state: s}, nil
}

// State is the newest state. The caller does not change it.
func (h *History) State() *State { return h.state }

// Advance brings the newest state to a stamp; see [State.Advance].
func (h *History) Advance(stamp Stamp) {
	h.state.Advance(stamp)
	h.checkpoint()
}

// Append gives a command at a stamp: it numbers it, applies it to the newest
// state, and logs it when it was carried out.
func (h *History) Append(stamp Stamp, c Command) (Entry, error) {
	e := Entry{h.state.Seq() + 1, max(stamp, h.state.Stamp()), c}
	if err := h.state.Apply(e); err != nil {
		return Entry{}, err
	}
	h.entries = append(h.entries, logged{e, h.state.now})
	h.bytes += size(c)
	h.checkpoint()
	return e, nil
}

// checkpoint makes one when it is time, and gives up the oldest when there are
// too many.
func (h *History) checkpoint() {
	last := h.base
	if n := len(h.checkpoints); n > 0 {
		last = h.checkpoints[n-1]
	}
	if h.state.seq-last.seq < checkpointEntries && h.state.worked-last.worked < checkpointRequests && h.bytes-h.told < checkpointBytes {
		return
	}
	h.checkpoints = append(h.checkpoints, h.state.checkpoint())
	if len(h.checkpoints) > maxCheckpoints {
		gone := h.checkpoints[0].seq - h.base.seq
		for _, e := range h.entries[:gone] {
			h.bytes -= size(e.Command)
		}
		h.entries = slices.Clone(h.entries[gone:])
		h.base, h.checkpoints = h.checkpoints[0], slices.Clone(h.checkpoints[1:])
	}
	h.told = h.bytes
}

// size is about what a command takes in memory, in bytes.
func size(c Command) int64 {
	const small = 128
	switch c := c.(type) {
	case Send:
		return small + c.Traffic.Bytes()
	case Stream:
		return small + int64(len(c.Each.Key))
	case Hit:
		return small + int64(len(c.Each.Key))
	case Policies:
		n := small + int64(len(c.Policies))*int64(unsafe.Sizeof(lab.Policy{}))
		for _, p := range c.Policies {
			n += int64(len(p.Name))
		}
		return n
	}
	return small
}

// Memory is about what the history takes, in bytes, together with what others
// keep: requests that they share count once.
func (h *History) Memory(others ...*Kept) int64 {
	const entry = int64(unsafe.Sizeof(logged{}))
	seen := map[*bench.Bench]bool{}
	n := h.state.memory(seen) + h.base.memory(seen) + int64(cap(h.entries))*entry + h.bytes
	for _, c := range h.checkpoints {
		n += c.memory(seen)
	}
	for _, k := range others {
		n += k.record.memory(seen)
	}
	return n
}

// Since is the entries after number seq; false when some of them are no longer
// kept.
func (h *History) Since(seq uint64) ([]Entry, bool) {
	if seq < h.base.Seq() {
		return nil, false
	}
	var since []Entry
	for _, e := range h.entries[min(uint64(len(h.entries)), seq-h.base.Seq()):] {
		since = append(since, e.Entry)
	}
	return since, true
}

// At is the state at a stamp: what replaying the log from its beginning up to
// there gives. It is the caller's own.
func (h *History) At(stamp Stamp) (*State, error) {
	if stamp < h.base.Stamp() {
		return nil, refusal("the session's log no longer reaches back so far")
	}
	known := append(slices.Clone(h.checkpoints), h.state)
	s, err := seek(h.base, h.entries, known,
		func(c *State) bool { return c.stamp <= stamp },
		func(_ *State, e logged) bool { return e.Stamp > stamp })
	if err != nil {
		return nil, err
	}
	s.Advance(stamp)
	return s, nil
}

// seek is the state after those entries, from the first on, that do not come
// after the moment that is sought. It starts from the last state that reaches
// says is not after it either; base is one.
func seek(base *State, entries []logged, known []*State, reaches func(*State) bool, after func(*State, logged) bool) (*State, error) {
	from := base
	for _, c := range known {
		if reaches(c) {
			from = c
		}
	}
	s := from.Clone()
	for _, e := range entries[s.seq-base.seq:] {
		if after(s, e) {
			break
		}
		if err := reapply(s, e.Entry); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Fork is a new history that was the same up to a stamp, and in which nothing
// has happened since.
func (h *History) Fork(stamp Stamp) (*History, error) {
	s, err := h.At(stamp)
	if err != nil {
		return nil, err
	}
	return fork(s, h.base, h.entries, h.checkpoints), nil
}

// Shared is how many requests, of those since the last reset, were decided before
// the history was forked from another; 0 when it began by itself. The two number
// them alike.
func (h *History) Shared() uint64 { return h.shared }

// Replay is the state of a log at a stamp.
func Replay(policies []lab.Policy, limits Limits, log []Entry, stamp Stamp) (*State, error) {
	s, err := New(policies, limits)
	if err != nil {
		return nil, err
	}
	for _, e := range log {
		if e.Stamp > stamp {
			break
		}
		if err := reapply(s, e); err != nil {
			return nil, err
		}
	}
	s.Advance(stamp)
	return s, nil
}

// reapply carries out an entry that was carried out before; an error means
// that the log does not belong to the state.
func reapply(s *State, e Entry) error {
	if err := s.Apply(e); err != nil {
		return fmt.Errorf("entry %d (%s) cannot be replayed: %w", e.Seq, e.Command, err)
	}
	return nil
}
