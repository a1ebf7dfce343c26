package live_test

import (
	"sync"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

// A room's log is read by others while the room goes on: what they see is what
// was, and nobody is in the other's way (the race detector watches).
func TestALogIsReadWhileTheRoomGoesOn(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		defer join(t, room, 0).Leave()
		do(t, room, "stream 2000/s", "send 100@0s every 20ms key=ann")
		after(3 * time.Second)
		info, first, err := room.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now, err := first.At(first.Now())
		if err != nil {
			t.Fatal(err)
		}
		origin := live.NewOrigin(info.Room, lab.Time(time.Second), 2001+51, now.Kept())
		var others sync.WaitGroup
		for n := range 4 {
			others.Go(func() {
				for i := range 5 {
					_, log, err := room.Log(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					s, err := log.At(lab.Time(time.Second))
					if err != nil || s.Decided() != 2001+51 {
						t.Errorf("at 1 s: %d decided, %v", s.Decided(), err)
					}
					if h, err := log.Fork(lab.Time(time.Second)); err != nil || h.State().Decided() != 2001+51 {
						t.Errorf("forked at 1 s: %v", err)
					}
					if c := session.Compare(s.Kept(), origin.Kept, 0); c.Both != 2001+51 || c.Here+c.There != 0 {
						t.Errorf("the past and the present have %d requests in common; %d and %d are of one alone", c.Both, c.Here, c.There)
					}
					do(t, room, []string{"send 3@0s key=bob", "pace 2", "pace 1", "stream 1000/s", "stream 2000/s"}[(n+i)%5])
				}
			})
		}
		others.Wait()
		if s, err := first.At(first.Now()); err != nil || s.Decided() != now.Decided() {
			t.Errorf("the log of before has changed: %d decided, were %d (%v)", s.Decided(), now.Decided(), err)
		}
		altered, err := first.Alter(lab.Time(time.Second), session.Policies{Policies: config().Policies[:1]})
		if err != nil {
			t.Fatal(err)
		}
		other, err := house.Continue(altered, origin)
		if err != nil {
			t.Fatal(err)
		}
		read := func(r *live.Room) (info live.Info, decided uint64) {
			t.Helper()
			err := r.Read(t.Context(), func(i live.Info, s *session.State) { info, decided = i, s.Decided() })
			if err != nil {
				t.Fatal(err)
			}
			return info, decided
		}
		if info, decided := read(other); info.Origin != origin || decided != now.Decided() {
			t.Errorf("the copy has %d requests, its original had %d", decided, now.Decided())
		}
		do(t, other, "reset")
		if info, _ := read(other); info.Origin != nil {
			t.Error("a room that was reset still has an original")
		}
	})
}
