package live_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

func TestAHitIsAnsweredByTheChosenPolicyAtThisInstant(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		after(1234 * time.Millisecond)
		for i, r := range hits(t.Context(), room, "token", 12) {
			want := lab.Allow
			if i >= 10 {
				want = lab.Refuse
			}
			got := <-r
			if got.err != nil || got.Decision.Verdict != want || got.took != 0 {
				t.Errorf("hit %d: %v; expected %v at once", i, got, want)
			}
			if got.Number != uint64(i) || got.Policy.Name != "token" || got.Request.At != lab.Time(1234*time.Millisecond) {
				t.Errorf("hit %d was number %d at %v by %q", i, got.Number, got.Request.At, got.Policy.Name)
			}
		}
		a, err := room.Hit(t.Context(), hit(""))
		if err != nil || a.Policy.Name != "token" {
			t.Errorf("a hit that names no policy is answered by %q, %v; expected the first", a.Policy.Name, err)
		}
	})
}

func TestADelayedHitIsAnsweredWhenItLeaves(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		for i, r := range hits(t.Context(), room, "leaky", 12) {
			got := <-r
			want := time.Duration(i) * 100 * time.Millisecond
			if i >= 10 {
				want = 0 // refused at once
			}
			if got.err != nil || got.took != want {
				t.Errorf("hit %d: %v; expected an answer after %v", i, got, want)
			}
		}
	})
}

func TestTheWaitOfADelayedHitFollowsThePace(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		do(t, room, "pace 2")
		held := hits(t.Context(), room, "leaky", 5) // the last leaves at lab time 400 ms
		after(50 * time.Millisecond)                // lab time 100 ms
		do(t, room, "pause")
		after(time.Second)
		do(t, room, "resume", "pace 0.5") // 300 ms to go, which take 600 ms
		if got := <-held[4]; got.err != nil || got.took != 1650*time.Millisecond {
			t.Errorf("%v; expected an answer after 50 ms, the pause of 1 s, and 600 ms", got)
		}
	})
}

func TestASteppedSessionLetsHitsLeave(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		do(t, room, "pause")
		held := hits(t.Context(), room, "leaky", 3)
		do(t, room, "step 100ms")
		synctest.Wait()
		if len(held[1]) != 1 || len(held[2]) != 0 {
			t.Errorf("after a step of 100 ms hit 1 has %d answers and hit 2 has %d; expected 1 and 0", len(held[1]), len(held[2]))
		}
		do(t, room, "step 100ms")
		<-held[2]
	})
}

func TestAHitThatCannotWaitToItsEndIsToldWhy(t *testing.T) {
	t.Run("reset", func(t *testing.T) {
		bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
			held := hits(t.Context(), room, "leaky", 2)
			do(t, room, "reset")
			if got := <-held[1]; !errors.Is(got.err, live.ErrReset) {
				t.Errorf("%v; expected %v", got, live.ErrReset)
			}
		})
	})
	t.Run("close", func(t *testing.T) {
		bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
			held := hits(t.Context(), room, "leaky", 2)
			house.Close()
			if got := <-held[1]; !errors.Is(got.err, live.ErrClosed) {
				t.Errorf("%v; expected %v", got, live.ErrClosed)
			}
		})
	})
	t.Run("client gone", func(t *testing.T) {
		bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
			ctx, cancel := context.WithCancel(t.Context())
			held := hits(ctx, room, "leaky", 2)
			cancel()
			if got := <-held[1]; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%v; expected %v", got, context.Canceled)
			}
		})
	})
	t.Run("paused for too long", func(t *testing.T) {
		bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
			do(t, room, "pause")
			held := hits(t.Context(), room, "leaky", 2)
			if got := <-held[1]; !errors.Is(got.err, live.ErrWaitTooLong) || got.took != time.Minute {
				t.Errorf("%v; expected %v after a minute", got, live.ErrWaitTooLong)
			}
		})
	})
	t.Run("a queue of days", func(t *testing.T) {
		c := config()
		c.Policies = []lab.Policy{{Name: "daily", Algorithm: lab.LeakyBucket, Limit: 1, Per: 24 * time.Hour, Queue: 5}}
		bubble(t, c, func(t *testing.T, _ *live.Rooms, room *live.Room) {
			held := hits(t.Context(), room, "daily", 2)
			if got := <-held[1]; !errors.Is(got.err, live.ErrWaitTooLong) || got.took != 0 {
				t.Errorf("%v; expected %v at once", got, live.ErrWaitTooLong)
			}
		})
	})
}

