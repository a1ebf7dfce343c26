package live

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Config is what the rooms of one server have in common. Every field is needed.
type Config struct {
	Clock  Clock
	Log    *slog.Logger
	Encode Encoder

	// Policies are what a new room starts with.
	Policies []lab.Policy
	Limits   session.Limits

	// MaxRooms and MaxViewers (in one room) bound the people; MaxHits bounds
	// the endpoint requests of one room that wait to be decided, MaxWaiting
	// those that wait in a leaky bucket, and MaxWait for how long, in real time.
	MaxRooms   int
	MaxViewers int
	MaxHits    int
	MaxWaiting int
	MaxWait    time.Duration
	// MaxBytes bounds what one room may take, its history included: one that
	// takes more ends. MaxTotal bounds what all may take together: while they
	// take more, the heaviest ends.
	MaxBytes int64
	MaxTotal int64
	// MaxStreaming bounds the requests a second of real time that the streams of
	// all rooms send together. One that sends no more than a room's share, a
	// MaxRooms-th, is always let in.
	MaxStreaming int64

	// Expire is how long a room stays that nobody views or uses; ExpireUnused
	// the same for one that nobody has used or joined at all.
	Expire       time.Duration
	ExpireUnused time.Duration
}

// How often a room speaks, in real time.
const (
	beatEvery  = session.Stamp(50 * time.Millisecond)  // while things happen
	quietEvery = session.Stamp(500 * time.Millisecond) // while only the clock runs
	livelyFor  = session.Stamp(5 * time.Second)        // levels still move this long after the last event

	// Without viewers a room only decides what is due, and stops its stream
	// when it has not been used for streamAlone.
	aloneEvery  = session.Stamp(time.Second)
	streamAlone = session.Stamp(30 * time.Second)

	// How often a room looks at how much memory it takes.
	weighEvery = session.Stamp(time.Second)

	never = session.Stamp(math.MaxInt64)
)

// Room is a live session. Its methods may be called from any goroutine.
type Room struct {
	name   string
	config *Config
	stats  *Stats
	made   time.Time
	origin *Origin // nil when the room began by itself

	calls chan func()
	hits  chan *pending
	stop  chan struct{} // closed to ask the room to end
	done  chan struct{} // closed when it has ended

	// idleSince is the clock's time in Unix nanoseconds since which nobody
	// views or uses the room; 0 while somebody does. The house reads it.
	idleSince atomic.Int64

	// weight is what the room takes, as the figures include it.
	weight atomic.Int64
	// relieve ends the heaviest room of the house.
	relieve func()

	// What follows belongs to the goroutine of run.

	history *session.History
	state   *session.State // the newest, which history advances
	ring    ring
	viewers map[*Viewer]struct{}
	waiting waiting
	counted uint64 // requests that the figures include
	told    uint64 // number of the first request that no message has told of
	lanes   uint64 // generation that the last message told of
	dirty   bool   // something else happened that no message has told of
	stale   bool   // some viewer waits for a whole
	used    bool   // somebody has joined, or used the room
	beatAt  session.Stamp
	// beatTAT is when the next beat is due at the steady rate, as in GCRA; what
	// somebody does may be told one beat before.
	beatTAT session.Stamp
	urgent  bool
	eventAt session.Stamp // the last time something happened
	useAt   session.Stamp // the last time somebody viewed or used the room
	weighAt session.Stamp // when to look at the memory again
	rate    int64         // of the stream, as the figures include it
}

// newRoom makes a room in which the opening commands are given at its first
// instant.
func newRoom(name string, config *Config, stats *Stats, opening []session.Command) (*Room, error) {
	history, err := session.NewHistory(config.Policies, config.Limits)
	if err != nil {
		return nil, err
	}
	r := continued(name, config, stats, history)
	for _, c := range opening {
		if err := r.apply(c, 0); err != nil {
			r.unstream()
			return nil, fmt.Errorf("opening command %s: %w", c, err)
		}
	}
	return r, nil
}

