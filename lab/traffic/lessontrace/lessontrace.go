// Package lessontrace makes the traces that the lessons' tables were computed
// from, to the last request. Times are whole milliseconds, as in the lessons.
package lessontrace

import (
	"slices"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/lab/traffic/pyrandom"
)

// BurstySeed is the seed of the lessons' 20 seconds of bursty traffic.
const BurstySeed = 7

// Bursty is the traffic of the comparison: a client's 20 seconds with random gaps
// of 1 to 499 ms, and added to them 30 requests from 3 s on, 2 ms apart, ten
// before and ten after the edge at 8 s, 10 ms apart, and 15 a second between 12 s
// and 16 s. With BurstySeed it has 202 requests.
func Bursty(seed int64) []lab.Request {
	r := pyrandom.New(seed)
	var at []int64
	for t := r.Randrange(1, 500); t < 20_000; t += r.Randrange(1, 500) {
		at = append(at, t)
	}
	for i := range int64(30) {
		at = append(at, 3000+2*i)
	}
	for i := range int64(10) {
		at = append(at, 7900+10*i, 8000+10*i)
	}
	for i := range int64(60) {
		at = append(at, 12_000+1000*i/15)
	}
	slices.Sort(at)
	return requests(at)
}

// Gaps is the 5,000 requests on which GCRA is held against the token bucket:
// gaps chosen from 0 to 300 ms, the last request at 253,206 ms.
func Gaps() []lab.Request {
	gaps := []int64{0, 0, 0, 1, 5, 20, 50, 100, 300}
	r := pyrandom.New(7)
	at, t := make([]int64, 5000), int64(0)
	for i := range at {
		t += gaps[r.Choice(len(gaps))]
		at[i] = t
	}
	return requests(at)
}

// The hour of the accuracy table: a limit of 100 requests in any minute.
const (
	limit  = 100
	minute = 60_000
	hour   = 3_600_000
)

// Steady is an hour of single requests at load times the limit's rate. The load
// is also the seed; the table has loads 1 and 2.
func Steady(load int64) []lab.Request {
	r := pyrandom.New(load)
	mean := minute / (limit * load)
	var at []int64
	for t := r.Randrange(1, 2*mean); t < hour; t += r.Randrange(1, 2*mean) {
		at = append(at, t)
	}
	return requests(at)
}

// Bursts is an hour of single requests and bursts of 2 to 29, 0 to 9 ms apart in
// a burst, at about load times the limit's rate. The load is also the seed; the
// table has loads 1 and 2.
func Bursts(load int64) []lab.Request {
	r := pyrandom.New(load)
	mean := minute * 7 / (limit * load)
	var at []int64
	for t := r.Randrange(1, 2*mean); t < hour; t += r.Randrange(1, 2*mean) {
		n := int64(1)
		if r.Random() >= 0.6 {
			n = r.Randrange(2, 30)
		}
		for range n {
			at = append(at, t)
			t += r.Randrange(0, 10)
		}
	}
	return requests(at)
}

// EdgePattern is an hour that is built to fool window limiters: 100 requests in
// the last 100 ms of every even minute, and 100 spread evenly over every odd one.
func EdgePattern() []lab.Request {
	var at []int64
	for start := int64(0); start < hour; start += 2 * minute {
		for i := range int64(limit) {
			at = append(at, start+minute-100+i)
		}
		for i := range int64(limit) {
			at = append(at, start+minute+i*(minute/limit))
		}
	}
	return requests(at)
}

// requests are plain requests at times in milliseconds.
func requests(at []int64) []lab.Request {
	made := make([]lab.Request, len(at))
	for i, ms := range at {
		made[i] = traffic.Each{}.Request(lab.Time(ms) * lab.Time(time.Millisecond))
	}
	return made
}
