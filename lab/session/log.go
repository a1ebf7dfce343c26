package session

import (
	"slices"

	"github.com/burstlab/burstlab/lab"
)

// Log is what a history held at an instant. Any goroutine may use it while the
// history goes on. Its lab times are those since the last reset.
type Log struct {
	base        *State
	entries     []logged
	checkpoints []*State
	now         lab.Time
	life        uint64
	policies    []lab.Policy
	generation  uint64
}

// Log is the history's log as it is now.
func (h *History) Log() Log {
	return Log{
		h.base, h.entries[:len(h.entries):len(h.entries)], h.checkpoints[:len(h.checkpoints):len(h.checkpoints)],
		h.state.now, h.state.life, h.state.Policies(), h.state.generation,
	}
}

// Policies are those in force at its end. The caller does not change them.
func (l Log) Policies() []lab.Policy { return l.policies }

// Generation is that of its end; see [State.Generation].
func (l Log) Generation() uint64 { return l.generation }

// Now is the lab time up to which the log goes.
func (l Log) Now() lab.Time { return l.now }

// At is the session as it was at lab time t: after all requests and commands
// that came up to then. It is what replaying the log from its beginning gives,
// and the caller's own. A time to come is refused, and one that the log no
// longer reaches.
func (l Log) At(t lab.Time) (*State, error) {
	s, err := l.upTo(t)
	if err != nil {
		return nil, err
	}
	s.advance(t)
	return s, nil
}

// upTo is the state after the last command that was given up to t. A step that
// leapt over t is not among them.
func (l Log) upTo(t lab.Time) (*State, error) {
	if t < 0 || t > l.now {
		return nil, refusal("%s ms is not in the past; expected a lab time from 0 to %s ms", t.Millis(), l.now.Millis())
	}
	reaches := func(c *State) bool { return c.life < l.life || c.now <= t }
	if !reaches(l.base) {
		return nil, refusal("the session's log no longer reaches back so far; expected a lab time from %s ms on", l.base.now.Millis())
	}
	return seek(l.base, l.entries, l.checkpoints, reaches, func(s *State, e logged) bool { return s.life == l.life && e.now > t })
}

// Fork is a new history that was the same up to lab time t, stands still there,
// and in which nothing has happened since. Errors are those of [Log.At].
func (l Log) Fork(t lab.Time) (*History, error) {
	s, err := l.upTo(t)
	if err != nil {
		return nil, err
	}
	f := fork(s, l.base, l.entries, l.checkpoints)
	pace := s.Pace()
	if err := f.run(t); err != nil {
		return nil, err
	}
	f.shared = f.state.Decided()
	return f, f.rest(pace)
}

// MaxAltered bounds the requests that [Log.Alter] decides.
const MaxAltered = 1_000_000

// Alter is the history that would have come of other commands at lab time t:
// everything that was sent and set after t is given again at its time, and lab
// time stands still where the log ends. What the commands have made impossible
// is left out and, where they set policies, so are later changes of policies,
// which would undo them. Errors are those of [Log.Fork], those of the commands
// where they are not possible at t, and a refusal when more than [MaxAltered]
// requests would have to be decided.
func (l Log) Alter(t lab.Time, commands ...Command) (*History, error) {
	f, err := l.Fork(t)
	if err != nil {
		return nil, err
	}
	sets := false
	for _, c := range commands {
		if err := f.do(c); err != nil {
			return nil, err
		}
		_, set := c.(Policies)
		sets = sets || set
	}
	var again []Given
	for _, g := range l.given() {
		if _, set := g.Command.(Policies); g.At > t && !(set && sets) {
			again = append(again, g)
		}
	}
	if n := requests(f.state.Pending(), f.state.stream, again, l.now); n > MaxAltered {
		return nil, refusal("%s requests would come between %s ms and %s ms; expected at most %s: change something later, or send more slowly",
			lab.FormatCount(n), t.Millis(), l.now.Millis(), lab.FormatCount(MaxAltered))
	}
	pace := f.state.Pace()
	for _, g := range again {
		if err := f.run(g.At); err != nil {
			return nil, err
		}
		// An error says that it is not possible any more.
		_ = f.do(g.Command)
	}
	if err := f.run(l.now); err != nil {
		return nil, err
	}
	return f, f.rest(pace)
}

// Given is a command and the lab time at which it was given.
type Given struct {
	At      lab.Time
	Command Command
}

// given lists what was sent and set since the last reset, in order: all but what
// people did to the clock. It is complete as far as the log reaches.
func (l Log) given() []Given {
	var given []Given
	for _, e := range l.entries {
		switch e.Command.(type) {
		case Reset:
			given = nil
		case Send, Stream, Stop, Hit, Policies:
			given = append(given, Given{e.now, e.Command})
		}
	}
	return given
}

