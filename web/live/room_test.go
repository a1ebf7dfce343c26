package live_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

func TestTheFirstMessageIsTheWholeThenFramesFollowWithoutGaps(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		first := next(t, v)
		if !first.whole || first.viewers != 1 {
			t.Fatalf("the first message is %+v; expected a whole with one viewer", *first)
		}
		do(t, room, "send 14@0s; 10/s 100ms..1s")
		seq, decided := first.seq, first.decided
		for decided < 23 {
			m := next(t, v)
			if m.whole || m.seq != seq+1 || m.first != decided {
				t.Fatalf("after message %d with %d requests came %+v", seq, decided, *m)
			}
			seq, decided = m.seq, m.decided
		}
	})
}

func TestFramesComeAtMostTwentyTimesASecond(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		do(t, room, "stream 5000/s")
		after(time.Second)
		if n := len(waiting(v)); n < 19 || n > 22 {
			t.Errorf("%d messages in the first second; expected 20 and the whole", n)
		}
	})
}

// What somebody does is told at once, one beat before its time, while the rate
// stays the same.
func TestWhatSomebodyDoesIsToldAtOnce(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		do(t, room, "stream 1000/s")
		after(1010 * time.Millisecond)
		waiting(v)
		do(t, room, "send 1@0s key=now")
		if n := len(waiting(v)); n != 1 {
			t.Errorf("%d messages at the instant of a command; expected 1", n)
		}
		do(t, room, "send 1@0s key=now")
		if n := len(waiting(v)); n != 0 {
			t.Errorf("%d messages at the instant of the next; expected none yet", n)
		}
		n := 0
		for range 200 {
			do(t, room, "send 1@0s key=now")
			after(10 * time.Millisecond)
			n += len(waiting(v))
		}
		if n < 38 || n > 41 {
			t.Errorf("%d messages in 2 s of commands; expected 40", n)
		}
	})
}

func TestAQuietRoomSpeaksTwiceASecondAndAPausedOneNotAtAll(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		after(3 * time.Second)
		waiting(v)
		after(3 * time.Second) // past the lively seconds
		waiting(v)
		after(10 * time.Second)
		if n := len(waiting(v)); n != 20 {
			t.Errorf("%d messages in 10 quiet seconds; expected 20", n)
		}
		do(t, room, "pause")
		after(time.Second)
		if n := len(waiting(v)); n != 1 {
			t.Errorf("%d messages after the pause; expected 1, which says that the room is paused", n)
		}
		after(time.Hour)
		if n := len(waiting(v)); n != 0 {
			t.Errorf("%d messages in a paused hour; expected none", n)
		}
	})
}

func TestRequestsAfterAQuietTimeAreShownWithinABeat(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		do(t, room, "send 1@20s130ms")
		start := time.Now()
		for {
			if m := next(t, v); m.decided == 1 {
				break
			}
		}
		if late := time.Since(start) - 20130*time.Millisecond; late < 0 || late > 50*time.Millisecond {
			t.Errorf("shown %v after it was sent; expected at most 50ms", late)
		}
	})
}

func TestViewersShareTheSameMessages(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		a, b := join(t, room, 0), join(t, room, 0)
		defer a.Leave()
		defer b.Leave()
		after(time.Second)
		waiting(a)
		waiting(b)
		do(t, room, "stream 100/s")
		after(time.Second)
		if !slices.Equal(waiting(a), waiting(b)) {
			t.Error("two viewers got different messages; expected the very same ones")
		}
	})
}

func TestOneWhoLostSomeFramesGetsThemAgain(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		stays, goes := join(t, room, 0), join(t, room, 0)
		defer stays.Leave()
		after(time.Second)
		waiting(stays)
		last := waiting(goes)
		heard := last[len(last)-1].seq
		goes.Leave()
		do(t, room, "stream 100/s")
		after(2 * time.Second)
		back := join(t, room, heard)
		defer back.Leave()
		got, missed := waiting(back), waiting(stays)
		if n := len(missed); len(got) < n || !slices.Equal(got[:n], missed) {
			t.Errorf("came back after message %d and got %d messages, the first %+v; expected the %d that the other got", heard, len(got), *got[0], n)
		}
	})
}

func TestOneWhoLostTooMuchGetsAWhole(t *testing.T) {
	for _, test := range []struct {
		name  string
		heard func(last uint64) uint64
	}{
		{"too old", func(last uint64) uint64 { return last - 65 }},
		{"of another room", func(last uint64) uint64 { return last + 1 }},
		{"nothing", func(uint64) uint64 { return 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
				v := join(t, room, 0)
				defer v.Leave()
				do(t, room, "stream 100/s")
				var last uint64
				for range 10 {
					after(time.Second)
					for _, m := range waiting(v) {
						last = m.seq
					}
				}
				if err := v.Resume(t.Context(), test.heard(last)); err != nil {
					t.Fatal(err)
				}
				m := next(t, v)
				if !m.whole || m.seq <= last {
					t.Fatalf("got %+v after message %d; expected a newer whole", *m, last)
				}
				if after := next(t, v); after.whole || after.seq != m.seq+1 {
					t.Errorf("after whole %d came %+v; expected the frame that follows", m.seq, *after)
				}
			})
		})
	}
}

