package session

import (
	"fmt"
	"slices"
	"sort"

	"github.com/burstlab/burstlab/lab"
)

// History is a session's log together with its newest state. Older states are
// replayed from checkpoints, which never show in a result.
type History struct {
	base        *State  // before entries[0]; nobody changes it
	entries     []Entry // in order, bounded
	most        int
	checkpoints []*State // after some of the entries, in order
	state       *State   // the newest
}

// checkpointEvery is how many entries lie between two checkpoints.
const checkpointEvery = 1024

// DefaultEntries is how much of its log a room keeps.
const DefaultEntries = 8192

// NewHistory returns the history of a session at its beginning. It keeps at
// most entries of the log: when there are more, the oldest half becomes a state
// from which the rest is replayed, and moments before it can no longer be
// reached.
func NewHistory(policies []lab.Policy, limits Limits, entries int) (*History, error) {
	s, err := New(policies, limits)
	if err != nil {
		return nil, err
	}
	return &History{base: s.Clone(), most: max(entries, 2*checkpointEvery), state: s}, nil
}

// State is the newest state. The caller may advance it, and changes it in no
// other way.
func (h *History) State() *State { return h.state }

// Append gives a command at a stamp: it numbers it, applies it to the newest
// state, and logs it when it was carried out.
func (h *History) Append(stamp Stamp, c Command) (Entry, error) {
	e := Entry{h.state.Seq() + 1, max(stamp, h.state.Stamp()), c}
	if err := h.state.Apply(e); err != nil {
		return Entry{}, err
	}
	if len(h.entries) >= h.most {
		h.compact()
	}
	h.entries = append(h.entries, e)
	if e.Seq%checkpointEvery == 0 {
		h.checkpoints = append(h.checkpoints, h.state.Clone())
	}
	return e, nil
}

// compact makes the checkpoint in the middle of the log the new base.
func (h *History) compact() {
	middle := h.entries[len(h.entries)/2].Seq
	i := sort.Search(len(h.checkpoints), func(i int) bool { return h.checkpoints[i].Seq() >= middle })
	if i == len(h.checkpoints) {
		i--
	}
	h.base = h.checkpoints[i]
	h.checkpoints = slices.Clone(h.checkpoints[i+1:])
	h.entries = slices.Clone(h.entries[h.base.Seq()+1-h.entries[0].Seq:])
}

// Since is the entries after number seq; false when some of them are no longer
// kept.
func (h *History) Since(seq uint64) ([]Entry, bool) {
	if seq < h.base.Seq() {
		return nil, false
	}
	return h.entries[min(uint64(len(h.entries)), seq-h.base.Seq()):], true
}

// At is the state at a stamp: what replaying the log from its beginning up to
// there gives. It is the caller's own.
func (h *History) At(stamp Stamp) (*State, error) {
	if stamp < h.base.Stamp() {
		return nil, refusal("the session's log no longer reaches back so far")
	}
	from := h.base
	for _, c := range h.checkpoints {
		if c.Stamp() <= stamp {
			from = c
		}
	}
	s := from.Clone()
	return s, replay(s, h.entries[s.Seq()-h.base.Seq():], stamp)
}

// Fork is a new history that was the same up to a stamp, and in which nothing
// has happened since.
func (h *History) Fork(stamp Stamp) (*History, error) {
	s, err := h.At(stamp)
	if err != nil {
		return nil, err
	}
	f := &History{base: h.base, most: h.most, state: s}
	f.entries = slices.Clone(h.entries[:s.Seq()-h.base.Seq()])
	for _, c := range h.checkpoints {
		if c.Seq() <= s.Seq() {
			f.checkpoints = append(f.checkpoints, c)
		}
	}
	return f, nil
}

// Replay is the state of a log at a stamp.
func Replay(policies []lab.Policy, limits Limits, log []Entry, stamp Stamp) (*State, error) {
	s, err := New(policies, limits)
	if err != nil {
		return nil, err
	}
	return s, replay(s, log, stamp)
}

func replay(s *State, log []Entry, stamp Stamp) error {
	for _, e := range log {
		if e.Stamp > stamp {
			break
		}
		if err := s.Apply(e); err != nil {
			return fmt.Errorf("entry %d (%s) cannot be replayed: %w", e.Seq, e.Command, err)
		}
	}
	s.Advance(stamp)
	return nil
}
