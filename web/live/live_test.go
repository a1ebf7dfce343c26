package live_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is what these tests' encoder makes of a state.
type told struct {
	whole    bool
	seq      uint64
	viewers  int
	first    uint64 // of a frame
	decided  uint64
	now      lab.Time
	policies int
}

func (*told) Size() int { return 1 }

func tell(info live.Info, s *session.State) *told {
	return &told{seq: info.Seq, viewers: info.Viewers, decided: s.Decided(), now: s.Now(), policies: len(s.Policies())}
}

var encoder = live.Encoder{
	Whole: func(info live.Info, s *session.State) (live.Message, error) {
		t := tell(info, s)
		t.whole = true
		return t, nil
	},
	Frame: func(info live.Info, s *session.State, first uint64) (live.Message, error) {
		t := tell(info, s)
		t.first = first
		return t, nil
	},
}

// config is a house whose rooms start with a token bucket and a queue, both of
// 10 at 10 a second, and no traffic.
func config() live.Config {
	return live.Config{
		Clock: live.SystemClock{}, Encode: encoder,
		Policies: []lab.Policy{
			{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
			{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 10},
		},
		Limits:   session.DefaultLimits,
		MaxRooms: 3, MaxViewers: 5, MaxHits: 100, MaxWaiting: 20, MaxWait: time.Minute, MaxBytes: 8 << 20, MaxTotal: 12 << 20, MaxStreaming: 30_000,
		Expire: 15 * time.Minute, ExpireUnused: 2 * time.Minute,
	}
}

// bubble runs f in virtual time with a house and a room in it, and closes the
// house in the end.
func bubble(t *testing.T, c live.Config, f func(t *testing.T, house *live.Rooms, room *live.Room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		house := live.NewRooms(c)
		defer house.Close()
		room, err := house.Open()
		if err != nil {
			t.Fatal(err)
		}
		f(t, house, room)
	})
}

func join(t *testing.T, room *live.Room, heard uint64) *live.Viewer {
	t.Helper()
	v, err := room.Join(t.Context(), heard)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// next is the viewer's next message.
func next(t *testing.T, v *live.Viewer) *told {
	t.Helper()
	m, open := <-v.Messages()
	if !open {
		t.Fatal("the room has closed; expected a message")
	}
	return m.(*told)
}

// waiting is what lies in the viewer's queue once everybody has come to rest.
func waiting(v *live.Viewer) []*told {
	synctest.Wait()
	var all []*told
	for {
		select {
		case m, open := <-v.Messages():
			if !open {
				return all
			}
			all = append(all, m.(*told))
		default:
			return all
		}
	}
}

func do(t *testing.T, room *live.Room, commands ...string) {
	t.Helper()
	parsed := make([]session.Command, len(commands))
	for i, text := range commands {
		var err error
		if parsed[i], err = session.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := room.Do(t.Context(), parsed...); err != nil {
		t.Fatal(err)
	}
}

// after lets d pass and everybody come to rest.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// state reads one value of the room's state.
func state[T any](t *testing.T, room *live.Room, f func(*session.State) T) (v T) {
	t.Helper()
	if err := room.Read(t.Context(), func(_ live.Info, s *session.State) { v = f(s) }); err != nil {
		t.Fatal(err)
	}
	return v
}

func hit(policy string) live.Hit {
	h := live.Hit{Policy: policy}
	h.Request.Each.Key, h.Request.Each.Cost = "default", 1
	return h
}

// hits sends n hits at once, in order, and returns what each gets.
func hits(ctx context.Context, room *live.Room, policy string, n int) []<-chan result {
	results := make([]<-chan result, n)
	for i := range results {
		c := make(chan result, 1)
		results[i] = c
		go func() {
			start := time.Now()
			a, err := room.Hit(ctx, hit(policy))
			c <- result{a, err, time.Since(start)}
		}()
		synctest.Wait()
	}
	return results
}

type result struct {
	live.Answer
	err  error
	took time.Duration
}

func (r result) String() string {
	return fmt.Sprintf("%s %v after %v", r.Decision.Verdict, r.err, r.took)
}
