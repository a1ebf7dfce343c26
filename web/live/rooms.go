package live

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/burstlab/burstlab/lab/session"
)

// Rooms is the house: the open rooms by name.
type Rooms struct {
	config Config
	stats  Stats

	mu     sync.Mutex
	rooms  map[string]*Room
	closed bool
	ended  sync.WaitGroup
}

// NewRooms makes a house without rooms.
func NewRooms(config Config) *Rooms {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return &Rooms{config: config, rooms: make(map[string]*Room)}
}

// Stats are the house's figures.
func (h *Rooms) Stats() *Stats { return &h.stats }

// minIdle is how long a room has been empty before it may make way for a new
// one.
const minIdle = 10 * time.Second

// Open makes a room, in which the opening commands are given at its first
// instant. When the house is full, the room that has been empty the
// longest makes way; if people are in all of them the error is [ErrRoomsFull].
func (h *Rooms) Open(opening ...session.Command) (*Room, error) {
	room, err := newRoom(newName(), &h.config, &h.stats, opening)
	if err != nil {
		return nil, err
	}
	return h.open(room)
}

// Fork makes a room that has been the same as from up to this instant, and goes
// its own way from here on. Requests that wait in from for their answer stay
// there. Errors are as in [Rooms.Open], and ctx's.
func (h *Rooms) Fork(ctx context.Context, from *Room) (*Room, error) {
	history, kept, err := from.fork(ctx)
	if err != nil {
		return nil, err
	}
	return h.Continue(history, NewOrigin(from.name, kept.Now(), history.Shared(), kept))
}

// Continue makes a room in which a history goes on from where it is. It was made
// from the room that origin tells of, if it is not nil. The room owns both.
// Errors are as in [Rooms.Open], and [ErrTooHeavy].
func (h *Rooms) Continue(history *session.History, origin *Origin) (*Room, error) {
	room := continued(newName(), &h.config, &h.stats, history)
	room.origin = origin
	if err := room.stream(room.state.RealRate(nil)); err != nil {
		return nil, err
	}
	return h.open(room)
}

// open lets a room run. What it takes counts from now on, and not only when
// somebody uses it.
func (h *Rooms) open(room *Room) (*Room, error) {
	room.relieve = h.relieve
	bytes, total := room.weigh()
	err := ErrTooHeavy
	if bytes <= h.config.MaxBytes {
		err = h.start(room)
	}
	if err != nil {
		room.discard()
		return nil, err
	}
	if total > h.config.MaxTotal {
		h.relieve()
	}
	return room, nil
}

func (h *Rooms) start(room *Room) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	if len(h.rooms) >= h.config.MaxRooms {
		idlest := h.idlest()
		if idlest == nil {
			return ErrRoomsFull
		}
		delete(h.rooms, idlest.name)
		idlest.close()
	}
	h.rooms[room.name] = room
	h.stats.Rooms.Add(1)
	h.ended.Go(func() {
		room.run()
		h.stats.Rooms.Add(-1)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.rooms[room.name] == room {
			delete(h.rooms, room.name)
		}
	})
	return nil
}

// idlest is the room that has been empty the longest, and for minIdle at least.
func (h *Rooms) idlest() *Room {
	oldest := h.config.Clock.Now().Add(-minIdle).UnixNano()
	var idlest *Room
	for _, r := range h.rooms {
		if since := r.idleSince.Load(); since != 0 && since <= oldest {
			oldest, idlest = since, r
		}
	}
	return idlest
}

// relieve ends the heaviest room.
func (h *Rooms) relieve() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stats.Bytes.Load() <= h.config.MaxTotal {
		return // another room has just seen to it
	}
	var heaviest *Room
	for _, r := range h.rooms {
		if heaviest == nil || r.weight.Load() > heaviest.weight.Load() {
			heaviest = r
		}
	}
	if heaviest == nil {
		return
	}
	delete(h.rooms, heaviest.name)
	bytes := heaviest.weight.Swap(0)
	h.stats.Bytes.Add(-bytes)
	h.stats.TooHeavy.Add(1)
	h.config.Log.Warn("room ended because all rooms take too much memory", "room", heaviest.name, "bytes", bytes)
	heaviest.close()
}

// Find returns the room of that name, in any case, or [ErrNoRoom].
func (h *Rooms) Find(name string) (*Room, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room, ok := h.rooms[strings.ToUpper(name)]; ok {
		return room, nil
	}
	return nil, ErrNoRoom
}

// Close ends every room and returns when all have ended: viewers' channels are
// closed, waiting hits answered with [ErrClosed]. No room can be opened after.
func (h *Rooms) Close() {
	h.mu.Lock()
	h.closed = true
	for name, r := range h.rooms {
		delete(h.rooms, name)
		r.close()
	}
	h.mu.Unlock()
	h.ended.Wait()
}
