package limit_test

import (
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
)

// A story is one limiter's life: rows run in order. Waits are written as Go
// writes durations.
type story struct {
	policy lab.Policy
	rows   []row
}

type row struct {
	at        string
	cost      int64
	service   string
	verdict   lab.Verdict
	remaining int64
	wait      string // for a delay until it leaves, for a refusal until it would pass
	reset     string
}

func span(t *testing.T, s string) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestStories(t *testing.T) {
	const (
		allow, delay, refuse, never = lab.Allow, lab.Delay, lab.Refuse, lab.Never
	)
	for name, s := range map[string]story{
		"token bucket: a full bucket of 3, one token every 100 ms": {
			lab.Policy{Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 3}, []row{
				{"0s", 1, "", allow, 2, "", "100ms"},
				{"0s", 2, "", allow, 0, "", "100ms"},
				{"0s", 1, "", refuse, 0, "100ms", "100ms"},
				{"99999999ns", 1, "", refuse, 0, "1ns", "1ns"},
				{"100ms", 1, "", allow, 0, "", "100ms"},
				{"150ms", 2, "", refuse, 0, "150ms", "50ms"},
				{"150ms", 4, "", never, 0, "", "50ms"},
				{"10s", 3, "", allow, 0, "", "100ms"}, // no more than 3 were saved
			},
		},
		"token bucket: one that starts empty earns from its first request on": {
			lab.Policy{Algorithm: lab.TokenBucket, Limit: 2, Per: time.Second, Burst: 2, Initial: lab.InitialEmpty}, []row{
				{"5s", 1, "", refuse, 0, "500ms", "500ms"},
				{"5500ms", 1, "", allow, 0, "", "500ms"},
				{"9s", 2, "", allow, 0, "", "500ms"},
			},
		},
		"gcra: 3 early, TAT 300 ms ahead": {
			lab.Policy{Algorithm: lab.GCRA, Limit: 10, Per: time.Second, Burst: 3}, []row{
				{"0s", 3, "", allow, 0, "", "100ms"},
				{"50ms", 1, "", refuse, 0, "50ms", "50ms"},
				{"100ms", 1, "", allow, 0, "", "100ms"},
				{"400ms", 1, "", allow, 2, "", "100ms"},
			},
		},
		"gcra: seven a second does not divide": {
			lab.Policy{Algorithm: lab.GCRA, Limit: 7, Per: time.Second, Burst: 1}, []row{
				{"0s", 1, "", allow, 0, "", "142857143ns"},
				{"142857142ns", 1, "", refuse, 0, "1ns", "1ns"},
				{"142857143ns", 1, "", allow, 0, "", "142857143ns"},
			},
		},
		"gcra: 999,983 a day with a burst of as many, on a real clock": {
			lab.Policy{Algorithm: lab.GCRA, Limit: 999_983, Per: 24 * time.Hour, Burst: 999_983}, []row{
				{"497222h", 999_983, "", allow, 0, "", "86401469ns"},
				{"497222h", 1, "", refuse, 0, "86401469ns", "86401469ns"},
				{"497246h", 999_983, "", allow, 0, "", "86401469ns"}, // a day later, to the nanosecond
			},
		},
		"leaky bucket: the first at once, one still inside at its leaving time": {
			lab.Policy{Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 2}, []row{
				{"0s", 1, "", allow, 1, "", "1ns"},
				{"0s", 1, "", delay, 0, "100ms", "1ns"},
				{"0s", 1, "", refuse, 0, "1ns", "1ns"},
				{"1ns", 1, "", delay, 0, "199999999ns", "100ms"},
				{"100ms", 1, "", refuse, 0, "1ns", "1ns"}, // the second leaves now, and is inside
				{"10s", 1, "", allow, 1, "", "1ns"},
			},
		},
		"leaky bucket: after a gap, a request of cost 2 takes two": {
			lab.Policy{Algorithm: lab.LeakyBucket, Limit: 2, Per: time.Second, Queue: 4, First: lab.FirstAfterGap}, []row{
				{"0s", 1, "", delay, 3, "500ms", "500000001ns"},
				{"0s", 2, "", delay, 1, "1500ms", "500000001ns"},
				{"0s", 2, "", refuse, 1, "500000001ns", "500000001ns"},
				{"600ms", 2, "", delay, 0, "1900ms", "900000001ns"},
				{"600ms", 5, "", never, 0, "", "900000001ns"},
			},
		},
		"fixed window: its edge lets twice the limit through": {
			lab.Policy{Algorithm: lab.FixedWindow, Limit: 2, Per: time.Second}, []row{
				{"999ms", 2, "", allow, 0, "", "1ms"},
				{"999ms", 1, "", refuse, 0, "1ms", "1ms"},
				{"1s", 2, "", allow, 0, "", "1s"},
				{"1500ms", 1, "", refuse, 0, "500ms", "500ms"},
			},
		},
		"fixed window: windows below time zero": {
			lab.Policy{Algorithm: lab.FixedWindow, Limit: 1, Per: time.Second}, []row{
				{"-1ns", 1, "", allow, 0, "", "1ns"},
				{"0s", 1, "", allow, 0, "", "1s"},
			},
		},
		"fixed window: a window that starts with the first request": {
			lab.Policy{Algorithm: lab.FixedWindow, Limit: 2, Per: time.Second, Align: lab.AlignFirstRequest}, []row{
				{"900ms", 1, "", allow, 1, "", "1s"},
				{"1800ms", 1, "", allow, 0, "", "100ms"},
				{"1899ms", 3, "", never, 0, "", "1ms"},
				{"1900ms", 1, "", allow, 1, "", "1s"},
			},
		},
		"sliding log: an entry of exactly one window's age has left": {
			lab.Policy{Algorithm: lab.SlidingLog, Limit: 3, Per: 10 * time.Second}, []row{
				{"0s", 1, "", allow, 2, "", "10s"},
				{"4s", 1, "", allow, 1, "", "6s"},
				{"7s", 1, "", allow, 0, "", "3s"},
				{"9s", 1, "", refuse, 0, "1s", "1s"},
				{"9s", 2, "", refuse, 0, "5s", "1s"},
				{"10s", 1, "", allow, 0, "", "4s"},
				{"14s", 1, "", allow, 0, "", "3s"},
				{"100s", 3, "", allow, 0, "", "10s"},
			},
		},
		"sliding counter: half the window before still counts half": {
			lab.Policy{Algorithm: lab.SlidingCounter, Limit: 10, Per: 10 * time.Second}, []row{
				{"0s", 10, "", allow, 0, "", "10000000001ns"},
				{"10s", 1, "", refuse, 0, "1ns", "1ns"},
				{"15s", 5, "", allow, 0, "", "1ns"},
				{"15005ms", 1, "", allow, 0, "", "995000001ns"}, // 10 × 4,995 / 10,000 + 5 = 9.995 < 10
				{"15005ms", 1, "", refuse, 0, "995000001ns", "995000001ns"},
				{"40s", 10, "", allow, 0, "", "10000000001ns"},
			},
		},
		"concurrency: a request is no longer in progress when it ends": {
			lab.Policy{Algorithm: lab.Concurrency, Limit: 2}, []row{
				{"0s", 1, "300ms", allow, 1, "", "300ms"},
				{"0s", 1, "200ms", allow, 0, "", "200ms"},
				{"100ms", 1, "1s", refuse, 0, "100ms", "100ms"},
				{"100ms", 2, "1s", refuse, 0, "200ms", "100ms"},
				{"200ms", 1, "0s", allow, 1, "", "100ms"},
				{"200ms", 3, "0s", never, 1, "", "100ms"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.policy.Name = "story"
			l := labtest.NewLimiter(t, s.policy)
			for i, r := range s.rows {
				at := lab.Time(span(t, r.at))
				got := l.Decide(lab.Request{At: at, Key: "ann", Cost: r.cost, Service: span(t, r.service)})
				want := lab.Decision{Verdict: r.verdict, At: at, Remaining: r.remaining, Reset: span(t, r.reset)}
				switch r.verdict {
				case lab.Delay:
					want.Wait = span(t, r.wait)
				case lab.Refuse:
					want.RetryAfter = span(t, r.wait)
				}
				if got != want {
					t.Errorf("row %d at %s:\n got %+v\nwant %+v", i, r.at, got, want)
				}
			}
		})
	}
}
