package session_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/session"
)

var seven = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 10},
	{Name: "gcra", Algorithm: lab.GCRA, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 10, Per: time.Second},
	{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second},
	{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 10, Per: time.Second},
	{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 10},
}

const ms = session.Stamp(time.Millisecond)

func mustParse(t testing.TB, text string) session.Command {
	c, err := session.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return c
}

func mustHistory(t testing.TB, limits session.Limits) *session.History {
	h, err := session.NewHistory(seven, limits)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func give(t testing.TB, h *session.History, stamp session.Stamp, text string) {
	t.Helper()
	if _, err := h.Append(stamp, mustParse(t, text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

// verdicts writes a request's decisions one letter a lane.
func verdicts(s *session.State, i uint64) string {
	r, ok := s.Record(i)
	if !ok {
		return "gone"
	}
	var b strings.Builder
	for _, d := range r.Decisions {
		b.WriteByte("adrn"[d.Verdict])
	}
	return b.String()
}

func TestBurstOf14(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 5*ms, "send 14@0s service=500ms")
	s := h.State()
	if s.Decided() != 14 || s.Now() != lab.Time(5*ms) {
		t.Fatalf("%d decided at %d", s.Decided(), s.Now())
	}
	for i, want := range map[uint64]string{0: "aaaaaaa", 1: "adaaaaa", 9: "adaaaaa", 10: "rrrrrrr", 13: "rrrrrrr", 14: "gone"} {
		if got := verdicts(s, i); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	for i, score := range s.Scores() {
		if score.Sent != 14 || score.Served() != 10 || score.Refused != 4 {
			t.Errorf("lane %d: sent %d, served %d, refused %d", i, score.Sent, score.Served(), score.Refused)
		}
	}
}

func TestPaceAndPauseDecideNothing(t *testing.T) {
	// The same traffic at ten paces, with pauses in between.
	want := ""
	for _, pace := range []string{"0.1", "0.333", "1", "2.5", "100"} {
		h := mustHistory(t, session.DefaultLimits)
		give(t, h, 0, "pause")
		give(t, h, 0, "pace "+pace)
		give(t, h, 3*ms, "send 7/s 0s..4s; 30@1s every 2ms; 20@1500ms")
		give(t, h, 700*ms, "resume")
		give(t, h, 701*ms, "pause")
		give(t, h, 900*ms, "resume")
		h.Advance(900*ms + 4000*ms*10)
		var got strings.Builder
		for i := range h.State().Decided() {
			r, _ := h.State().Record(i)
			fmt.Fprintln(&got, r.Request, r.Decisions)
		}
		if want == "" {
			want = got.String()
		} else if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("pace %s decides otherwise:\n%s", pace, diff)
		}
	}
}

func TestClock(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	s := h.State()
	at := func(stamp session.Stamp, want time.Duration) {
		t.Helper()
		s.Advance(stamp)
		if s.Now() != lab.Time(want) {
			t.Errorf("at stamp %d it is %d, want %d", stamp, s.Now(), want)
		}
	}
	at(100*ms, 100*time.Millisecond)
	give(t, h, 100*ms, "pace 0.1")
	at(200*ms, 110*time.Millisecond)
	give(t, h, 200*ms, "pace 100")
	at(210*ms, 1110*time.Millisecond)
	give(t, h, 210*ms, "pause")
	at(999*ms, 1110*time.Millisecond)
	give(t, h, 999*ms, "step 90ms")
	at(999*ms, 1200*time.Millisecond)
	give(t, h, 1000*ms, "pace 2")
	give(t, h, 1000*ms, "resume")
	at(1001*ms, 1202*time.Millisecond)
	at(1000*ms, 1202*time.Millisecond) // never backwards
	if stamp, ok := s.StampOf(lab.Time(1302 * time.Millisecond)); !ok || stamp != 1051*ms {
		t.Errorf("1302 ms is at stamp %d (%v), want %d", stamp, ok, 1051*ms)
	}
	give(t, h, 1001*ms, "pace 0.1")
	if stamp, ok := s.StampOf(session.MaxNow); !ok || stamp != math.MaxInt64 {
		t.Errorf("the end of time is at stamp %d (%v)", stamp, ok)
	}
	give(t, h, 1001*ms, "pace 2")
	give(t, h, 1001*ms, "reset")
	at(1001*ms, 0)
	at(1002*ms, 2*time.Millisecond)
}

func TestStep(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "pause")
	give(t, h, 0, "send 2@1s; 1@3s")
	for _, want := range []struct {
		decided uint64
		now     time.Duration
	}{{2, time.Second}, {3, 3 * time.Second}} {
		give(t, h, 1, "step")
		if s := h.State(); s.Decided() != want.decided || s.Now() != lab.Time(want.now) {
			t.Errorf("%d decided at %v, want %d at %v", s.Decided(), s.Now(), want.decided, want.now)
		}
	}
	refused(t, h, "step", "no request is waiting")
	give(t, h, 2, "resume")
	give(t, h, 2, "send 1@1h")
	give(t, h, 3, "step") // lab time jumps there, and runs on from there
	hour := lab.Time(3*time.Second + time.Hour)
	if s := h.State(); s.Decided() != 4 || s.Now() != hour {
		t.Errorf("%d decided at %v, want 4 at %v", s.Decided(), s.Now(), hour)
	}
	h.Advance(session.Stamp(3 + time.Second))
	if got, want := h.State().Now(), hour.Add(time.Second); got != want {
		t.Errorf("a second later it is %v, want %v", got, want)
	}
	refused(t, h, "resume", "not paused")
	refused(t, h, "stop", "no stream")
}

// refused gives a command that must be refused and change nothing.
func refused(t *testing.T, h *session.History, text, part string) {
	t.Helper()
	seq := h.State().Seq()
	_, err := h.Append(h.State().Stamp(), mustParse(t, text))
	var r *session.Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Reason, part) {
		t.Errorf("%q: %v, want a refusal with %q", text, err, part)
	}
	if h.State().Seq() != seq {
		t.Errorf("%q was refused and logged", text)
	}
}

func TestStreamReplacesAndStops(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "stream 10/s key=ann")
	give(t, h, 1000*ms, "stream 7/s")
	give(t, h, 2000*ms, "stop")
	h.Advance(9000 * ms)
	// 0..1000 ms at 10/s with both ends, then 1000..2000 ms at 7/s.
	if n := h.State().Decided(); n != 11+8 {
		t.Errorf("%d decided, want 19", n)
	}
	if r, _ := h.State().Record(12); r.Request.At != 1_142_857_142 || r.Request.Key != "default" {
		t.Errorf("request 12 is %+v", r.Request)
	}
}