// Recording is all that makes a session what it is: what was sent and set, and
// when, since the last reset. Two sessions with equal recordings have decided
// the same.
type Recording struct {
	// Policies are those at lab time 0.
	Policies []lab.Policy
	// Given are in order, none later than End.
	Given []Given
	// End is how far lab time has come, and Pace how fast it goes on.
	End  lab.Time
	Pace Tempo
}

// Recording is the log's, since the last reset. It is refused when the log no
// longer reaches back to it.
func (l Log) Recording() (Recording, error) {
	r := Recording{Policies: l.base.Policies(), Given: l.given(), End: l.now, Pace: l.base.Pace()}
	if l.base.life == l.life && l.base.seq > 0 {
		return Recording{}, refusal("the session has gone on for too long: its log no longer reaches back to its beginning; reset it to begin anew")
	}
	life := l.base.life
	for _, e := range l.entries {
		switch c := e.Command.(type) {
		case Policies:
			if life < l.life {
				r.Policies = c.Policies
			}
		case Reset:
			life++
		case Pace:
			r.Pace = c.Tempo
		}
	}
	return r, nil
}

// Requests is at most how many requests a recording makes that are decided by
// its end.
func (r Recording) Requests() int64 { return requests(0, nil, r.Given, r.End) }

// requests is at most how many requests are decided by a lab time that n pending
// ones, a stream and later commands make.
func requests(n int64, running *pulse, given []Given, end lab.Time) int64 {
	stop := func(at lab.Time) {
		if running != nil {
			n = saturated(n, running.due(at))
			running = nil
		}
	}
	for _, g := range given {
		switch c := g.Command.(type) {
		case Send:
			n = saturated(n, c.Traffic.Count())
		case Hit:
			n = saturated(n, 1)
		case Stream:
			stop(g.At)
			running = &pulse{stream: c, from: g.At}
		case Stop:
			stop(g.At)
		}
	}
	stop(end)
	return n
}

// History plays the recording: lab time stands still at its end. An error says
// which command is not possible and why.
func (r Recording) History(limits Limits) (*History, error) {
	h, err := NewHistory(r.Policies, limits)
	if err != nil {
		return nil, err
	}
	for i, g := range r.Given {
		if g.At < h.state.now || g.At > r.End {
			return nil, refusal("command %d is given at %s ms; expected a lab time from %s ms to %s ms", i+1, g.At.Millis(), h.state.now.Millis(), r.End.Millis())
		}
		if err := h.run(g.At); err != nil {
			return nil, err
		}
		if err := h.do(g.Command); err != nil {
			return nil, refusal("command %d: %v", i+1, err)
		}
	}
	if r.End < 0 || r.End > MaxNow {
		return nil, refusal("the end is at %s ms; expected a lab time from 0 to %s ms", r.End.Millis(), MaxNow.Millis())
	}
	if err := h.run(r.End); err != nil {
		return nil, err
	}
	return h, h.rest(r.Pace)
}

func saturated(n, more int64) int64 {
	if more > 1<<62-n {
		return 1 << 62
	}
	return n + more
}

// run brings the history to lab time t in as little real time as t takes at the
// usual pace, at which it then goes on. A time before now is now.
func (h *History) run(t lab.Time) error {
	s := h.state
	if s.Pace() != RealTempo {
		if err := h.do(Pace{RealTempo}); err != nil {
			return err
		}
	}
	if s.Paused() {
		if err := h.do(Resume{}); err != nil {
			return err
		}
	}
	// What falls due is decided in parts, so that checkpoints lie in between.
	const part = Stamp(1_000_000_000)
	end := s.stamp + Stamp(max(t-s.now, 0))
	for {
		next, pending := s.Next()
		if !pending || next >= end {
			break
		}
		h.Advance(min(end, next+part))
	}
	h.Advance(end)
	return nil
}

// rest stops lab time, which is to go on at a pace. Where a stream is too fast
// for the pace it goes on at the usual one.
func (h *History) rest(pace Tempo) error {
	if !h.state.Paused() {
		if err := h.do(Pause{}); err != nil {
			return err
		}
	}
	if pace != h.state.Pace() {
		_ = h.do(Pace{pace})
	}
	return nil
}

// do gives a command at the newest stamp.
func (h *History) do(c Command) error {
	_, err := h.Append(h.state.stamp, c)
	return err
}

// fork is a history of the entries up to a state, which becomes its own.
func fork(s, base *State, entries []logged, checkpoints []*State) *History {
	f := &History{base: base, state: s, entries: slices.Clone(entries[:s.seq-base.seq]), shared: s.Decided()}
	last := base
	for _, c := range checkpoints {
		if c.seq <= s.seq && c.stamp <= s.stamp && c.worked <= s.worked {
			f.checkpoints = append(f.checkpoints, c)
			last = c
		}
	}
	for _, e := range f.entries {
		f.bytes += size(e.Command)
		if e.Seq <= last.seq {
			f.told = f.bytes
		}
	}
	return f
}
