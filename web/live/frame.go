package live

import (
	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Message is an encoded message: made once, never changed, shared by all
// viewers. The room only passes it on.
type Message interface {
	// Size is its length in bytes, for the figures.
	Size() int
}

// Info is what a message says of the room beside the session's state.
type Info struct {
	Room    string
	Viewers int
	// Seq is the message's number. A whole has the number of the last frame
	// that it includes.
	Seq uint64
	// Origin is what the room was made from; nil when it began by itself.
	Origin *Origin
}

// Origin is a room from which another was made. Nobody changes it, and any
// goroutine may read it.
type Origin struct {
	// Room is its name; it may have ended.
	Room string
	// At is the lab time up to which the two are the same, and Shared how many
	// requests they had until then.
	At     lab.Time
	Shared uint64
	// Kept is what the original kept when the other was made.
	Kept *session.Kept
}

// NewOrigin tells of a room that kept so much when another was made of what it
// was at a lab time, with a history that has so many requests in common. It takes
// kept over.
func NewOrigin(room string, at lab.Time, shared uint64, kept *session.Kept) *Origin {
	kept.Complete()
	return &Origin{room, at, shared, kept}
}

// Encoder turns a session's state into messages. Its functions run in the
// goroutine that owns the state, and keep nothing of it.
type Encoder struct {
	// Whole says everything that a new viewer needs.
	Whole func(Info, *session.State) (Message, error)
	// Frame says what changed since the last frame; first is the number of the
	// first request that no frame has told of.
	Frame func(info Info, s *session.State, first uint64) (Message, error)
}

// ringSize is how many frames a room keeps for viewers that lost some: over
// three seconds at full rate, as far as they are not longer than ringBytes
// together.
const (
	ringSize  = 64
	ringBytes = 4 << 20
)

// ring keeps the last frames. Frame n+1 follows frame n, without gaps.
type ring struct {
	frames [ringSize]Message
	last   uint64 // number of the newest frame; 0: none yet
	count  uint64 // how many are kept
	bytes  int64  // how long they are together
}

// add keeps m as frame number last+1.
func (r *ring) add(m Message) {
	for r.count > 0 && (r.count == ringSize || r.bytes+int64(m.Size()) > ringBytes) {
		oldest := &r.frames[(r.last-r.count+1)%ringSize]
		r.bytes -= int64((*oldest).Size())
		*oldest = nil
		r.count--
	}
	r.last++
	r.count++
	r.bytes += int64(m.Size())
	r.frames[r.last%ringSize] = m
}

// since returns the frames after number seq, oldest first. ok is false when
// some of them are gone, or seq is a number that no frame has had, as 0 is.
func (r *ring) since(seq uint64) (missed []Message, ok bool) {
	if seq == 0 || seq > r.last || r.last-seq > r.count {
		return nil, false
	}
	for n := seq + 1; n <= r.last; n++ {
		missed = append(missed, r.frames[n%ringSize])
	}
	return missed, true
}