func TestLimits(t *testing.T) {
	h := mustHistory(t, session.Limits{Policies: 7, Keys: 2, Pending: 100, Record: 2048})
	refused(t, h, "send 101@0s", "at most 100")
	give(t, h, 0, "send 60@1s")
	refused(t, h, "send 60@1s", "60 requests are still to come")
	eight := append([]lab.Policy{{Name: "eighth", Algorithm: lab.Concurrency, Limit: 1}}, seven...)
	var wrong *lab.PolicyError
	if _, err := h.Append(0, session.Policies{Policies: eight}); !errors.As(err, &wrong) || wrong.Error() != "8 policies; expected 1 to 7" {
		t.Errorf("eight policies: %v, want what is wrong with them", err)
	}
	give(t, h, 0, "hit key=a")
	give(t, h, 0, "hit key=b")
	if _, err := h.Append(0, mustParse(t, "hit key=c")); !errors.Is(err, limit.ErrKeysFull) {
		t.Errorf("a third key: %v", err)
	}
	give(t, h, 0, "send 2@0s key=c")
	if n := h.State().Undecided(); n != 2 {
		t.Errorf("%d requests were turned away, want 2", n)
	}
	// The newest 2,048 requests are kept, in whole chunks.
	for i := range 60 {
		give(t, h, session.Stamp(i+2000)*ms, "send 100@0s key=a")
	}
	s := h.State()
	if kept := s.Decided() - s.Oldest(); kept < 2048 || kept > 2048+session.ChunkSize {
		t.Errorf("%d of %d requests are kept", kept, s.Decided())
	}
	if _, ok := s.Record(s.Oldest() - 1); ok {
		t.Error("a request before the oldest is kept")
	}
	if _, ok := s.Explain(s.Oldest()); !ok {
		t.Error("the oldest request cannot be explained")
	}
}

