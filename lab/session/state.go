package session

import (
	"fmt"
	"slices"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Limits bound a session. They are part of what a log means: replay under the
// limits under which the log was written.
type Limits struct {
	// Policies, at most bench.MaxPolicies.
	Policies int
	// Keys that are held at once, and Entries (of logs, queues and requests in
	// progress) that all lanes hold together. A request for which there is no
	// room is decided by no lane; see [State.Undecided].
	Keys    int
	Entries int64
	// Served requests that each lane's score holds to find the busiest span.
	Served int
	// Pending is how many requests may be still to come, the stream's apart.
	Pending int64
	// Record is how many decided requests are kept, the newest. Counted in
	// chunks of ChunkSize, so a few more may be; fewer after many changes of
	// policies.
	Record int
}

// DefaultLimits are for a room that a stranger can open.
var DefaultLimits = Limits{Policies: 16, Keys: 2000, Entries: 100_000, Served: 16_384, Pending: 100_000, Record: 20_000}

// Refusal is why a command cannot be carried out in the present state.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }

func refusal(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// State is a session at a moment. It is not safe for use by more than one
// goroutine.
type State struct {
	limits Limits
	seq    uint64 // of the last entry applied
	stamp  Stamp  // up to which the state has been brought
	began  Stamp  // at which it was lab time 0
	clock  clock
	now    lab.Time
	bench  *bench.Bench
	// generation counts the changes after which lanes and records no longer
	// belong to what was there before: policies set, reset.
	generation uint64
	life       uint64 // counts the resets: lab times mean the same only within one
	record     record
	undecided  int64
	worked     uint64 // requests ever decided or turned away, resets notwithstanding

	sources []*traffic.Source // in the order in which they were sent
	stream  *pulse
}

// New returns a session at its beginning, with lab time running at real time.
func New(policies []lab.Policy, limits Limits) (*State, error) {
	s := &State{limits: limits, clock: clock{tempo: RealTempo}}
	if len(policies) == 0 || len(policies) > limits.Policies {
		return nil, countError(len(policies), limits)
	}
	b, err := s.newBench(policies)
	if err != nil {
		return nil, err
	}
	s.bench = b
	return s, nil
}

func (s *State) newBench(policies []lab.Policy) (*bench.Bench, error) {
	// Lab time never runs backwards, so keys may be dropped.
	return bench.New(policies, bench.Options{
		MaxKeys: s.limits.Keys, MaxEntries: s.limits.Entries, InOrder: true, Scores: true, MaxServed: s.limits.Served,
	})
}

// Apply brings the state to the entry's stamp and carries its command out. A
// *[Refusal] or another error means that the command changed nothing and does
// not belong in the log; the state has then still moved to the stamp.
func (s *State) Apply(e Entry) error {
	if e.Seq != s.seq+1 {
		return fmt.Errorf("entry %d follows entry %d; expected %d", e.Seq, s.seq, s.seq+1)
	}
	s.Advance(e.Stamp)
	if err := e.Command.apply(s); err != nil {
		return err
	}
	s.seq = e.Seq
	return nil
}

// Advance brings the state to a stamp: it decides every request that falls due.
// A stamp in the past does nothing.
func (s *State) Advance(stamp Stamp) {
	if stamp <= s.stamp {
		return
	}
	s.stamp = stamp
	s.advance(s.clock.now(stamp))
}

func (s *State) advance(to lab.Time) {
	s.now = max(s.now, to)
	s.decideDue()
}

// decideDue decides every pending request whose time has come.
func (s *State) decideDue() {
	for {
		next := s.nextSource()
		if next == nil {
			return
		}
		r, _ := next.Peek()
		if r.At > s.now {
			return
		}
		next.Take()
		// A request that cannot be decided was never seen by any lane; it is
		// counted and shown.
		if s.decide(r) != nil {
			s.undecided++
			s.worked++
		}
		if _, more := next.Peek(); !more {
			s.drop(next)
		}
	}
}

func (s *State) decide(r lab.Request) error {
	if s.record.full() {
		// Only a request that is decided may change the record.
		if err := s.bench.Admit(r); err != nil {
			return err
		}
		s.record.open(s.bench, s.limits.Record)
	}
	decisions, err := s.bench.Decide(r)
	if err != nil {
		return err
	}
	s.record.add(r, decisions, s.bench.Policies(), s.generation)
	s.worked++
	return nil
}

// source is something that sends.
type source interface {
	Peek() (r lab.Request, more bool)
	Take()
}

// nextSource is the source whose request comes next; of those at the same
// instant the one that was sent first, the stream last. Nil when nothing is to
// come.
func (s *State) nextSource() source {
	var next source
	var at lab.Time
	for _, t := range s.sources {
		if r, _ := t.Peek(); next == nil || r.At < at {
			next, at = t, r.At
		}
	}
	if s.stream != nil {
		if r, _ := s.stream.Peek(); next == nil || r.At < at {
			next = s.stream
		}
	}
	return next
}

func (s *State) drop(ended source) {
	if ended == source(s.stream) {
		s.stream = nil
		return
	}
	s.sources = slices.DeleteFunc(s.sources, func(t *traffic.Source) bool { return source(t) == ended })
}

func (s *State) peek() (lab.Request, bool) {
	if next := s.nextSource(); next != nil {
		return next.Peek()
	}
	return lab.Request{}, false
}

// setClock makes lab time run differently from this moment on.
func (s *State) setClock(tempo Tempo, paused bool) { s.clock = clock{s.stamp, s.now, tempo, paused} }

// Seq is the number of the last entry that was applied.
func (s *State) Seq() uint64 { return s.seq }

// Began is the real time at which it was lab time 0: the session's beginning, or
// its last reset.
func (s *State) Began() Stamp { return s.began }

// Stamp is the real time up to which the state has been brought.
func (s *State) Stamp() Stamp { return s.stamp }

// Now is the lab time.
func (s *State) Now() lab.Time { return s.now }

// Paused says whether lab time stands still.
func (s *State) Paused() bool { return s.clock.paused }

// Pace is how fast lab time runs when it is not paused.
func (s *State) Pace() Tempo { return s.clock.tempo }

// Stream is the stream that is running, if one is.
func (s *State) Stream() (Stream, bool) {
	if s.stream == nil {
		return Stream{}, false
	}
	return s.stream.stream, true
}

// Policies are those in force. The caller does not change them.
func (s *State) Policies() []lab.Policy { return s.bench.Policies() }

// Generation changes when policies are set and on reset: lanes, scores and
// request numbers before and after do not belong together.
func (s *State) Generation() uint64 { return s.generation }

// Scores are the lanes' scores, in order. The caller does not change them.
func (s *State) Scores() []*bench.Score { return s.bench.Scores() }

// States tells what each lane holds for a key now.
func (s *State) States(key string) []lab.State { return s.bench.States(key, s.now) }

// Keys is how many keys are held.
func (s *State) Keys() int { return s.bench.Keys() }

// Bytes is the memory that each lane's states take.
func (s *State) Bytes() []int64 { return s.bench.Bytes() }

// Undecided counts the requests that no lane decided because the session held as
// many keys or entries as it may. Real requests to the endpoint are not among
// them: they are told so.
func (s *State) Undecided() int64 { return s.undecided }

// Pending is how many requests are still to come, the stream's apart.
func (s *State) Pending() int64 {
	var n int64
	for _, source := range s.sources {
		n += source.Left()
	}
	return n
}

// NextAt is the lab time of the next pending request, the stream's among them;
// false when nothing is pending.
func (s *State) NextAt() (lab.Time, bool) {
	r, ok := s.peek()
	return r.At, ok
}

// Next is when the next pending request falls due in real time at the present
// pace; false when nothing is pending or the session is paused.
func (s *State) Next() (Stamp, bool) {
	r, ok := s.peek()
	if !ok {
		return 0, false
	}
	return s.StampOf(r.At)
}

// StampOf is when lab time reaches t at the present pace; false while paused,
// unless t has been reached.
func (s *State) StampOf(t lab.Time) (Stamp, bool) {
	if t <= s.now {
		return s.stamp, true
	}
	return s.clock.stampOf(t)
}

// sourceBytes is about what a source takes for each of its patterns.
const sourceBytes = 400

// Memory is about what the state takes, in bytes.
func (s *State) Memory() int64 { return s.memory(map[*bench.Bench]bool{}) }

// memory is about what the state takes, in bytes, without what is in seen, to
// which it adds its own.
func (s *State) memory(seen map[*bench.Bench]bool) int64 {
	n := s.bench.Memory() + s.record.memory(seen)
	for _, source := range s.sources {
		n += int64(source.Patterns()) * sourceBytes
	}
	return n
}

// Clone returns an independent copy.
func (s *State) Clone() *State {
	c := s.checkpoint()
	c.record = s.record.clone()
	return c
}

// checkpoint is a copy that takes less memory.
func (s *State) checkpoint() *State {
	c := *s
	c.bench = s.bench.Clone()
	c.record = s.record.lean()
	c.sources = make([]*traffic.Source, len(s.sources))
	for i, source := range s.sources {
		c.sources[i] = source.Clone()
	}
	if s.stream != nil {
		stream := *s.stream
		c.stream = &stream
	}
	return &c
}
