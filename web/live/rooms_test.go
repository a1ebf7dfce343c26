package live_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

func TestARoomIsFoundByItsNameInAnyCase(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		if !regexp.MustCompile(`^[A-Z]{4,7}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(room.Name()) {
			t.Errorf("the room is called %q", room.Name())
		}
		for _, name := range []string{room.Name(), strings.ToLower(room.Name())} {
			if found, err := house.Find(name); found != room {
				t.Errorf("Find(%q) = %v, %v", name, found, err)
			}
		}
		if _, err := house.Find("MANGO-0000-0000"); !errors.Is(err, live.ErrNoRoom) {
			t.Errorf("a room that is not there: %v", err)
		}
	})
}

func TestRoomsExpire(t *testing.T) {
	for _, test := range []struct {
		name string
		use  func(t *testing.T, room *live.Room)
		want time.Duration
	}{
		{"never used", func(*testing.T, *live.Room) {}, 2 * time.Minute},
		{"used by a script", func(t *testing.T, room *live.Room) { do(t, room, "send 1@0s") }, 15 * time.Minute},
		{"hit", func(t *testing.T, room *live.Room) { <-hits(t.Context(), room, "token", 1)[0] }, 15 * time.Minute},
		{"viewed for an hour", func(t *testing.T, room *live.Room) {
			v := join(t, room, 0)
			after(time.Hour)
			v.Leave()
		}, 75 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
				start := time.Now()
				test.use(t, room)
				<-room.Done()
				if lived := time.Since(start); lived < test.want || lived > test.want+time.Second {
					t.Errorf("the room lived for %v; expected %v", lived, test.want)
				}
				synctest.Wait()
				if _, err := house.Find(room.Name()); !errors.Is(err, live.ErrNoRoom) {
					t.Errorf("the room is still found: %v", err)
				}
			})
		})
	}
}

func TestAStreamThatNobodyWatchesStops(t *testing.T) {
	bubble(t, config(), func(t *testing.T, _ *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		do(t, room, "stream 10/s")
		after(time.Minute)
		v.Leave()
		after(10 * time.Minute)
		if n := state(t, room, (*session.State).Decided); n < 890 || n > 910 {
			t.Errorf("%d requests; expected 900: a minute watched and half a minute alone, at 10 a second", n)
		}
	})
}

func TestAnEmptyRoomMakesWayForANewOne(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, oldest *live.Room) {
		v := join(t, oldest, 0)
		defer v.Leave()
		after(time.Second)
		second, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		after(time.Second)
		third, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := house.Open(); !errors.Is(err, live.ErrRoomsFull) {
			t.Errorf("a fourth room while all are young: %v; expected %v", err, live.ErrRoomsFull)
		}
		after(10 * time.Second)
		if _, err := house.Open(); err != nil {
			t.Fatal(err)
		}
		<-second.Done()
		for _, room := range []*live.Room{oldest, third} {
			if _, err := house.Find(room.Name()); err != nil {
				t.Errorf("a room with a viewer, or a younger one, is gone: %v", err)
			}
		}
		if n := house.Stats().Rooms.Load(); n != 3 {
			t.Errorf("%d rooms; expected 3", n)
		}
	})
}

func TestPeopleAreNeverTurnedOutForANewRoom(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		for {
			v := join(t, room, 0)
			defer v.Leave()
			var err error
			if room, err = house.Open(); err != nil {
				break
			}
		}
		after(5 * time.Minute)
		if _, err := house.Open(); !errors.Is(err, live.ErrRoomsFull) {
			t.Errorf("a room more than there are: %v; expected %v", err, live.ErrRoomsFull)
		}
	})
}

func TestARoomThatTakesTooMuchEnds(t *testing.T) {
	c := config()
	c.Policies = []lab.Policy{{Name: "log", Algorithm: lab.SlidingLog, Limit: 1_000_000, Per: 24 * time.Hour}}
	c.MaxBytes, c.MaxTotal, c.MaxRooms = 4<<20, 5<<20, 10
	ended := func(r *live.Room) bool {
		select {
		case <-r.Done():
			return true
		default:
			return false
		}
	}
	bubble(t, c, func(t *testing.T, house *live.Rooms, heavy *live.Room) {
		do(t, heavy, "send 10000@0s")
		after(2 * time.Second)
		if ended(heavy) {
			t.Fatal("a room within its bound ends")
		}
		do(t, heavy, "send 90000@0s")
		after(2 * time.Second)
		if !ended(heavy) {
			t.Error("a room over its bound goes on")
		}
		small, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		// Three rooms within their bound take more than all may together: those
		// with more than their share end until the others fit.
		var large []*live.Room
		for range 3 {
			r, err := house.Open()
			if err != nil {
				t.Fatal(err)
			}
			large = append(large, r)
			do(t, r, "send 25000@0s")
			after(2 * time.Second)
		}
		gone := 0
		for _, r := range large {
			if ended(r) {
				gone++
			}
		}
		if gone == 0 || gone == len(large) {
			t.Errorf("%d of %d rooms ended; expected some", gone, len(large))
		}
		if ended(small) {
			t.Error("a room within its share ended")
		}
		if n := house.Stats().TooHeavy.Load(); n != uint64(1+gone) {
			t.Errorf("the figures say %d rooms that took too much; expected %d", n, 1+gone)
		}
		if n := house.Stats().Bytes.Load(); n <= 0 || n > c.MaxTotal {
			t.Errorf("the rooms are said to take %d bytes together", n)
		}
	})
}

// What a room takes counts as soon as it is made, whether or not anybody comes.
func TestARoomIsWeighedWhenItIsMade(t *testing.T) {
	c := config()
	c.Policies = []lab.Policy{{Name: "log", Algorithm: lab.SlidingLog, Limit: 1_000_000, Per: 24 * time.Hour}}
	c.MaxBytes, c.MaxTotal, c.MaxRooms = 6<<20, 16<<20, 20
	bubble(t, c, func(t *testing.T, house *live.Rooms, room *live.Room) {
		do(t, room, "pause", "send 20000@0s")
		before := house.Stats().Bytes.Load()
		fork, err := house.Fork(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		if n := house.Stats().Bytes.Load() - before; n < 1<<20 {
			t.Errorf("a copy of a large room is said to take %d bytes", n)
		}
		for range 6 {
			if _, err := house.Fork(t.Context(), fork); err != nil && !errors.Is(err, live.ErrClosed) {
				t.Fatal(err)
			}
		}
		if n := house.Stats().Bytes.Load(); n > c.MaxTotal+c.MaxBytes {
			t.Errorf("the rooms are said to take %d bytes together", n)
		}
		if house.Stats().TooHeavy.Load() == 0 {
			t.Error("no room made way")
		}
		history, err := session.NewHistory(c.Policies, session.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			c, err := session.Parse("send 60000@0s")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := history.Append(0, c); err != nil {
				t.Fatal(err)
			}
		}
		before = house.Stats().Bytes.Load()
		if _, err := house.Continue(history, nil); !errors.Is(err, live.ErrTooHeavy) {
			t.Errorf("a room over its bound is made: %v", err)
		}
		if n := house.Stats().Bytes.Load(); n != before {
			t.Errorf("a room that was not made takes %d bytes", n-before)
		}
	})
}

// A fork has everything that its original had, and then they part.
func TestFork(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		defer join(t, room, 0).Leave()
		after(time.Hour)
		do(t, room, "stream 10/s", "pace 2")
		after(time.Second)
		do(t, room, "send 14@0s; 5@10s key=ann")
		fork, err := house.Fork(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		if fork.Name() == room.Name() {
			t.Error("the fork has its original's name")
		}
		tell := func(r *live.Room) (text string) {
			err := r.Read(t.Context(), func(_ live.Info, s *session.State) {
				text = fmt.Sprint(s.Now(), s.Decided(), s.Pending(), s.Pace(), s.States("default"))
			})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if a, b := tell(room), tell(fork); a != b {
			t.Errorf("the original is %s, the fork %s", a, b)
		}
		after(6 * time.Second)
		if a, b := tell(room), tell(fork); a != b {
			t.Errorf("6 s later the original is %s, the fork %s", a, b)
		}
		do(t, fork, "reset")
		if a, b := tell(room), tell(fork); a == b {
			t.Error("what happens in the fork happens in its original")
		}
		v := join(t, fork, 0)
		v.Leave()
	})
}

// All streams together are bounded, whoever started them and however.
func TestStreamsAreBoundedTogether(t *testing.T) {
	c := config()
	c.MaxRooms, c.MaxStreaming = 300, 30_000 // a share is 100
	bubble(t, c, func(t *testing.T, house *live.Rooms, room *live.Room) {
		try := func(r *live.Room, text string, want error) {
			t.Helper()
			c, err := session.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Do(t.Context(), c); !errors.Is(err, want) {
				t.Errorf("%s: %v; expected %v", text, err, want)
			}
		}
		streaming := func(want int64) {
			t.Helper()
			if got := house.Stats().Streaming.Load(); got != want {
				t.Errorf("%d requests a second stream; expected %d", got, want)
			}
		}
		other, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		try(room, "stream 10000/s", nil)
		try(room, "pace 2", nil)
		streaming(20_000)
		try(other, "stream 10000/s", nil)
		try(other, "pace 1.001", live.ErrStreamsFull)
		streaming(30_000)
		if _, err := house.Fork(t.Context(), other); !errors.Is(err, live.ErrStreamsFull) {
			t.Errorf("a fork that streams: %v; expected %v", err, live.ErrStreamsFull)
		}
		try(other, "pause", nil)
		streaming(20_000)
		try(other, "pace 2", nil)
		try(other, "resume", live.ErrStreamsFull)
		try(other, "pace 1", nil)
		try(other, "resume", nil)
		streaming(30_000)
		small, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		try(small, "pace 2", nil)
		try(small, "stream 10000/s", live.ErrStreamsFull)
		try(small, "stream 10/s", nil) // far below its share
		streaming(30_020)
		try(small, "stop", nil)
		try(small, "reset", nil)
		try(other, "stop", nil)
		streaming(20_000)
		fork, err := house.Fork(t.Context(), other)
		if err != nil {
			t.Fatal(err)
		}
		try(fork, "stream 10000/s", nil)
		streaming(30_000)
		// A room that cannot begin has not taken any of it.
		stream, err := session.Parse("stream 10/s")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := house.Open(stream, session.Resume{}); err == nil {
			t.Error("a room that resumes what is not paused was opened")
		}
		streaming(30_000)
		house.Close()
		streaming(0)
	})
}

func TestCloseEndsEverything(t *testing.T) {
	bubble(t, config(), func(t *testing.T, house *live.Rooms, room *live.Room) {
		v := join(t, room, 0)
		house.Close()
		waiting(v)
		if _, open := <-v.Messages(); open {
			t.Error("the viewer's messages go on; expected them to end")
		}
		v.Leave()
		if err := v.Resume(t.Context(), 1); !errors.Is(err, live.ErrClosed) {
			t.Errorf("resume: %v; expected %v", err, live.ErrClosed)
		}
		if _, err := room.Join(t.Context(), 0); !errors.Is(err, live.ErrClosed) {
			t.Errorf("join: %v; expected %v", err, live.ErrClosed)
		}
		if _, err := room.Hit(t.Context(), hit("token")); !errors.Is(err, live.ErrClosed) {
			t.Errorf("hit: %v; expected %v", err, live.ErrClosed)
		}
		if _, err := house.Open(); !errors.Is(err, live.ErrClosed) {
			t.Errorf("open: %v; expected %v", err, live.ErrClosed)
		}
		stats := house.Stats()
		if stats.Rooms.Load() != 0 || stats.Viewers.Load() != 0 {
			t.Errorf("the figures say %d rooms and %d viewers; expected none", stats.Rooms.Load(), stats.Viewers.Load())
		}
	})
}