func TestExplain(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "send 5000@0s every 13ms key=ann service=40ms; 700@5s every 3ms key=bob cost=2")
	h.Advance(100_000 * ms)
	s := h.State()
	for _, i := range []uint64{0, 1, 700, session.ChunkSize - 1, session.ChunkSize, session.ChunkSize + 1, s.Decided() - 1} {
		e, ok := s.Explain(i)
		if !ok {
			t.Fatalf("request %d is not kept", i)
		}
		for lane, why := range e.Arithmetic {
			d := e.Decisions[lane]
			if why.Holds != d.Verdict.Passed() {
				t.Errorf("request %d, %s: %v, but the arithmetic says %v", i, e.Policies[lane].Name, d.Verdict, why.Holds)
			}
			if e.After[lane].Remaining != d.Remaining {
				t.Errorf("request %d, %s: %d remain, the state after says %d", i, e.Policies[lane].Name, d.Remaining, e.After[lane].Remaining)
			}
		}
	}
	if _, ok := s.Explain(s.Decided()); ok {
		t.Error("a request that has not been is explained")
	}
}

// Policies that change in mid-run: every record is told with the policies under
// which it was decided, and an unchanged lane goes on.
func TestPoliciesChange(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "send 10@0s")
	give(t, h, 0, `policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"},{"name":"new","algorithm":"sliding-log","limit":1,"per":"1s"}]}`)
	give(t, h, 0, "send 1@0s")
	s := h.State()
	if got := verdicts(s, 9); got != "adaaaaa" {
		t.Errorf("request 9: %s", got)
	}
	if got := verdicts(s, 10); got != "ra" {
		t.Errorf("request 10: %s, want the log to go on and the new lane to start", got)
	}
	if e, ok := s.Explain(10); !ok || len(e.Arithmetic) != 2 {
		t.Errorf("request 10 is explained by %d lanes", len(e.Arithmetic))
	}
	// Set and set back without a request in between: the lane starts anew, and
	// is explained so.
	give(t, h, 0, `policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"}]}`)
	give(t, h, 0, `policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"},{"name":"new","algorithm":"sliding-log","limit":1,"per":"1s"}]}`)
	give(t, h, 0, "send 1@0s")
	e, _ := s.Explain(11)
	if got := verdicts(s, 11); got != "ra" || e.Before[1].Count != 0 || e.After[1].Count != 1 {
		t.Errorf("request 11: %s, explained with %d before and %d after", got, e.Before[1].Count, e.After[1].Count)
	}
}

// fingerprint is all of a state that anybody can see.
func fingerprint(s *session.State) string {
	var b strings.Builder
	stream, streaming := s.Stream()
	next, due := s.Next()
	fmt.Fprintln(&b, s.Seq(), s.Stamp(), s.Now(), s.Paused(), s.Pace(), stream, streaming, next, due, s.Generation(), s.Pending(), s.Undecided(), s.Decided(), s.Policies(), s.Keys(), s.Bytes())
	for i := s.Oldest(); i < s.Decided(); i++ {
		r, _ := s.Record(i)
		fmt.Fprintln(&b, r.Request, r.Decisions, r.Generation)
	}
	for i := s.Oldest(); i < s.Decided(); i += 1 + (s.Decided()-s.Oldest())/7 {
		e, _ := s.Explain(i)
		fmt.Fprintln(&b, e.Arithmetic, e.Before, e.After)
		for lane, after := range e.After {
			if after.Remaining != e.Decisions[lane].Remaining {
				fmt.Fprintln(&b, "request", i, "is explained by another state than it was decided from")
			}
		}
	}
	for _, score := range s.Scores() {
		n, from := score.Busiest()
		fmt.Fprintln(&b, score.Sent, score.Allowed, score.Delayed, score.Refused, score.Never, n, from, score.AtLeast(), score.LongestWait(), score.Wait(50), score.Wait(95))
	}
	for _, key := range []string{"default", "ann", "bob"} {
		fmt.Fprintln(&b, s.States(key))
	}
	return b.String()
}

