package live

import "context"

// queueSize is how many messages may wait for a viewer: over three seconds of
// frames, and all that a resume can answer with.
const queueSize = ringSize + 1

// Viewer is somebody's place in a room. Read [Viewer.Messages] until it is
// closed, and call [Viewer.Leave] when done.
type Viewer struct {
	room  *Room
	queue chan Message
	// stale says that the viewer waits for a whole. It belongs to the room's
	// goroutine.
	stale bool
}

// Messages is what the viewer has to be told, in order: the whole first, or the
// frames after the one with which it joined. It is closed when the room closes.
func (v *Viewer) Messages() <-chan Message { return v.queue }

// Resume asks for the frames after number seq: they come next, or a whole if
// the room does not have them any more.
func (v *Viewer) Resume(ctx context.Context, seq uint64) error {
	return v.room.call(ctx, func() { v.resume(seq) })
}

// Leave gives up the place. It may be called more than once.
func (v *Viewer) Leave() {
	// Nothing to do when the room is closed: it has no viewers any more.
	_ = v.room.call(context.Background(), func() { v.room.drop(v) })
}

// send queues m without waiting. When the queue is full the viewer has fallen
// behind: what waits for it is thrown away, and a whole follows.
func (v *Viewer) send(m Message) {
	if v.stale {
		return
	}
	select {
	case v.queue <- m:
	default:
		v.empty()
		v.stale, v.room.stale = true, true
		v.room.stats.Dropped.Add(1)
	}
}

func (v *Viewer) resume(seq uint64) {
	v.empty()
	missed, ok := v.room.ring.since(seq)
	v.stale = !ok
	v.room.stale = v.room.stale || v.stale
	for _, m := range missed {
		v.queue <- m // there is room: the queue is empty and longer than the ring
	}
}

// empty throws away what waits for the viewer. Only the room sends, so the
// queue stays empty until it does.
func (v *Viewer) empty() {
	for {
		select {
		case <-v.queue:
		default:
			return
		}
	}
}
