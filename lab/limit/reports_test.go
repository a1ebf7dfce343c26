package limit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// ms are instants in milliseconds.
func ms(at ...int64) []lab.Time {
	out := make([]lab.Time, len(at))
	for i, t := range at {
		out[i] = lab.Time(t * int64(time.Millisecond))
	}
	return out
}

// every are n instants, step milliseconds apart, the first at from.
func every(from, step int64, n int) []lab.Time {
	at := make([]int64, n)
	for i := range at {
		at[i] = from + int64(i)*step
	}
	return ms(at...)
}

// verdictsOf decides requests of one key and returns a sign for each, + passed
// and - refused, and the decisions.
func verdictsOf(t *testing.T, p lab.Policy, at []lab.Time) (signs string, decisions []lab.Decision) {
	t.Helper()
	p.Name = "reported"
	l, table := mustNew(t, p), limit.NewTable(0)
	for _, when := range at {
		arrive(t, table, &lab.Request{At: when, Cost: 1})
		var d lab.Decision
		l.Decide(&arrival, &d)
		decisions = append(decisions, d)
		if d.Verdict.Passed() {
			signs += "+"
		} else {
			signs += "-"
		}
	}
	return signs, decisions
}

// TestReports: what people have reported of other limiters, each with the right
// answer. The reports are public issues; they are named where the case stands.
func TestReports(t *testing.T) {
	bucket := func(limit int64, per time.Duration, burst int64) lab.Policy {
		return lab.Policy{Algorithm: lab.TokenBucket, Limit: limit, Per: per, Burst: burst}
	}
	fixed := func(limit int64, per time.Duration, align string) lab.Policy {
		return lab.Policy{Algorithm: lab.FixedWindow, Limit: limit, Per: per, Align: align}
	}
	log := func(limit int64, per time.Duration) lab.Policy {
		return lab.Policy{Algorithm: lab.SlidingLog, Limit: limit, Per: per}
	}
	const minute = 1_790_000_040_000 // a whole minute of the clock
	edge := ms(minute-1000, minute-800, minute-600, minute-400, minute-200, minute, minute+200, minute+400, minute+600, minute+800)
	lateWaits := map[int]int64{5: 59000, 6: 58800, 7: 58600, 8: 58400, 9: 58200}
	var nineteen []lab.Time
	for s := range int64(19) {
		nineteen = append(nineteen, every(s*1000, 10, 100)...)
	}
	for _, c := range []struct {
		about  string
		policy lab.Policy
		at     []lab.Time
		want   string        // a sign for each request; empty when only passed is told
		passed int           // how many pass; 0 when want tells
		waits  map[int]int64 // retry_after of refused requests, in milliseconds
	}{
		// golang/go #34861, #46579
		{"a request that is exactly due", bucket(10, 13*time.Second, 1), ms(0, 1299, 1300), "+-+", 0, map[int]int64{1: 1}},
		{"a request that is exactly due, after refused ones", bucket(10, 13*time.Second, 1), every(0, 100, 14), "+------------+", 0, nil},
		{"a tenth of a second of a real clock is a tenth", bucket(10, time.Second, 1), ms(1_790_000_000_200, 1_790_000_000_300), "++", 0, nil},
		// firecracker-microvm/firecracker #3370, replicate/go #198
		{"refused polls do not throw away what comes back", bucket(1, 10*time.Second, 1), every(0, 1000, 41), strings.Repeat("+---------", 4) + "+", 0, nil},
		// boinkor-net/governor #39, #219
		{"15 a minute pass 29 in the first", bucket(15, time.Minute, 15), every(0, 50, 1200), "", 29, nil},
		{"15 a minute pass 15 in the second", bucket(15, time.Minute, 15), every(0, 50, 2400), "", 29 + 15, nil},
		{"a log passes 15", log(15, time.Minute), every(0, 50, 1200), "", 15, nil},
		// rack/rack-attack #121, #601; alisaifee/limits #250
		{"the minute of the clock", fixed(5, time.Minute, ""), edge, "++++++++++", 0, nil},
		{"a minute from the first request", fixed(5, time.Minute, lab.AlignFirstRequest), edge, "+++++-----", 0, lateWaits},
		{"any minute", log(5, time.Minute), edge, "+++++-----", 0, lateWaits},
		// peterkhayes/rolling-rate-limiter #9, mennanov/limiters #110
		{"who keeps trying is let in again", log(10, 10*time.Minute), every(0, 30_000, 121), "", 61, map[int]int64{10: 300_000}},
		// brandur/redis-cell #56, bucket4j/bucket4j #88
		{"the part of a token that is there counts", bucket(1, time.Second, 1), ms(0, 200), "+-", 0, map[int]int64{1: 800}},
		// discourse/discourse #11691, alisaifee/flask-limiter #62
		{"an entry of exactly a window's age is gone", log(3, 10*time.Second), ms(0, 4000, 7000, 9000, 10000, 14000), "+++-++", 0, map[int]int64{3: 1000}},
		// sockudo/sockudo #251, peterkhayes/rolling-rate-limiter #11
		{"requests of the same instant all count", log(5, time.Second), ms(500, 500, 500, 500, 500, 500, 500, 500), "+++++---", 0, map[int]int64{5: 1000, 7: 1000}},
		{"100 a second against 20 a minute", log(20, time.Minute), nineteen, "", 20, nil},
		// throttled/throttled #55, alisaifee/limits #200
		{"the wait is for the next one, not for all", log(2, time.Minute), ms(0, 10_000, 20_000), "++-", 0, map[int]int64{2: 40_000}},
		{"the same with GCRA", lab.Policy{Algorithm: lab.GCRA, Limit: 1, Per: time.Second, Burst: 6}, ms(0, 0, 0, 0, 0, 0, 0), "++++++-", 0, map[int]int64{6: 1000}},
	} {
		t.Run(c.about, func(t *testing.T) {
			got, decisions := verdictsOf(t, c.policy, c.at)
			if n := strings.Count(got, "+"); c.want != "" && got != c.want || c.want == "" && n != c.passed {
				t.Errorf("%d passed: %.200s; expected %d: %s", n, got, c.passed, c.want)
			}
			for i, wait := range c.waits {
				if got := decisions[i].RetryAfter; got != time.Duration(wait)*time.Millisecond {
					t.Errorf("request %d is told to wait %v; expected %d ms", i, got, wait)
				}
			}
		})
	}
}