var commands = []string{
	"send 14@0s", "send 3@0s every 20ms key=ann; 2/s 0s..2s key=bob cost=2", "send random 20/s 0s..3s seed=7",
	"stream 9/s key=ann", "stop", "hit", "hit key=bob cost=3 service=90ms", "pause", "resume", "pace 0.1", "pace 7", "pace 1",
	"step", "step 250ms", "reset", "hit key=cy", "hit key=dan", "send 9@0s every 170ms key=eve",
	`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"},{"name":"b","algorithm":"leaky-bucket","limit":3,"per":"700ms","queue":4}]}`,
	`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"}]}`,
}

// TestHistoryEqualsReplay: on random logs, the live state, a seek through
// checkpoints, a fork and a replay from zero are the same at every moment.
func TestHistoryEqualsReplay(t *testing.T) {
	limits := session.Limits{Policies: 8, Keys: 3, Entries: 11, Served: 12, Pending: 500, Record: 3000}
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		h, err := session.NewHistory(seven, limits)
		if err != nil {
			rt.Fatal(err)
		}
		var log []session.Entry
		stamp := session.Stamp(0)
		for range rapid.IntRange(1, 40).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 900).Draw(rt, "gap")) * ms
			if rapid.Bool().Draw(rt, "advance") {
				h.Advance(stamp)
			}
			e, err := h.Append(stamp, mustParse(t, rapid.SampledFrom(commands).Draw(rt, "command")))
			switch {
			case err == nil:
				log = append(log, e)
			case errors.Is(err, limit.ErrKeysFull):
				seen["keys full"]++
			case errors.Is(err, bench.ErrEntriesFull):
				seen["entries full"]++
			}
		}
		stamp += session.Stamp(rapid.IntRange(0, 2000).Draw(rt, "end")) * ms
		h.Advance(stamp)
		replayed, err := session.Replay(seven, limits, log, stamp)
		if err != nil {
			rt.Fatal(err)
		}
		if live := fingerprint(h.State()); strings.Contains(live, "another state") {
			rt.Fatal(live)
		}
		if diff := cmp.Diff(fingerprint(replayed), fingerprint(h.State())); diff != "" {
			rt.Fatalf("the live state differs from a replay (-replay +live):\n%s", diff)
		}
		back := session.Stamp(rapid.Int64Range(0, int64(stamp)).Draw(rt, "back"))
		replayed, err = session.Replay(seven, limits, log, back)
		if err != nil {
			rt.Fatal(err)
		}
		sought, err := h.At(back)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(fingerprint(replayed), fingerprint(sought)); diff != "" {
			rt.Fatalf("seeking to %d differs from a replay:\n%s", back, diff)
		}
		fork, err := h.Fork(back)
		if err != nil {
			rt.Fatal(err)
		}
		// The two go their own ways from here.
		if _, err := fork.Append(back, mustParse(t, "send 5@0s key=ann")); err != nil {
			rt.Fatal(err)
		}
		fork.State().Advance(stamp + 1000*ms)
		if diff := cmp.Diff(fingerprint(replayed), fingerprint(sought)); diff != "" {
			rt.Fatalf("a fork changed what it came from:\n%s", diff)
		}
		again, err := session.Replay(seven, limits, log, stamp)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(fingerprint(again), fingerprint(h.State())); diff != "" {
			rt.Fatalf("a fork changed its original:\n%s", diff)
		}
		if h.State().Undecided() > 0 {
			seen["undecided"]++
		}
	})
	for _, what := range []string{"keys full", "entries full", "undecided"} {
		if seen[what] == 0 {
			t.Errorf("%s: never happened, so the test does not test it", what)
		}
	}
}