// continued makes a room in which a history goes on from where it is.
func continued(name string, config *Config, stats *Stats, history *session.History) *Room {
	state := history.State()
	now := state.Stamp()
	r := &Room{
		name: name, config: config, stats: stats,
		made:  config.Clock.Now().Add(-time.Duration(now)),
		calls: make(chan func()), hits: make(chan *pending, config.MaxHits),
		stop: make(chan struct{}), done: make(chan struct{}),
		history: history, state: state, viewers: make(map[*Viewer]struct{}),
		counted: state.Decided(), told: state.Decided(), lanes: state.Generation(),
		beatAt: now - beatEvery, beatTAT: now, useAt: now,
	}
	r.idle()
	return r
}

// Name is the room's name: readable, and not to be guessed.
func (r *Room) Name() string { return r.name }

// Done is closed when the room has ended.
func (r *Room) Done() <-chan struct{} { return r.done }

// Join gives the caller a place among the viewers. Its first message is a
// whole, or, if the viewer has already heard everything up to a frame that the
// room still remembers, the frames after it; heard is 0 for a newcomer.
func (r *Room) Join(ctx context.Context, heard uint64) (*Viewer, error) {
	v := &Viewer{room: r, queue: make(chan Message, queueSize)}
	var full bool
	err := r.call(ctx, func() {
		if full = len(r.viewers) >= r.config.MaxViewers; full {
			return
		}
		r.use(r.now())
		r.viewers[v] = struct{}{}
		r.idleSince.Store(0)
		r.stats.Viewers.Add(1)
		r.dirty = true
		v.resume(heard)
	})
	switch {
	case err != nil:
		return nil, err
	case full:
		return nil, ErrViewersFull
	}
	return v, nil
}

// Do applies the commands in order, at the same instant, and stops at the first
// that the session refuses; its reason is returned.
func (r *Room) Do(ctx context.Context, commands ...session.Command) error {
	var refused error
	err := r.call(ctx, func() {
		now := r.now()
		r.use(now)
		for _, c := range commands {
			if refused = r.apply(c, now); refused != nil {
				return
			}
			r.urgent = true
		}
	})
	if err != nil {
		return err
	}
	return refused
}

// Read shows f the room's state at this instant. f runs in the room's
// goroutine: it must be quick and keep nothing of the state. A viewer who joins
// with info.Seq misses nothing and hears nothing twice.
func (r *Room) Read(ctx context.Context, f func(info Info, s *session.State)) error {
	return r.call(ctx, func() {
		now := r.now()
		r.history.Advance(now)
		if r.dirty || r.state.Decided() != r.told {
			r.beat(now)
		}
		f(r.info(), r.state)
	})
}

// Log is the room's log up to this instant, which may be used while the room
// goes on.
func (r *Room) Log(ctx context.Context) (info Info, log session.Log, err error) {
	err = r.call(ctx, func() {
		now := r.now()
		r.use(now)
		r.history.Advance(now)
		info, log = r.info(), r.history.Log()
	})
	return info, log, err
}

// fork is a history that was the same as the room's up to this instant, and what
// the room keeps.
func (r *Room) fork(ctx context.Context) (fork *session.History, kept *session.Kept, err error) {
	var refused error
	err = r.call(ctx, func() {
		now := r.now()
		r.use(now)
		r.history.Advance(now)
		fork, refused = r.history.Fork(now)
		kept = r.state.Kept()
	})
	if err != nil {
		return nil, nil, err
	}
	return fork, kept, refused
}

