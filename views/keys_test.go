package views

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
)

// The column of Retry-After says what the responses said, of all keys and of each.
func TestTheScoresTellTheRetryAfterThatWasSent(t *testing.T) {
	policies := []lab.Policy{
		{Name: "token", Algorithm: lab.TokenBucket, Limit: 2, Per: 7 * time.Second, Burst: 3},
		{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 3, Per: 5 * time.Second, Queue: 2},
		{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 5, Per: time.Minute},
		{Name: "log", Algorithm: lab.SlidingLog, Limit: 4, Per: 3 * time.Second},
		{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 4, Per: 3 * time.Second},
		{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 2},
		{Name: "wide", Algorithm: lab.SlidingLog, Limit: 1000, Per: time.Second},
	}
	l := begin(t, policies)
	l.give(t, 0, "send random 6/s 0s..9s seed=5 key=ann service=700ms; random 3/s 0s..9s seed=6 key=bob cost=2 service=2s")
	l.Advance(session.Stamp(10 * time.Second))
	place := slices.IndexFunc(scoreColumns, func(c column) bool { return c.Name == "told" })
	inKeys := slices.IndexFunc(keyColumns, func(c column) bool { return c.Name == "told" })
	told := 0
	for lane, p := range policies {
		sent := map[string][]int{}
		for i := range l.Decided() {
			r, _ := l.Record(i)
			if text := response.Of(p, r.Request, r.Decisions[lane], response.Options{}).Header.Get(response.RetryAfter); text != "" {
				n, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				sent[""] = append(sent[""], n)
				sent[r.Request.Key] = append(sent[r.Request.Key], n)
			}
		}
		want := func(key string) string {
			if len(sent[key]) == 0 {
				return "—"
			}
			told++
			from, to := slices.Min(sent[key]), slices.Max(sent[key])
			if from == to {
				return strconv.Itoa(from) + " s"
			}
			return strconv.Itoa(from) + "–" + strconv.Itoa(to) + " s"
		}
		if got := plain(ScoreOf(p, l.Scores()[lane], 0).Cells[place]); got != want("") {
			t.Errorf("%s: %s; the responses said %s", p.Name, got, want(""))
		}
		for _, row := range KeysOf(l.Kept(), p.Name).Rows {
			if got := plain(row.Cells[inKeys]); got != want(row.Key) {
				t.Errorf("%s, %s: %s; the responses said %s", p.Name, row.Key, got, want(row.Key))
			}
		}
	}
	if told < 15 {
		t.Errorf("only %d were told to wait at all", told)
	}
}

// A key is whatever a client sends: a long one is shortened where it is shown.
func TestALongKeyIsShortened(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, `send 1@0s key="`+string(slices.Repeat([]byte("k"), 200))+`"`)
	if row := KeysOf(l.Kept(), "").Rows[0]; len(row.Key) != 200 || len(row.Short) > 50 {
		t.Errorf("%d characters of %d are shown", len(row.Short), len(row.Key))
	}
}