// TestLongLog: beyond its bound a log keeps its newer part and a state to start
// from, and every moment after that is still exact.
func TestLongLog(t *testing.T) {
	limits := session.DefaultLimits
	h, err := session.NewHistory(seven, limits)
	if err != nil {
		t.Fatal(err)
	}
	var log []session.Entry
	const entries = 10_000
	for i := range entries {
		e, err := h.Append(session.Stamp(i)*7*ms, mustParse(t, "hit key=ann"))
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	kept, ok := h.Since(entries - 100)
	if !ok || len(kept) != 100 || kept[0].Seq != entries-99 {
		t.Errorf("the newest 100 entries: %d, %v", len(kept), ok)
	}
	if _, ok := h.Since(10); ok {
		t.Error("the whole log is kept")
	}
	if _, err := h.At(0); err == nil {
		t.Error("a moment before the log was reached")
	}
	back := session.Stamp(entries-500) * 7 * ms
	want, err := session.Replay(seven, limits, log, back)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.At(back)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fingerprint(want), fingerprint(got)); diff != "" {
		t.Errorf("after compaction:\n%s", diff)
	}
}

// A hit that is refused is not in the log, so it must leave no trace: neither in
// what is kept, nor in which later request finds room.
func TestRefusedHitLeavesNoTrace(t *testing.T) {
	for _, c := range []struct {
		about  string
		limits session.Limits
		setup  []string // commands a second apart
		hit    string
	}{
		{"no key", session.Limits{Policies: 7, Keys: 1, Pending: 100_000, Record: session.ChunkSize},
			[]string{fmt.Sprintf("send %d@0s service=1s", 2*session.ChunkSize)}, "hit key=other"},
		{"no entry", session.Limits{Policies: 7, Keys: 9, Entries: 3, Pending: 100, Record: 100},
			[]string{`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":10,"per":"1s"}]}`,
				"hit key=a cost=100", "send 3@0s every 100ms key=b"}, "hit key=c"},
	} {
		h := mustHistory(t, c.limits)
		var log []session.Entry
		stamp := session.Stamp(0)
		for _, text := range c.setup {
			e, err := h.Append(stamp, mustParse(t, text))
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, e)
			stamp += 1000 * ms
		}
		refusals := 0
		for ; refusals < 40; refusals++ {
			stamp += 100 * ms
			replayed, err := session.Replay(seven, c.limits, log, stamp)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Append(stamp, mustParse(t, c.hit)); err == nil {
				break
			}
			if diff := cmp.Diff(fingerprint(replayed), fingerprint(h.State())); diff != "" {
				t.Fatalf("%s: refused hit %d changed the state (-replayed +live):\n%s", c.about, refusals, diff)
			}
		}
		if refusals == 0 || refusals == 40 {
			t.Errorf("%s: %d refusals; expected some", c.about, refusals)
		}
	}
}

// What one command or one second can make the session decide is bounded.
func TestWorkIsBounded(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "pace 2")
	give(t, h, 0, "stream 10000/s")
	refused(t, h, "pace 2.001", "a stream of 10000/s at a pace of 2.001 is too fast")
	give(t, h, 0, "stop")
	give(t, h, 0, "pace 100")
	refused(t, h, "stream 201/s", "20000 requests a second of real time")
	give(t, h, 0, "stream 200/s")
	give(t, h, 0, "pause")
	// The first request has come; 200 a second for 25 s are 5,000 more.
	refused(t, h, "step 25.005s", "the stream would send 5,001 requests in this step")
	give(t, h, 0, "step 25s")
	if n := h.State().Decided(); n != 5002 { // the first stream sent one at once
		t.Errorf("%d decided, want 5,002", n)
	}
	refused(t, h, "step 24h", "the stream would send 17,280,000 requests")
	give(t, h, 0, "stop")
	give(t, h, 0, "step 24h")
}

func TestRealRate(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	s := h.State()
	for _, step := range []struct {
		text string
		want int64
	}{
		{"stop", 0}, {"stream 7/3s", 3}, {"pace 10", 24}, {"pause", 0}, {"pace 0.1", 0}, {"resume", 1}, {"stream 1000/s", 100}, {"reset", 0},
	} {
		c := mustParse(t, step.text)
		if got := s.RealRate(c); got != step.want {
			t.Errorf("%s would make it %d a second, want %d", step.text, got, step.want)
		}
		if _, err := h.Append(0, c); err != nil && step.text != "stop" {
			t.Fatal(err)
		}
		if got := s.RealRate(nil); got != step.want {
			t.Errorf("%s made it %d a second, want %d", step.text, got, step.want)
		}
	}
}

