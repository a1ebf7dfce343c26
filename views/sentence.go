package views

import (
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Sentence says in whole words what a policy lets through and the most that it
// can let through of one key in any span of its own time:
//
//	10 at once, then one every 100 ms; at most 20 in any second
//
// The numbers are those of [guarantee]; lengths of time are exact.
func Sentence(p lab.Policy) string {
	most, bounded := guarantee(p)
	n := Count(most)
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		s := Count(p.Burst) + " at once, then " + steady(p)
		if p.Initial == lab.InitialEmpty {
			s = "starts empty; " + steady(p) + ", up to " + Count(p.Burst) + " at once"
		}
		return s + "; at most " + n + " in any " + period(p.Per)
	case lab.LeakyBucket:
		s := "leaks " + steady(p) + ", holds up to " + Count(p.Queue)
		if p.First == lab.FirstAfterGap {
			s += ", the first leaves after a gap"
		}
		return s + "; at most " + n + " leave in any " + period(p.Per)
	case lab.FixedWindow:
		s := Count(p.Limit) + " in each window of " + exact(p.Per)
		if p.Align == lab.AlignFirstRequest {
			s += ", which a first request starts"
		}
		if most == p.Limit {
			return s + "; at most " + n + " in any " + period(p.Per)
		}
		return s + "; across the edge of two windows up to " + n + " in any " + period(p.Per)
	case lab.SlidingLog:
		return "at most " + n + " in any " + period(p.Per)
	case lab.SlidingCounter:
		return "about " + Count(p.Limit) + " in any " + period(p.Per) + ", by an estimate; never more than " + n
	case lab.Concurrency:
		if !bounded {
			return Count(p.Limit) + " in progress at once; how many in a second depends on how long each takes"
		}
	}
	return ""
}

// guarantee is the most that policy p can let through of one key in any span
// [t, t + per), whatever comes; false when there is no such number. It is what
// the requests cost together, but for a leaky bucket, of which it is the number
// of requests that leave: one request may cost as much as the queue holds.
//
//   - A bucket holds burst and gets limit within per, as SEMANTICS.md says. (Both
//     ends counted, so much is reached. Without the end it is less by what one
//     nanosecond brings.)
//   - A leaky bucket lets one out in each gap of per / limit.
//   - A span of per touches at most two windows, which let limit through each.
//     Where the first request starts a window, that one and all of the next
//     window cannot lie within per.
//   - The estimate of a sliding counter is at least the count of its own window,
//     so each window holds at most limit; and the weight of the window before
//     says nothing of when its requests came.
func guarantee(p lab.Policy) (most int64, bounded bool) {
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		return p.Burst + p.Limit, true
	case lab.LeakyBucket, lab.SlidingLog:
		return p.Limit, true
	case lab.FixedWindow:
		switch {
		case p.Per == 1: // a span is as long as one window, and lies on it
			return p.Limit, true
		case p.Align == lab.AlignFirstRequest:
			return 2*p.Limit - 1, true
		}
		return 2 * p.Limit, true
	case lab.SlidingCounter:
		if p.Per == 1 {
			return p.Limit, true
		}
		return 2 * p.Limit, true
	}
	return 0, false
}

// steady is the rate of a policy: "one every 100 ms", or "7 every second" where
// one request takes no whole number of nanoseconds.
func steady(p lab.Policy) string {
	switch {
	case p.Limit == 1:
		return "one every " + period(p.Per)
	case gap(p) > 0:
		return "one every " + exact(gap(p))
	}
	return Count(p.Limit) + " every " + period(p.Per)
}

// gap is the time between two requests at the policy's rate, where it is whole
// nanoseconds and long enough to be read; otherwise 0.
func gap(p lab.Policy) time.Duration {
	if p.Limit > 0 && int64(p.Per)%p.Limit == 0 && p.Per/time.Duration(p.Limit) >= time.Millisecond {
		return p.Per / time.Duration(p.Limit)
	}
	return 0
}

// period is a length of time after "any" or "every": "second", "1.5 s".
func period(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return exact(d)
}

// exact writes a length of time without rounding: "100 ms", "1.5 ms", "1 min 30 s".
func exact(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return Span(d)
	}
	var parts []string
	for _, unit := range []struct {
		name string
		unit time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}} {
		if n := d / unit.unit; n > 0 {
			parts = append(parts, Count(int64(n))+space+unit.name)
			d %= unit.unit
		}
	}
	for _, unit := range []struct {
		name   string
		unit   time.Duration
		places int
	}{{"s", time.Second, 9}, {"ms", time.Millisecond, 6}, {"µs", time.Microsecond, 3}, {"ns", 1, 0}} {
		if d >= unit.unit {
			parts = append(parts, trimmed(int64(d), int64(unit.unit), unit.places)+space+unit.name)
			break
		}
	}
	return strings.Join(parts, " ")
}
