package labtest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
)

// Policy draws a policy that can be held: mostly small numbers, at which the
// corners lie close together, and now and then those of a real service.
func Policy(t *rapid.T) lab.Policy {
	return PolicyOf(t, rapid.SampledFrom(lab.Algorithms).Draw(t, "algorithm"))
}

// PolicyOf draws a policy of one algorithm.
func PolicyOf(t *rapid.T, a lab.Algorithm) lab.Policy {
	p := lab.Policy{Name: string(a), Algorithm: a, Limit: count(t, "limit")}
	if a.Has(lab.FieldPer) {
		p.Per = rapid.OneOf(
			rapid.Map(rapid.IntRange(1, 30), func(n int) time.Duration { return time.Duration(n) }),
			rapid.Map(rapid.IntRange(1, 3_000_000), func(n int) time.Duration { return time.Duration(n) }),
			rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 7 * time.Second, time.Minute, time.Hour, 24 * time.Hour}),
		).Draw(t, "per")
	}
	for _, f := range []lab.Field{lab.FieldBurst, lab.FieldQueue} {
		if a.Has(f) {
			*p.Count(f) = count(t, string(f))
		}
	}
	for _, f := range []lab.Field{lab.FieldInitial, lab.FieldFirst, lab.FieldAlign} {
		if a.Has(f) {
			*p.Option(f) = rapid.SampledFrom(f.Options()).Draw(t, string(f))
		}
	}
	if p.Check() != nil {
		// A large burst at a small rate takes too many years to come back.
		p.Burst, p.Queue = min(p.Burst, 30), min(p.Queue, 30)
	}
	if err := p.Check(); err != nil {
		t.Fatalf("drew a policy that cannot be held: %v", err)
	}
	return p
}

func count(t *rapid.T, label string) int64 {
	return rapid.OneOf(
		rapid.Int64Range(1, 8),
		rapid.Int64Range(1, 30),
		rapid.SampledFrom([]int64{7, 100, 1000, 86_400, 999_983, 1_000_000}),
	).Draw(t, label)
}

// Requests draws a trace for a policy: bursts, gaps near the policy's own
// rhythm, a real clock's times, several keys, costs up to one too many, and,
// when inOrder is false, a clock that sometimes steps back.
func Requests(t *rapid.T, p lab.Policy, most int, inOrder bool) []lab.Request {
	per := max(p.Per, 20)
	interval := max(per/time.Duration(p.Limit), 1)
	gaps := rapid.OneOf(
		rapid.Just(time.Duration(0)),
		rapid.SampledFrom([]time.Duration{1, interval, interval + 1, max(interval-1, 0), per, per - 1, per + 1, 2 * per}),
		duration(0, 2*interval),
		duration(0, 2*per),
	)
	at := rapid.SampledFrom([]lab.Time{0, -lab.Time(per) - 3, 1_790_000_040_000_000_000, 1_790_000_040_123_456_789}).Draw(t, "start")
	n := rapid.IntRange(1, most).Draw(t, "requests")
	requests := make([]lab.Request, n)
	for i := range requests {
		at = at.Add(gaps.Draw(t, "gap"))
		r := lab.Request{At: at, Key: rapid.SampledFrom([]string{"ann", "ann", "ann", "bob", ""}).Draw(t, "key"), Cost: 1}
		if !inOrder && rapid.IntRange(0, 9).Draw(t, "steps back") == 0 {
			r.At = at.Add(-duration(0, 2*per).Draw(t, "by"))
		}
		if rapid.IntRange(0, 3).Draw(t, "costs more") == 0 {
			r.Cost = rapid.OneOf(rapid.Int64Range(1, 4), rapid.Int64Range(1, p.Most()+1)).Draw(t, "cost")
		}
		if p.Algorithm == lab.Concurrency {
			r.Service = rapid.OneOf(rapid.Just(time.Duration(0)), duration(0, 3*per)).Draw(t, "service")
		}
		requests[i] = r
	}
	return requests
}

func duration(from, to time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(int64(from), int64(to)), func(n int64) time.Duration { return time.Duration(n) })
}