// A limit of nothing, or a rate of nothing, is refused where it is declared
// (spring-cloud/spring-cloud-gateway #168, golang/go #39984): it has been taken
// for no limit at all, and divided by.
func TestZerosAreRefused(t *testing.T) {
	for _, p := range []lab.Policy{
		{Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second},
		{Algorithm: lab.TokenBucket, Per: time.Second, Burst: 1},
		{Algorithm: lab.TokenBucket, Limit: 10, Burst: 1},
		{Algorithm: lab.FixedWindow, Per: time.Second},
		{Algorithm: lab.LeakyBucket, Limit: 1, Per: time.Second},
		{Algorithm: lab.Concurrency},
	} {
		p.Name = "zero"
		if _, err := limit.New(p); err == nil {
			t.Errorf("%+v was taken", p)
		}
	}
}

// Seconds of Retry-After are never fewer than the wait (hashicorp/boundary #4094,
// fastify/fastify-rate-limit #325).
func TestSecondsAreRoundedUp(t *testing.T) {
	var got []string
	for _, wait := range []time.Duration{1, 400, 500, 999, 1000, 1001, 1500, 1900, 2000} {
		got = append(got, fmt.Sprint(lab.CeilSeconds(wait*time.Millisecond)))
	}
	if text := strings.Join(got, " "); text != "1 1 1 1 1 2 2 2 2" {
		t.Errorf("rounded to %s", text)
	}
}