// call runs f in the room's goroutine and returns when it has.
func (r *Room) call(ctx context.Context, f func()) error {
	finished := make(chan struct{})
	select {
	case r.calls <- func() { f(); close(finished) }:
	case <-r.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	// The room has it: it is done in a moment, or never because f panicked.
	select {
	case <-finished:
		return nil
	case <-r.done:
		return ErrClosed
	}
}

// run is the room's goroutine. A panic in it ends this room and no other.
func (r *Room) run() {
	defer close(r.done)
	defer r.end()
	defer func() {
		if p := recover(); p != nil {
			r.stats.Panics.Add(1)
			r.config.Log.Error("room ended by a panic", "room", r.name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	timer := r.config.Clock.NewTimer()
	defer timer.Stop()
	for {
		wake := r.wake()
		if wake != never {
			timer.Reset(time.Duration(max(wake-r.now(), 0)))
		} else {
			timer.Stop()
		}
		select {
		case f := <-r.calls:
			f()
		case p := <-r.hits:
			r.decideBatch(p, r.now())
		case <-timer.C():
		case <-r.stop:
			return
		}
		if !r.turn() {
			return
		}
	}
}

// turn does what has become due, and says whether the room goes on.
func (r *Room) turn() bool {
	now := r.now()
	r.history.Advance(now)
	r.count()
	r.release()
	if len(r.viewers) > 0 {
		r.use(now)
		if now >= r.beatDue() {
			r.beat(now)
		}
	} else if now >= r.streamDue() {
		// Nobody watches: what a stream would make from here on would only be
		// piled up for whoever comes next.
		if err := r.apply(session.Stop{}, now); err != nil {
			panic("live: a running stream cannot be stopped: " + err.Error())
		}
	}
	return now < r.expireDue() && !r.tooHeavy(now)
}

// tooHeavy says whether the room takes more memory than it may.
func (r *Room) tooHeavy(now session.Stamp) bool {
	if now < r.weighAt {
		return false
	}
	r.weighAt = now + weighEvery
	bytes, total := r.weigh()
	if bytes <= r.config.MaxBytes {
		if total > r.config.MaxTotal {
			r.relieve()
		}
		return false
	}
	r.stats.TooHeavy.Add(1)
	r.config.Log.Warn("room ended because it takes too much memory", "room", r.name, "bytes", bytes)
	return true
}

// weigh brings the figures up to date with what the room takes, in bytes, and
// says what all rooms take.
func (r *Room) weigh() (bytes, total int64) {
	var original []*session.Kept
	if r.origin != nil {
		original = append(original, r.origin.Kept)
	}
	bytes = r.history.Memory(original...) + r.ring.bytes
	return bytes, r.stats.Bytes.Add(bytes - r.weight.Swap(bytes))
}

// discard gives back what a room has taken that never ran.
func (r *Room) discard() {
	r.stats.Bytes.Add(-r.weight.Swap(0))
	r.unstream()
}

// wake is when the room has to turn next if nothing else happens.
func (r *Room) wake() session.Stamp {
	wake := min(r.beatDue(), r.streamDue(), r.expireDue())
	if len(r.waiting) > 0 {
		if due, running := r.state.StampOf(r.waiting[0].leaves); running {
			wake = min(wake, due)
		}
	}
	if _, pending := r.state.Next(); pending && len(r.viewers) == 0 {
		wake = min(wake, r.now()+aloneEvery)
	}
	return wake
}

// beatDue is when the viewers hear something next.
func (r *Room) beatDue() session.Stamp {
	switch soonest := r.beatTAT; {
	case len(r.viewers) == 0:
		return never
	case r.urgent:
		return soonest - beatEvery
	case r.dirty || r.state.Decided() != r.told || r.stale:
		return soonest
	case r.state.Paused():
		return never
	case r.beatAt < r.eventAt+livelyFor:
		return soonest
	default:
		due := r.beatAt + quietEvery
		if next, pending := r.state.Next(); pending {
			due = min(due, max(next, soonest))
		}
		return due
	}
}

// streamDue is when a stream that nobody watches is stopped.
func (r *Room) streamDue() session.Stamp {
	if _, streaming := r.state.Stream(); !streaming || len(r.viewers) > 0 {
		return never
	}
	return r.useAt + streamAlone
}

// expireDue is when the room ends for want of people.
func (r *Room) expireDue() session.Stamp {
	switch {
	case len(r.viewers) > 0 || len(r.waiting) > 0:
		return never
	case r.used:
		return r.useAt + session.Stamp(r.config.Expire)
	default:
		return r.useAt + session.Stamp(r.config.ExpireUnused)
	}
}

// beat numbers what is new and tells the viewers. When the lanes themselves
// have changed it tells them everything, otherwise what changed.
func (r *Room) beat(now session.Stamp) {
	if r.dirty || r.state.Decided() != r.told {
		r.eventAt = now
	}
	info := r.info()
	info.Seq++
	var message Message
	var err error
	if lanes := r.state.Generation(); lanes != r.lanes {
		r.lanes = lanes
		message, err = r.config.Encode.Whole(info, r.state)
	} else {
		message, err = r.config.Encode.Frame(info, r.state, r.told)
	}
	if err != nil {
		panic(fmt.Sprintf("live: message %d cannot be encoded: %v", info.Seq, err))
	}
	r.ring.add(message)
	r.told, r.dirty, r.urgent = r.state.Decided(), false, false
	r.beatAt, r.beatTAT = now, max(now, r.beatTAT)+beatEvery
	r.stats.Frames.Add(1)
	r.stats.FrameBytes.Add(uint64(message.Size()))
	for v := range r.viewers {
		v.send(message)
	}
	r.refresh()
}

// refresh gives a whole to the viewers who wait for one.
func (r *Room) refresh() {
	if !r.stale {
		return
	}
	r.stale = false
	var whole Message
	for v := range r.viewers {
		if !v.stale {
			continue
		}
		if whole == nil {
			var err error
			if whole, err = r.config.Encode.Whole(r.info(), r.state); err != nil {
				panic(fmt.Sprintf("live: whole %d cannot be encoded: %v", r.ring.last, err))
			}
		}
		v.stale = false
		v.send(whole)
	}
}

func (r *Room) info() Info {
	return Info{Room: r.name, Viewers: len(r.viewers), Seq: r.ring.last, Origin: r.origin}
}

// apply has the session carry c out now, and log it.
func (r *Room) apply(c session.Command, now session.Stamp) error {
	r.history.Advance(now)
	r.count()
	if err := r.stream(r.state.RealRate(c)); err != nil {
		return err
	}
	_, err := r.history.Append(now, c)
	rate := r.state.RealRate(nil)
	r.stats.Streaming.Add(rate - r.rate)
	r.rate = rate
	if err != nil {
		return err
	}
	r.dirty = true
	if _, reset := c.(session.Reset); reset {
		r.counted, r.told = 0, 0
		r.origin = nil
		r.waiting.finishAll(ErrReset)
	}
	// Who is answered finds their request in the figures.
	r.count()
	return nil
}

// stream takes as much of what all rooms may stream as a rate needs, if there
// is so much.
func (r *Room) stream(rate int64) error {
	more := rate - r.rate
	if more <= 0 {
		return nil
	}
	share := r.config.MaxStreaming / int64(r.config.MaxRooms)
	if r.stats.Streaming.Add(more) > r.config.MaxStreaming && rate > share {
		r.stats.Streaming.Add(-more)
		return ErrStreamsFull
	}
	r.rate = rate
	return nil
}

// unstream gives back what the room's own streams have taken.
func (r *Room) unstream() {
	r.stats.Streaming.Add(-r.rate)
	r.rate = 0
}

// count brings the figures up to date.
func (r *Room) count() {
	decided := r.state.Decided()
	r.stats.Decisions.Add(decided - r.counted)
	r.counted = decided
}

// use notes that somebody is there.
func (r *Room) use(now session.Stamp) {
	r.used, r.useAt = true, now
	if len(r.viewers) == 0 {
		r.idle()
	}
}

// idle notes that from now on nobody views the room.
func (r *Room) idle() { r.idleSince.Store(r.config.Clock.Now().UnixNano()) }

// drop gives up a viewer's place.
func (r *Room) drop(v *Viewer) {
	if _, here := r.viewers[v]; !here {
		return
	}
	delete(r.viewers, v)
	close(v.queue)
	r.stats.Viewers.Add(-1)
	r.dirty = true
	r.use(r.now())
}

// end leaves nobody waiting.
func (r *Room) end() {
	r.stats.Bytes.Add(-r.weight.Swap(0))
	r.unstream()
	r.waiting.finishAll(ErrClosed)
	for v := range r.viewers {
		r.drop(v)
	}
}

// now is the stamp of this instant: real time since the room was made.
func (r *Room) now() session.Stamp {
	return session.Stamp(r.config.Clock.Now().Sub(r.made))
}

// When is the instant of a stamp, by the rooms' clock.
func (r *Room) When(stamp session.Stamp) time.Time { return r.made.Add(time.Duration(stamp)) }

// close asks the room to end. The house calls it once.
func (r *Room) close() { close(r.stop) }
