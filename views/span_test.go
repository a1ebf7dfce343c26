package views_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
)

// TestSelectionCounts: on random sessions a selected span counts what a slow
// count of every kept request and every possible span counts.
func TestSelectionCounts(t *testing.T) {
	counted := 0
	rapid.Check(t, func(rt *rapid.T) {
		policies := []lab.Policy{
			{Name: "token", Algorithm: lab.TokenBucket, Limit: 5, Per: time.Second, Burst: 3},
			{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 5, Per: 400 * time.Millisecond, Queue: 4},
			{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 4, Per: 300 * time.Millisecond},
		}
		h, err := session.NewHistory(policies, session.DefaultLimits)
		if err != nil {
			rt.Fatal(err)
		}
		stamp := session.Stamp(0)
		for range rapid.IntRange(1, 8).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 600).Draw(rt, "gap")) * session.Stamp(time.Millisecond)
			_, _ = h.Append(stamp, parse(t, rapid.SampledFrom([]string{
				"send 14@0s", "send 9@0s every 31ms key=ann; 3@20ms cost=2", "send 4@0s every 100ms key=bob", "stream 20/s", "stop", "send 1@0s cost=9",
			}).Draw(rt, "command")))
		}
		h.Advance(stamp + session.Stamp(time.Second))
		s := h.State()
		from := lab.Time(rapid.Int64Range(0, int64(s.Now())).Draw(rt, "from"))
		to := lab.Time(rapid.Int64Range(int64(from)+1, int64(s.Now())+1).Draw(rt, "to"))
		got := views.SelectionOf(s.Kept(), from, to)
		for n, p := range policies {
			var sent, served, delayed, refused, never, busiest int64
			type leave struct {
				key  string
				at   lab.Time
				cost int64
			}
			var left []leave
			for i := s.Oldest(); i < s.Decided(); i++ {
				r, _ := s.Record(i)
				if r.Request.At < from || r.Request.At >= to {
					continue
				}
				sent++
				switch d := r.Decisions[n]; d.Verdict {
				case lab.Refuse:
					refused++
				case lab.Never:
					never++
				default:
					served++
					if d.Verdict == lab.Delay {
						delayed++
					}
					left = append(left, leave{r.Request.Key, d.Leaves(), r.Request.Cost})
				}
			}
			for _, first := range left {
				var sum int64
				for _, l := range left {
					if l.key == first.key && l.at >= first.at && l.at.Sub(first.at) < bench.Span(p) {
						sum += l.cost
					}
				}
				busiest = max(busiest, sum)
			}
			counted += int(sent)
			want := views.Selected{
				Title: got.Lanes[n].Title, Algorithm: string(p.Algorithm),
				Sent: views.Count(sent), Served: views.Count(served), Delayed: views.Count(delayed), Refused: views.Count(refused), Never: views.Count(never),
				Busiest: views.Count(busiest) + " in " + views.Span(bench.Span(p)),
			}
			if got.Lanes[n] != want {
				rt.Fatalf("from %d to %d: %+v, want %+v", from, to, got.Lanes[n], want)
			}
		}
	})
	if counted == 0 {
		t.Error("nothing was counted")
	}
}

func TestSelectionSaysWhatIsNoLongerKept(t *testing.T) {
	h := told(t, 20*time.Second, "0s: send 50000@0s every 250us")
	s := h.State()
	r, _ := s.Record(s.Oldest())
	if got := views.SelectionOf(s.Kept(), 0, s.Now()); s.Oldest() == 0 || got.Note != "What came before "+views.Clock(r.Request.At)+" is no longer kept, and not counted." {
		t.Errorf("from request %d on: %q", s.Oldest(), got.Note)
	}
	if got := views.SelectionOf(s.Kept(), r.Request.At, s.Now()); got.Note != "" {
		t.Errorf("%q", got.Note)
	}
	if got := views.SelectionOf(told(t, time.Second).State().Kept(), 0, 1); got.Note != "" || got.Lanes[0].Sent != "0" {
		t.Errorf("%+v", got)
	}
}
