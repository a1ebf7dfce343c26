package session_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// decided is all that requests and commands have made of a session, whatever
// people did to its clock: what is equal in two sessions with equal recordings.
func decided(s *session.State) string {
	var b strings.Builder
	stream, streaming := s.Stream()
	next, due := s.NextAt()
	fmt.Fprintln(&b, s.Now(), stream, streaming, next, due, s.Pending(), s.Undecided(), s.Decided(), s.Policies(), s.Keys(), s.Bytes())
	// What came before shows in the states and scores.
	for i := max(s.Oldest(), s.Decided()-min(s.Decided(), 100)); i < s.Decided(); i++ {
		r, _ := s.Record(i)
		fmt.Fprintln(&b, r.Request, r.Decisions)
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

// TestLogReachesEveryInstant: on random logs, the log's state at an instant is
// what was seen at that instant; a fork from there is the same and goes on as a
// replay of its own log does; nothing given anew is the same session again; and
// so is a recording that is played.
func TestLogReachesEveryInstant(t *testing.T) {
	limits := session.Limits{Policies: 8, Keys: 3, Entries: 11, Served: 12, Pending: 500, Record: 3000}
	sought, leapt := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		h, err := session.NewHistory(seven, limits)
		if err != nil {
			rt.Fatal(err)
		}
		seen := map[lab.Time]string{}
		stamp := session.Stamp(0)
		for range rapid.IntRange(1, 40).Draw(rt, "commands") {
			stamp += session.Stamp(rapid.IntRange(0, 900).Draw(rt, "gap")) * ms
			h.Advance(stamp)
			seen[h.State().Now()] = decided(h.State())
			c := rapid.SampledFrom(append(commands, "stream 1000/s")).Draw(rt, "command")
			_, err := h.Append(stamp, mustParse(t, c))
			if c == "reset" && err == nil {
				clear(seen)
			}
			seen[h.State().Now()] = decided(h.State())
		}
		log := h.Log()
		instants := slices.Sorted(maps.Keys(seen))
		for i := 0; i < len(instants); i += 1 + len(instants)/8 {
			at := instants[i]
			past, err := log.At(at)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(seen[at], decided(past)); diff != "" {
				rt.Fatalf("at %s ms (-seen +sought):\n%s", at.Millis(), diff)
			}
			sought++
		}

		at := lab.Time(rapid.Int64Range(0, int64(log.Now())).Draw(rt, "at"))
		past, err := log.At(at)
		if err != nil {
			rt.Fatal(err)
		}
		if _, ok := seen[at]; !ok {
			leapt++
		}
		fork, err := log.Fork(at)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(decided(past), decided(fork.State())); diff != "" || !fork.State().Paused() || fork.State().Pace() != past.Pace() {
			rt.Fatalf("forked at %s ms (-past +fork):\n%s", at.Millis(), diff)
		}
		if _, err := fork.Append(fork.State().Stamp(), mustParse(t, "step 1s")); err != nil && !strings.Contains(err.Error(), "stream") {
			rt.Fatal(err)
		}
		entries, _ := fork.Since(0)
		replayed, err := session.Replay(seven, limits, entries, fork.State().Stamp())
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(fingerprint(replayed), fingerprint(fork.State())); diff != "" {
			rt.Fatalf("a fork differs from a replay of its log (-replay +fork):\n%s", diff)
		}

		same, err := log.Alter(at)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(decided(h.State()), decided(same.State())); diff != "" {
			rt.Fatalf("nothing was altered at %s ms (-original +altered):\n%s", at.Millis(), diff)
		}

		recording, err := log.Recording()
		if err != nil {
			rt.Fatal(err)
		}
		played, err := recording.History(limits)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(decided(h.State()), decided(played.State())); diff != "" {
			rt.Fatalf("a recording is played differently (-recorded +played):\n%s", diff)
		}
		if n := recording.Requests(); n < int64(h.State().Decided()) {
			rt.Fatalf("a recording of %d requests says that it makes at most %d", h.State().Decided(), n)
		}
		again, err := played.Log().Recording()
		if diff := cmp.Diff(fmt.Sprint(recording), fmt.Sprint(again)); diff != "" || err != nil {
			rt.Fatalf("the recording of a recording (%v):\n%s", err, diff)
		}
	})
	if sought == 0 || leapt == 0 {
		t.Errorf("%d instants sought, %d of them in between", sought, leapt)
	}
}