func TestASlowReaderIsDroppedToAWholeAndHoldsUpNobody(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		slow, quick := join(t, room, 0), join(t, room, 0)
		defer slow.Leave()
		defer quick.Leave()
		do(t, room, "stream 1000/s")
		var seen []*told
		for range 5 { // a hundred frames, more than a queue holds
			after(time.Second)
			seen = append(seen, waiting(quick)...)
		}
		for i := 1; i < len(seen); i++ {
			if seen[i].seq != seen[i-1].seq+1 {
				t.Fatalf("the quick reader got %d after %d", seen[i].seq, seen[i-1].seq)
			}
		}
		got := waiting(slow)
		if len(got) == 0 || !got[0].whole || got[0].seq < 60 {
			t.Fatalf("the slow reader finds %d messages, the first %+v; expected a fresh whole", len(got), *got[0])
		}
		for i := 1; i < len(got); i++ {
			if got[i].seq != got[i-1].seq+1 {
				t.Fatalf("the slow reader got %d after %d", got[i].seq, got[i-1].seq)
			}
		}
		if n := house.Stats().Dropped.Load(); n != 1 {
			t.Errorf("dropped %d times; expected 1", n)
		}
	})
}

func TestChangedLanesAndAResetAreToldWithAWholeInTheSequence(t *testing.T) {
	for _, command := range []string{`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":5,"per":"1s"}]}`, "reset"} {
		bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
			v := join(t, room, 0)
			defer v.Leave()
			do(t, room, "send 14@0s")
			after(time.Second)
			seen := waiting(v)
			do(t, room, command)
			after(60 * time.Millisecond)
			if m := next(t, v); !m.whole || m.seq != seen[len(seen)-1].seq+1 {
				t.Errorf("%s is told by %+v; expected a whole with the next number", command, *m)
			}
			do(t, room, "send 1@0s")
			if m := next(t, v); m.whole || m.decided != m.first+1 {
				t.Errorf("after %s a request is told by %+v; expected a frame of one request", command, *m)
			}
		})
	}
}

func TestReadAgreesWithTheMessages(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		do(t, room, "stream 1000/s")
		after(333 * time.Millisecond)
		var seq, decided uint64
		if err := room.Read(t.Context(), func(info live.Info, s *session.State) { seq, decided = info.Seq, s.Decided() }); err != nil {
			t.Fatal(err)
		}
		after(10 * time.Millisecond)
		v := join(t, room, seq)
		defer v.Leave()
		if m := next(t, v); m.whole || m.seq != seq+1 || m.first != decided {
			t.Errorf("a page that shows message %d with %d requests hears %+v next", seq, decided, *m)
		}
	})
}

func TestARefusedCommandIsNotLoggedAndEndsTheRow(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		err := room.Do(t.Context(), session.Pause{}, session.Pause{}, session.Resume{})
		var refused *session.Refusal
		if !errors.As(err, &refused) {
			t.Fatalf("the second pause got %v; expected a refusal", err)
		}
		if !state(t, room, (*session.State).Paused) {
			t.Error("the room runs; expected the commands after the refused one to be left out")
		}
		if n := state(t, room, (*session.State).Seq); n != 1 {
			t.Errorf("%d entries in the log; expected 1", n)
		}
	})
}

func TestViewersAreBounded(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		for range 5 {
			v := join(t, room, 0)
			defer v.Leave()
		}
		if _, err := room.Join(t.Context(), 0); !errors.Is(err, live.ErrViewersFull) {
			t.Fatalf("the sixth viewer got %v; expected %v", err, live.ErrViewersFull)
		}
		if n := house.Stats().Viewers.Load(); n != 5 {
			t.Errorf("the figures say %d viewers; expected 5", n)
		}
	})
}

func TestAPanicEndsOneRoomOnly(t *testing.T) {
	c := config()
	frame := c.Encode.Frame
	c.Encode.Frame = func(info live.Info, s *session.State, first uint64) (live.Message, error) {
		if s.Decided() == 13 {
			panic("thirteen")
		}
		return frame(info, s, first)
	}
	bubble(t, c, func(t *testing.T, house *live.Rooms, room *live.Room) {
		other, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		v := join(t, room, 0)
		do(t, room, "send 13@0s")
		<-room.Done()
		waiting(v)
		if _, open := <-v.Messages(); open {
			t.Error("the viewer's messages go on; expected them to end")
		}
		if err := room.Do(t.Context(), session.Pause{}); !errors.Is(err, live.ErrClosed) {
			t.Errorf("a command gets %v; expected %v", err, live.ErrClosed)
		}
		do(t, other, "pause")
		synctest.Wait()
		if n := house.Stats().Panics.Load(); n != 1 {
			t.Errorf("the figures say %d panics; expected 1", n)
		}
		if n := house.Stats().Rooms.Load(); n != 1 {
			t.Errorf("the figures say %d rooms; expected 1", n)
		}
	})
}
