package views_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
)

var two = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 10, Per: time.Second},
}

// told is a history in which commands were given, at a lab time.
func told(t *testing.T, until time.Duration, commands ...string) *session.History {
	t.Helper()
	h, err := session.NewHistory(two, session.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range commands {
		at, command, _ := strings.Cut(text, ": ")
		d, err := time.ParseDuration(at)
		if err != nil {
			t.Fatal(err)
		}
		give(t, h, d, command)
	}
	h.Advance(session.Stamp(until))
	return h
}

func give(t *testing.T, h *session.History, at time.Duration, text string) {
	t.Helper()
	c, err := session.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Append(session.Stamp(at), c); err != nil {
		t.Fatal(err)
	}
}

func at(t *testing.T, h *session.History, us int64) *session.State {
	t.Helper()
	s, err := h.Log().At(views.EndOfMicrosecond(us, h.Log().Now()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A page that looks back shows what a page of then showed.
func TestAMomentIsThePageOfThen(t *testing.T) {
	h := told(t, 2500*time.Millisecond, "1s: send 14@0s", "2s: send 3@0s key=ann")
	now := h.State()
	for us, want := range map[int64][3]string{
		999_999:   {"0", "10 of 10", "0 of 10"},
		1_000_000: {"14", "0 of 10", "10 of 10"},
		1_500_000: {"14", "5 of 10", "10 of 10"},
		2_000_000: {"17", "10 of 10", "0 of 10"}, // of the key that most carry
		9_000_000: {"17", "10 of 10", "0 of 10"}, // now
	} {
		w := views.MomentOf(at(t, h, us), now.Policies(), now.Generation())
		if got := [3]string{w.Scores[0].Cells[0], w.Meters[0].Words, w.Meters[1].Words}; got != want {
			t.Errorf("at %d µs: %q, want %q", us, got, want)
		}
		if len(w.At) > 20 || len(w.Rows) > 20 || w.Generation != now.Generation() {
			t.Errorf("at %d µs: %d requests in %d rows of generation %d", us, len(w.At), len(w.Rows), w.Generation)
		}
	}
}

// A lane that came later is empty in the past, and one that stayed goes on.
func TestAMomentHasTheLanesOfNow(t *testing.T) {
	h := told(t, 3*time.Second, "1s: send 14@0s",
		`2s: policies {"policies":[{"name":"new","algorithm":"gcra","limit":1,"per":"1s","burst":1},{"name":"fixed","algorithm":"fixed-window","limit":10,"per":"1s"}]}`)
	now := h.State()
	w := views.MomentOf(at(t, h, 1_500_000), now.Policies(), now.Generation())
	if w.Lanes[0].Name != "new" || w.Meters[0].Words != "—" || w.Scores[0].Cells[0] != "—" || w.Rows[0].Cells[0].Verdict != "" {
		t.Errorf("the lane that was not there: %v %v", w.Meters[0], w.Scores[0])
	}
	if w.Meters[1].Words != "10 of 10" || w.Scores[1].Cells[1] != "10" || w.Rows[0].Cells[1].Verdict != "refuse" {
		t.Errorf("the lane that stayed: %v %v", w.Meters[1], w.Scores[1])
	}
	if got, want := w.Verdicts[:4], ".a.a"; got != want {
		t.Errorf("verdicts begin with %s, want %s", got, want)
	}
}

func TestLookingAt(t *testing.T) {
	h := told(t, 4*time.Second, "1s: send 2@0s; 1@1s", "3s: send 1@0s")
	for us, want := range map[int64]views.Looking{
		500_000:   {At: 500_000, Clock: "00:00.500", Ago: "3.5 s", Earlier: 0, Later: 1_000_000},
		1_000_000: {At: 1_000_000, Clock: "00:01.000", Ago: "3 s", Earlier: 999_999, Later: 2_000_000},
		1_500_000: {At: 1_500_000, Clock: "00:01.500", Ago: "2.5 s", Earlier: 999_999, Later: 2_000_000},
		3_000_000: {At: 3_000_000, Clock: "00:03.000", Ago: "1 s", Earlier: 2_999_999, Later: -1},
	} {
		got := views.LookingAt(at(t, h, us), h.State())
		got.Ago = strings.ReplaceAll(got.Ago, "\u00a0", " ")
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := views.BeforeNewest(h.State()); got != 2_999_999 {
		t.Errorf("before the newest request it was %d µs", got)
	}
}

func compare(t *testing.T, h *session.History, at lab.Time, commands ...session.Command) views.Comparison {
	t.Helper()
	altered, err := h.Log().Alter(at, commands...)
	if err != nil {
		t.Fatal(err)
	}
	return views.Compare(session.Compare(altered.State().Kept(), h.State().Kept(), altered.Shared()), "MANGO", at)
}

func parse(t *testing.T, text string) session.Command {
	t.Helper()
	c, err := session.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompare(t *testing.T) {
	h := told(t, 4*time.Second, "1s: send 14@0s", "3s: send 14@0s")
	plain := func(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

	c := compare(t, h, lab.Time(2*time.Second), parse(t,
		`policies {"policies":[{"name":"token","algorithm":"token-bucket","limit":10,"per":"1s","burst":12},{"name":"fixed","algorithm":"fixed-window","limit":10,"per":"1s"},{"name":"mine","algorithm":"gcra","limit":1,"per":"1s","burst":1}]}`))
	if want := "Both rooms are the same up to 00:02.000 and had 14 requests in common since."; !strings.HasPrefix(plain(c.Words), want) {
		t.Errorf("%s", c.Words)
	}
	token, fixed, mine := c.Lanes[0], c.Lanes[1], c.Lanes[2]
	if !token.Changed || token.Was == "" || token.Differ != "2" || token.First != "24" || token.FirstWords != "passed here, refused there" {
		t.Errorf("%+v", token)
	}
	if token.Cells[0] != (views.Pair{Here: "12", There: "10"}) || token.Cells[1] != (views.Pair{Here: "2", There: "4"}) {
		t.Errorf("%+v", token.Cells)
	}
	if got := strings.Join(token.Marks, " "); got != "24 25" {
		t.Errorf("marked are %s", got)
	}
	if fixed.Changed || fixed.Differ != "0" || fixed.First != "" || !fixed.Cells[0].Same() {
		t.Errorf("%+v", fixed)
	}
	if !mine.Alone {
		t.Errorf("%+v", mine)
	}

	// Five more requests use up what the original's had.
	c = compare(t, h, lab.Time(2999*time.Millisecond), parse(t, "send 5@0s; 2@2s"))
	if want := "had 14 requests in common since; 5 came only here."; !strings.Contains(plain(c.Words), want) {
		t.Errorf("%s", c.Words)
	}
	if got := c.Lanes[0]; got.Differ != "5" || got.Cells[0] != (views.Pair{Here: "5", There: "10"}) {
		t.Errorf("%+v", got)
	}

	// A copy in which nothing has come since has nothing to compare.
	f, err := h.Log().Fork(lab.Time(2 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	c = views.Compare(session.Compare(f.State().Kept(), h.State().Kept(), f.Shared()), "MANGO", lab.Time(2*time.Second))
	if want := "had 0 requests in common since. "; !strings.Contains(plain(c.Words), want) {
		t.Errorf("%s", c.Words)
	}
}

// TestCompareCounts: on random sessions the comparison counts what a slow one
// counts that looks for each request's partner among all.
func TestCompareCounts(t *testing.T) {
	met, alone := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		h, err := session.NewHistory(two, session.DefaultLimits)
		if err != nil {
			rt.Fatal(err)
		}
		sends := []string{"send 14@0s", "send 5@0s every 7ms key=ann; 3@20ms cost=2", "send 4@0s every 100ms service=5ms", "stream 50/s", "stop",
			`policies {"policies":[{"name":"fixed","algorithm":"fixed-window","limit":3,"per":"1s"}]}`}
		stamp := session.Stamp(0)
		for range rapid.IntRange(1, 8).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 600).Draw(rt, "gap")) * session.Stamp(time.Millisecond)
			_, _ = h.Append(stamp, parse(t, rapid.SampledFrom(sends).Draw(rt, "command")))
		}
		at := lab.Time(rapid.Int64Range(0, int64(h.State().Now())).Draw(rt, "at"))
		altered, err := h.Log().Alter(at, parse(t, rapid.SampledFrom(append(sends[:3:3], sends[5])).Draw(rt, "change")))
		if err != nil {
			rt.Fatal(err)
		}
		s, o := altered.State(), h.State()
		c := views.Compare(session.Compare(s.Kept(), o.Kept(), altered.Shared()), "MANGO", at)

		type one struct {
			number uint64
			session.Record
		}
		kept := func(s *session.State) (out []one) {
			for i := s.Oldest(); i < s.Decided(); i++ {
				if r, ok := s.Record(i); ok && i >= altered.Shared() {
					out = append(out, one{i, r})
				}
			}
			return out
		}
		here, there := kept(s), kept(o)
		taken := make([]bool, len(there))
		served := map[string][2]int{}
		differ := map[string]int{}
		both := 0
		for _, a := range here {
			for j, b := range there {
				if taken[j] || a.Request != b.Request {
					continue
				}
				taken[j] = true
				both++
				for i, p := range a.Policies {
					for k, q := range b.Policies {
						if p.Name != q.Name {
							continue
						}
						n := served[p.Name]
						if a.Decisions[i].Verdict.Passed() {
							n[0]++
						}
						if b.Decisions[k].Verdict.Passed() {
							n[1]++
						}
						served[p.Name] = n
						if a.Decisions[i].Verdict != b.Decisions[k].Verdict || a.Decisions[i].Wait != b.Decisions[k].Wait {
							differ[p.Name]++
						}
					}
				}
				break
			}
		}
		met += both
		alone += len(here) - both
		if want := " had " + views.Plural(int64(both), "request", "requests") + " in common"; !strings.Contains(c.Words, want) {
			rt.Fatalf("%s; want%s", c.Words, want)
		}
		for i, p := range s.Policies() {
			lane := c.Lanes[i]
			if lane.Alone {
				continue
			}
			n := served[p.Name]
			if want := (views.Pair{Here: views.Count(int64(n[0])), There: views.Count(int64(n[1]))}); lane.Cells[0] != want || lane.Differ != views.Count(int64(differ[p.Name])) {
				rt.Fatalf("%s: served %v, %s differ; want %v and %d", p.Name, lane.Cells[0], lane.Differ, want, differ[p.Name])
			}
		}
	})
	if met == 0 || alone == 0 {
		t.Errorf("%d requests met, %d were alone", met, alone)
	}
}