// TestMemoryIsBounded: whatever people do with policies that keep everything, a
// session's memory has a bound, and the requests that find no room are counted.
func TestMemoryIsBounded(t *testing.T) {
	log := lab.Policy{Name: "log", Algorithm: lab.SlidingLog, Limit: lab.MaxCount, Per: 24 * time.Hour}
	token := lab.Policy{Name: "token", Algorithm: lab.TokenBucket, Limit: lab.MaxCount, Per: 24 * time.Hour, Burst: lab.MaxCount}
	changed := token
	changed.Limit--
	h, err := session.NewHistory([]lab.Policy{log, token}, session.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	stamp := session.Stamp(0)
	give(t, h, stamp, "stream 10000/s")
	for range 60 {
		stamp += 500 * ms
		h.Advance(stamp)
	}
	s := h.State()
	if got, want := s.Decided(), uint64(session.DefaultLimits.Entries); got != want {
		t.Errorf("%d decided, want %d: as many as there are entries", got, want)
	}
	if got, want := s.Undecided(), int64(300_001-session.DefaultLimits.Entries); got != want {
		t.Errorf("%d not decided, want %d", got, want)
	}
	if n, _ := s.Scores()[1].Busiest(); !s.Scores()[1].AtLeast() || n != int64(session.DefaultLimits.Served) {
		t.Errorf("the busiest span is known to be at least %d (%v)", n, s.Scores()[1].AtLeast())
	}
	give(t, h, stamp, "reset")
	for i := range 2000 {
		second := token
		if i%2 == 0 {
			second = changed
		}
		give(t, h, stamp, session.Policies{Policies: []lab.Policy{log, second}}.String())
		give(t, h, stamp, fmt.Sprintf("send 40@0s key=k%d", i))
	}
	const most = 64 << 20
	if n := h.Memory(); n > most {
		t.Errorf("the history says that it takes %d MiB, want at most %d", n>>20, most>>20)
	}
	// Many keys, each with as much of the score as there is, one after the other.
	give(t, h, stamp, session.Policies{Policies: []lab.Policy{token, {Name: "b", Algorithm: lab.GCRA, Limit: 1_000_000, Per: time.Second, Burst: 1_000_000}}}.String())
	for i := range 100 {
		stamp += 3000 * ms
		h.Advance(stamp)
		give(t, h, stamp, fmt.Sprintf("send 16384@0s key=n%d", i))
	}
	runtime.GC()
	var with, without runtime.MemStats
	runtime.ReadMemStats(&with)
	said := h.Memory()
	runtime.KeepAlive(h)
	h, s = nil, nil
	runtime.GC()
	runtime.ReadMemStats(&without)
	took := int64(with.HeapAlloc) - int64(without.HeapAlloc)
	if took > said*3/2+1<<20 {
		t.Errorf("the history says that it takes %d KiB, but it takes %d", said>>10, took>>10)
	}
}

func BenchmarkHit(b *testing.B) {
	h := mustHistory(b, session.DefaultLimits)
	hit := mustParse(b, "hit key=ann")
	stamp := session.Stamp(0)
	b.ReportAllocs()
	for b.Loop() {
		stamp += 200_000 // 5,000 a second
		if _, err := h.Append(stamp, hit); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBegan: lab time 0 was at the session's beginning, and then at its last
// reset, whatever the pace; also in a fork.
func TestBegan(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	for _, step := range []struct {
		at    session.Stamp
		give  string
		began session.Stamp
	}{
		{1 * ms, "hit", 0}, {2 * ms, "pace 10", 0}, {30 * ms, "reset", 30 * ms}, {40 * ms, "pause", 30 * ms}, {90 * ms, "hit", 30 * ms}, {91 * ms, "reset", 91 * ms},
	} {
		give(t, h, step.at, step.give)
		if got := h.State().Began(); got != step.began {
			t.Errorf("after %q: %v, want %v", step.give, got, step.began)
		}
	}
	fork, err := h.Fork(91 * ms)
	if err != nil {
		t.Fatal(err)
	}
	if got := fork.State().Began(); got != 91*ms {
		t.Errorf("in a fork: %v", got)
	}
	if earlier, err := h.Fork(50 * ms); err != nil || earlier.State().Began() != 30*ms {
		t.Errorf("in a fork from before the last reset: %v", err)
	}
}
