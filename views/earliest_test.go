package views

import (
	"math"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

// TestEarliest: to the nanosecond, so that nothing is told earlier than it is.
func TestEarliest(t *testing.T) {
	const ms = time.Millisecond
	at := lab.Time(3800 * ms)
	token := lab.Policy{Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10}
	for _, c := range []struct {
		policy   lab.Policy
		request  lab.Request
		decision lab.Decision
		want     string
	}{
		{token, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Allow, At: at}, "Passed at once."},
		{token, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Refuse, At: at, RetryAfter: 100 * ms}, "Would have passed at 00:03.900, 100 ms later."},
		{token, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Refuse, At: at, RetryAfter: 1}, "Would have passed at 00:03.800000001, 1 ns later."},
		{token, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Refuse, At: at, RetryAfter: 142_857_143}, "Would have passed at 00:03.942857143, 142.857143 ms later."},
		{token, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Refuse, At: at, RetryAfter: 25 * time.Hour}, "Would have passed at 25:00:03.800, 1 d 1 h later."},
		// The clock of the one who asked was two seconds behind.
		{token, lab.Request{At: at - lab.Time(2*time.Second), Cost: 1}, lab.Decision{Verdict: lab.Refuse, Clamped: true, At: at, RetryAfter: 100 * ms},
			"Would have passed at 00:03.900, 2.1 s later."},
		{lab.Policy{Algorithm: lab.LeakyBucket}, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Delay, At: at, Wait: 640 * ms}, "Waits 640 ms, leaves at 00:04.440."},
		{lab.Policy{Algorithm: lab.LeakyBucket}, lab.Request{At: at, Cost: 1}, lab.Decision{Verdict: lab.Delay, At: at, Wait: 1500}, "Waits 1.5 µs, leaves at 00:03.800001500."},
		{token, lab.Request{At: at, Cost: 11}, lab.Decision{Verdict: lab.Never, At: at},
			"Costs 11; at most 10 can ever pass at once, whatever the wait. A burst of 11 or more would let it pass, or a cost of 10 or less."},
		{lab.Policy{Algorithm: lab.LeakyBucket, Limit: 2, Queue: 4}, lab.Request{Cost: 5}, lab.Decision{Verdict: lab.Never},
			"Costs 5; at most 4 can ever pass at once, whatever the wait. A queue of 5 or more would let it pass, or a cost of 4 or less."},
		{lab.Policy{Algorithm: lab.FixedWindow, Limit: 1000}, lab.Request{Cost: 2000}, lab.Decision{Verdict: lab.Never},
			"Costs 2,000; at most 1,000 can ever pass at once, whatever the wait. A limit of 2,000 or more would let it pass, or a cost of 1,000 or less."},
	} {
		if got := plain(earliest(c.policy, c.request, c.decision)); got != c.want {
			t.Errorf("%v: %q; expected %q", c.decision.Verdict, got, c.want)
		}
	}
}

func TestInstantIsExact(t *testing.T) {
	for at, want := range map[lab.Time]string{
		0: "00:00.000", 1: "00:00.000000001", 1000: "00:00.000001", 999_999: "00:00.000999999", 1_000_000: "00:00.001",
		59_999_999_999: "00:59.999999999", 3_600_000_001_000: "1:00:00.000001", -1: "−00:00.000000001", -1_500_000: "−00:00.001500",
	} {
		if got := exactClock(at); got != want {
			t.Errorf("%d ns: %s; expected %s", at, got, want)
		}
	}
}

func TestPreciseIsExactUpToAMinute(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 1: "1 ns", 999: "999 ns", 1000: "1 µs", 1001: "1.001 µs", 999_999: "999.999 µs", time.Millisecond: "1 ms",
		time.Millisecond + 1: "1.000001 ms", 999_999_999: "999.999999 ms", time.Second: "1 s", time.Second + 1: "1.000000001 s",
		12_345 * time.Millisecond: "12.345 s", time.Minute: "1 min", time.Minute + 1: "1 min 1 s", time.Hour + time.Second: "1 h 1 s",
		49*time.Hour + 30*time.Minute: "2 d 1 h 30 min", -1: "−1 ns", math.MaxInt64: "106,751 d 23 h 47 min 17 s",
	} {
		if got := plain(precise(d)); got != want {
			t.Errorf("%d ns: %s; expected %s", d, got, want)
		}
	}
}

// TestARequestIsShownInAllDialects: fields that several dialects have are there
// once, each dialect has exactly its response's, in order.
func TestARequestIsShownInAllDialects(t *testing.T) {
	p := lab.Policy{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10}
	for _, c := range []struct {
		decision lab.Decision
		began    time.Time
		lines    int
	}{
		{lab.Decision{Verdict: lab.Allow, Remaining: 9, Reset: 1}, time.Unix(1_790_000_000, 1), 6},
		{lab.Decision{Verdict: lab.Allow, Remaining: 10}, time.Unix(1_790_000_000, 1), 4},
		// Both resets are "1", and mean different things.
		{lab.Decision{Verdict: lab.Allow, Remaining: 9, Reset: 1}, time.Time{}, 6},
		{lab.Decision{Verdict: lab.Refuse, RetryAfter: time.Second, Reset: time.Second}, time.Unix(1_790_000_000, 1), 9},
		{lab.Decision{Verdict: lab.Never, Remaining: 10}, time.Unix(1_790_000_000, 1), 6},
	} {
		room := RoomInfo{Began: c.began}
		var one Inspected
		one.respond(p, lab.Request{Cost: 1}, c.decision, room)
		if len(one.Header) != c.lines {
			t.Errorf("%+v: %d lines, want %d", c.decision, len(one.Header), c.lines)
		}
		for _, d := range response.Dialects {
			want := response.Of(p, lab.Request{Cost: 1}, c.decision, response.Options{Dialect: d, Origin: room.Began}).Fields()
			var got []response.Field
			for _, line := range one.Header {
				if line.In&(1<<d) != 0 {
					got = append(got, line.Field)
					if line.Why == "" {
						t.Errorf("%v: %v is not explained", d, line.Field)
					}
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%v: %v; want %v", d, got, want)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%v: field %d is %v; want %v", d, i, got[i], want[i])
				}
			}
		}
	}
}