// TestAlterChangesWhatComesAfter: the same 14 requests under another policy.
func TestAlterChangesWhatComesAfter(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 1000*ms, "send 14@0s")
	give(t, h, 2000*ms, `policies {"policies":[{"name":"other","algorithm":"gcra","limit":1,"per":"1s","burst":1}]}`)
	give(t, h, 3000*ms, "send 14@0s")
	h.Advance(4000 * ms)
	altered, err := h.Log().Alter(lab.Time(500*time.Millisecond), mustParse(t,
		`policies {"policies":[{"name":"token","algorithm":"token-bucket","limit":10,"per":"1s","burst":12}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := altered.State()
	if len(s.Policies()) != 1 || s.Policies()[0].Burst != 12 || s.Now() != h.State().Now() || !s.Paused() {
		t.Errorf("policies %v, lab time %s ms", s.Policies(), s.Now().Millis())
	}
	if got := s.Scores()[0]; got.Sent != 28 || got.Allowed != 24 {
		t.Errorf("%d of %d passed, want 24 of 28", got.Allowed, got.Sent)
	}
	// One more burst in the past is one more.
	more, err := h.Log().Alter(lab.Time(500*time.Millisecond), mustParse(t, "send 3@0s key=ann"))
	if err != nil {
		t.Fatal(err)
	}
	if got := more.State(); got.Decided() != 31 || got.Policies()[0].Name != "other" {
		t.Errorf("%d decided by %v", got.Decided(), got.Policies())
	}
	if _, err := h.Log().Alter(0, mustParse(t, "stop")); err == nil {
		t.Error("a command that was not possible then was carried out")
	}
	for _, at := range []lab.Time{-1, h.State().Now() + 1} {
		if _, err := h.Log().At(at); err == nil {
			t.Errorf("%d is not in the past", at)
		}
	}
}

// Work that would take hours is refused before any of it is done.
func TestAlterIsBounded(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	for range 30 {
		give(t, h, 0, "step 24h")
	}
	log := h.Log()
	_, err := log.Alter(0, mustParse(t, "stream 10000/s"))
	want := "25,920,000,000 requests would come between 0 ms and 2592000000 ms; expected at most 1,000,000"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	// As many as are allowed are decided.
	most, err := log.Alter(log.Now()-lab.Time(99*time.Second), mustParse(t, "stream 10000/s"))
	if err != nil || most.State().Decided() != 990_001 {
		t.Errorf("%v", err)
	}
	// What ran before counts, and what is given later.
	give(t, h, 0, "stream 1/h")
	give(t, h, 0, "step 24h")
	give(t, h, 0, "step 24h")
	give(t, h, 0, "send 1@0s")
	few, err := h.Log().Alter(log.Now()+1, mustParse(t, "send 2@0s"))
	if err != nil || few.State().Decided() != h.State().Decided()+2 {
		t.Errorf("%v", err)
	}
}

// What the log no longer reaches is refused, with what it does reach.
func TestLogThatNoLongerReachesBack(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, "stream 10000/s")
	for at := session.Stamp(0); at <= 70_000*ms; at += 500 * ms {
		h.Advance(at)
	}
	log := h.Log()
	if _, err := log.At(0); err == nil || !strings.Contains(err.Error(), "expected a lab time from ") {
		t.Errorf("at 0: %v", err)
	}
	if _, err := log.Recording(); err == nil || !strings.Contains(err.Error(), "gone on for too long") {
		t.Errorf("recording: %v", err)
	}
	near := log.Now().Add(-time.Second)
	past, err := log.At(near)
	if err != nil || past.Decided() != uint64(near/100_000)+1 {
		t.Errorf("%d decided a second ago: %v", past.Decided(), err)
	}
	fork, err := log.Fork(near)
	if err != nil || fork.State().Decided() != past.Decided() {
		t.Errorf("forked a second ago: %v", err)
	}
}

// A recording that a stranger wrote is refused where it cannot be.
func TestRecordingIsChecked(t *testing.T) {
	send := mustParse(t, "send 1@0s")
	for want, r := range map[string]session.Recording{
		"command 2 is given at 5 ms; expected a lab time from 10 ms to 20 ms":  {Policies: seven, Given: []session.Given{{At: 1e7, Command: send}, {At: 5e6, Command: send}}, End: 2e7},
		"command 1 is given at 30 ms; expected a lab time from 0 ms to 20 ms":  {Policies: seven, Given: []session.Given{{At: 3e7, Command: send}}, End: 2e7},
		"command 1: no stream is running":                                      {Policies: seven, Given: []session.Given{{Command: session.Stop{}}}},
		"the end is at -0.000001 ms; expected a lab time from 0 to ":           {Policies: seven, End: -1},
		"the end is at 1152921504606.846977 ms; expected a lab time from 0 to": {Policies: seven, End: session.MaxNow + 1},
		"0 policies; expected 1 to 16":                                         {},
	} {
		if _, err := r.History(session.DefaultLimits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// BenchmarkLogAt goes back to the middle of a minute at 5,000 requests a second.
func BenchmarkLogAt(b *testing.B) {
	h := mustHistory(b, session.DefaultLimits)
	give(b, h, 0, "stream 5000/s")
	for at := session.Stamp(0); at <= 60_000*ms; at += 500 * ms {
		h.Advance(at)
	}
	for b.Loop() {
		if _, err := h.Log().At(lab.Time(30 * time.Second)); err != nil {
			b.Fatal(err)
		}
	}
}