func TestHitsThatWaitAreBounded(t *testing.T) {
	c := config()
	c.MaxWaiting = 3
	bubble(t, c, func(t *testing.T, _ *live.Rooms, room *live.Room) {
		held := hits(t.Context(), room, "leaky", 5) // one leaves at once, three wait
		if got := <-held[4]; !errors.Is(got.err, live.ErrBusy) || got.took != 0 {
			t.Errorf("%v; expected %v at once", got, live.ErrBusy)
		}
		if n := state(t, room, (*session.State).Decided); n != 4 {
			t.Errorf("%d requests decided; expected 4: the refused hit is none", n)
		}
		if got := <-hits(t.Context(), room, "token", 1)[0]; got.err != nil {
			t.Errorf("a hit on another policy: %v; expected an answer", got)
		}
		for _, r := range held[:4] {
			if got := <-r; got.err != nil {
				t.Errorf("a hit that was let wait: %v", got)
			}
		}
	})
}

func TestAWithdrawnHitMakesRoomForAnother(t *testing.T) {
	c := config()
	c.MaxWaiting = 1
	bubble(t, c, func(t *testing.T, _ *live.Rooms, room *live.Room) {
		ctx, cancel := context.WithCancel(t.Context())
		held := hits(ctx, room, "leaky", 2)
		cancel()
		<-held[1]
		if got := <-hits(t.Context(), room, "leaky", 1)[0]; got.err != nil || got.took != 200*time.Millisecond {
			t.Errorf("%v; expected an answer after 200 ms", got)
		}
	})
}

// A client that has gone before the room took its hit is not decided for.
func TestAHitOfAClientThatHasGoneIsNotDecided(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		do(t, room, "pause")
		gone, leave := context.WithCancel(t.Context())
		var answers []<-chan result
		err := room.Read(t.Context(), func(live.Info, *session.State) {
			// The room is busy with this, while hits come and go.
			answers = append(hits(gone, room, "token", 3), hits(gone, room, "leaky", 3)...)
			leave()
			synctest.Wait()
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if got := <-a; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%v; expected %v", got, context.Canceled)
			}
		}
		if n := state(t, room, (*session.State).Decided); n != 0 {
			t.Errorf("%d requests decided; expected none", n)
		}
	})
}

func TestAnUnknownPolicyIsAnsweredWithTheNames(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		_, err := room.Hit(t.Context(), hit("tokn"))
		want := `there is no policy "tokn"; expected one of token, leaky`
		if err == nil || err.Error() != want {
			t.Errorf("got %v; expected %s", err, want)
		}
	})
}

func TestAFloodIsDecidedInBatchesWhileTheRoomLivesOn(t *testing.T) {
	c := config()
	c.MaxHits = 10_000
	bubble(t, c, func(t *testing.T, house *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		defer v.Leave()
		const flood = 5000
		answered := make(chan error, flood)
		for range flood {
			go func() {
				_, err := room.Hit(t.Context(), hit("token"))
				answered <- err
			}()
		}
		for range flood {
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
		}
		after(50 * time.Millisecond)
		all := waiting(v)
		if got := all[len(all)-1].decided; got != flood {
			t.Errorf("the viewers know of %d requests; expected %d", got, flood)
		}
		if n := house.Stats().Decisions.Load(); n != flood {
			t.Errorf("the figures say %d requests; expected %d", n, flood)
		}
	})
}
