package views

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/lab/traffic"
)

var budget = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 3},
}

// course is a session that is given commands one after the other.
type course struct {
	*session.State
	seq uint64
}

func begin(t *testing.T, policies []lab.Policy) *course {
	t.Helper()
	s, err := session.New(policies, session.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return &course{State: s}
}

func (l *course) give(t *testing.T, at time.Duration, text string) {
	t.Helper()
	c, err := session.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	l.seq++
	if err := l.Apply(session.Entry{Seq: l.seq, Stamp: session.Stamp(at), Command: c}); err != nil {
		t.Fatal(err)
	}
}

func TestFramePacksRequests(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 3@0s; 2@10ms key=ann cost=2; 1@20ms cost=11")
	l.Advance(session.Stamp(25 * time.Millisecond))
	got := FrameOf(l.State, 0).Requests
	want := Requests{
		First:    0,
		At:       []int64{0, 0, 0, 10_000, 0, 10_000},
		Verdicts: "aa" + "ad" + "ad" + "aa" + "ar" + "nn",
		Waits:    []int64{100_000, 200_000},
		Keys:     []KeyFrom{{3, "ann"}, {5, "default"}},
		Costs:    []CostFrom{{3, 2}, {5, 11}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const wire = `{"first":0,"at":[0,0,0,10000,0,10000],"v":"aaadadaaarnn","w":[100000,200000],"k":[[3,"ann"],[5,"default"]],"c":[[3,2],[5,11]]}`
	if string(text) != wire {
		t.Errorf("on the wire %s; expected %s", text, wire)
	}
}

// Frames that follow each other hold together what one whole holds.
func TestFramesAddUpToTheWhole(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 20/s 0s..5s; 30@1s every 2ms")
	var at []int64
	var verdicts string
	var waits []int64
	since := uint64(0)
	for now := 50 * time.Millisecond; now <= 6*time.Second; now += 50 * time.Millisecond {
		l.Advance(session.Stamp(now))
		f := FrameOf(l.State, since)
		if f.First != since {
			t.Fatalf("a frame starts at request %d; expected %d", f.First, since)
		}
		time := int64(0)
		for _, distance := range f.At {
			time += distance
			at = append(at, time)
		}
		verdicts += f.Verdicts
		waits = append(waits, f.Waits...)
		if decided := len(f.At) > 0; decided != (f.Scores != nil) {
			t.Fatalf("a frame with %d requests has %d scores", len(f.At), len(f.Scores))
		}
		since += uint64(len(f.At))
	}
	whole := WholeOf(l.State)
	time := int64(0)
	for i, distance := range whole.At {
		if time += distance; at[i] != time {
			t.Fatalf("request %d at %d µs in the frames and %d in the whole", i, at[i], time)
		}
	}
	if len(at) != 130 || verdicts != whole.Verdicts || !cmp.Equal(waits, whole.Waits) {
		t.Errorf("%d requests in the frames, %d in the whole; expected 130 and the same verdicts", len(at), len(whole.At))
	}
}

func TestFrameIsBounded(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 5000@0s every 1ms")
	l.Advance(session.Stamp(10 * time.Second))
	f := FrameOf(l.State, 100)
	if len(f.At) != MaxFrameRequests || f.First != 5000-MaxFrameRequests {
		t.Errorf("%d requests from %d; expected the newest %d", len(f.At), f.First, MaxFrameRequests)
	}
	if f := FrameOf(l.State, 9999); len(f.At) != 0 || f.First != 5000 {
		t.Errorf("a frame from the future holds %d requests from %d", len(f.At), f.First)
	}
}

func TestANewLaneHasNotSeenWhatCameBefore(t *testing.T) {
	l := begin(t, budget[:1])
	l.give(t, 0, "send 2@0s")
	l.give(t, time.Second, session.Policies{Policies: []lab.Policy{budget[1], budget[0]}}.String())
	l.give(t, 2*time.Second, "send 1@0s")
	f := FrameOf(l.State, 0)
	if f.Verdicts != ".a"+".a"+"aa" {
		t.Errorf("verdicts %q; expected the first two to be unknown to the new lane", f.Verdicts)
	}
	w := WholeOf(l.State)
	if got := w.Rows[2].Cells; got[0].Words != "" || got[1].Words != "passed" {
		t.Errorf("the oldest row says %v", got)
	}
	for i, want := range []string{"●", "●●●"} {
		if diff := cmp.Diff([]Run{{"allow", want}}, w.Lanes[i].Strip); diff != "" {
			t.Errorf("strip of lane %d (-want +got)\n%s", i, diff)
		}
	}
}

func TestShownKeyIsTheUsualOne(t *testing.T) {
	l := begin(t, budget)
	if got := FrameOf(l.State, 0).Key; got != "default" {
		t.Errorf("before any request the key is %q", got)
	}
	l.give(t, 0, "send 5@0s key=ann; 3@1ms key=bob")
	l.Advance(session.Stamp(time.Second))
	if got := FrameOf(l.State, 0).Key; got != "ann" {
		t.Errorf("the key is %q; expected the one with most of the newest requests", got)
	}
}

func TestTheKeyIsNamedWhereItDoesNotGoWithoutSaying(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{"2@0s", ""},
		{"2@0s key=ann", "levels of key ann"},
		{"3@0s; 2@0s key=ann", "levels of key default"},
	} {
		l := begin(t, budget)
		l.give(t, 0, "send "+c.sent)
		l.Advance(session.Stamp(time.Second))
		if got := FrameOf(l.State, 0).Levels; got != c.want {
			t.Errorf("after %s it says %q; expected %q", c.sent, got, c.want)
		}
	}
}

// Requests for which the room has no room are told of, not passed over.
func TestRequestsThatWereNotDecidedAreToldOf(t *testing.T) {
	limits := session.DefaultLimits
	limits.Keys = 1
	s, err := session.New(budget, limits)
	if err != nil {
		t.Fatal(err)
	}
	l := &course{State: s}
	l.give(t, 0, "send 2@0s; 1@0s key=ann")
	if got, want := plain(FrameOf(l.State, 0).Undecided), "1 request was not decided: the room holds as many keys and entries as it can"; got != want {
		t.Errorf("%q; expected %q", got, want)
	}
}

func TestFrameShares(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 5@0s; 40@1s")
	l.Advance(session.Stamp(time.Millisecond))
	w := WholeOf(l.State)
	before := fmt.Sprintf("%+v", w)
	l.Advance(session.Stamp(5 * time.Second))
	if after := fmt.Sprintf("%+v", w); before != after {
		t.Error("a whole changed when its session went on")
	}
}

// At 5,000 requests a second and seven lanes a frame of a twentieth of a second
// stays small enough to be sent to a hundred people.
func TestFrameSize(t *testing.T) {
	policies := []lab.Policy{
		{Name: "token", Algorithm: lab.TokenBucket, Limit: 1000, Per: time.Second, Burst: 100},
		{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 1000, Per: time.Second, Queue: 100},
		{Name: "gcra", Algorithm: lab.GCRA, Limit: 1000, Per: time.Second, Burst: 100},
		{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 1000, Per: time.Second},
		{Name: "log", Algorithm: lab.SlidingLog, Limit: 1000, Per: time.Second},
		{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 1000, Per: time.Second},
		{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 100},
	}
	l := begin(t, policies)
	l.give(t, 0, "stream 5000/s")
	l.Advance(session.Stamp(time.Second))
	since := l.Decided()
	l.Advance(session.Stamp(1050 * time.Millisecond))
	f := FrameOf(l.State, since)
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.At) != 250 || len(text) > 8<<10 {
		t.Errorf("a frame of %d requests takes %d bytes; expected 250 in at most 8,192", len(f.At), len(text))
	}
}

func TestFormulaHasTheNumbersInIt(t *testing.T) {
	counter := []lab.Policy{{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 10, Per: 10 * time.Second}}
	l := begin(t, counter)
	l.give(t, 0, "send 10@0s; 4@14s; 1@15s; 1@15005ms")
	l.Advance(session.Stamp(16 * time.Second))
	in, err := InspectionOf(l.State, 15, RoomInfo{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "previous 10 × 4,995 ms / 10,000 ms + current 5 = 9.995 < 10: allowed"
	if got := plain(in.Policies[0].Formula); got != want {
		t.Errorf("%q; expected %q", got, want)
	}
	if _, err := InspectionOf(l.State, 16, RoomInfo{}); err == nil || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("a request that is still to come: %v", err)
	}
}

func TestFormulaOfARefusalHoldsWhatIsTrue(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 11@0s")
	l.Advance(session.Stamp(time.Millisecond))
	in, err := InspectionOf(l.State, 10, RoomInfo{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"< 1: refused", "> 3: refused"} {
		if got := plain(in.Policies[i].Formula); !strings.HasSuffix(got, want) {
			t.Errorf("%q; expected it to end in %q", got, want)
		}
	}
	if first := in.Policies[0]; !first.Open || first.Retry != "in 100"+space+"ms" || !strings.Contains(first.Status, "429") {
		t.Errorf("the first refusal shows %+v", first)
	}
}

// A score that could not hold a whole span says that the span was busier.
func TestABusiestSpanThatIsNotKnownIsSaidToBeAtLeast(t *testing.T) {
	p := lab.Policy{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second}
	for most, want := range map[int]string{3: "3 in 1\u00a0s", 2: "≥ 2 in 1\u00a0s"} {
		s := bench.NewScore(p.Per, most)
		for range 3 {
			s.Add(0, 1, &lab.Decision{Verdict: lab.Allow})
		}
		if row := ScoreOf(p, s, 0); !slices.Contains(row.Cells, want) {
			t.Errorf("with room for %d the row is %q, want %q in it", most, row.Cells, want)
		}
	}
}

// Keys of the greatest length that take turns do not make a frame huge: it holds
// the newest requests, and says where they begin.
func TestFrameOfLongKeys(t *testing.T) {
	l := begin(t, budget)
	a, b := strings.Repeat("<", traffic.MaxKey-1)+"a", strings.Repeat("<", traffic.MaxKey-1)+"b"
	l.give(t, 0, fmt.Sprintf("send 1000@0s every 2ns key=%q; 1000@1ns every 2ns key=%q", a, b))
	l.Advance(session.Stamp(time.Second))
	f := FrameOf(l.State, 0)
	if n := len(f.Keys); n != maxFrameKeys/traffic.MaxKey || f.First != l.Decided()-uint64(n) || len(f.At) != n {
		t.Errorf("%d keys, %d requests from %d of %d", n, len(f.At), f.First, l.Decided())
	}
	if n := len(pack(l.State, presentOf(l.State), l.Decided()-3).At); n != 3 {
		t.Errorf("%d requests are packed, want 3", n)
	}
}
