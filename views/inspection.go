package views

import (
	"slices"
	"strconv"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
)

// Inspection is one request seen closely: what each policy said, why, and what
// the client got.
type Inspection struct {
	Number  uint64
	Time    string
	Key     string
	Cost    string
	Service string // empty when the request stays in progress for no time
	// Earlier and Later say whether the neighbours are still kept.
	Earlier, Later bool
	Policies       []Inspected
}

// Inspected is what one policy said of the request.
type Inspected struct {
	Name, Title, Algorithm string
	Verdict                string
	Outcome                string
	Retry                  string // when a refused request would pass; else empty
	Formula                string
	Then                   []string
	Note                   string // empty, or that the clock had stepped back
	// Before and After are what the policy held for the key just before and just
	// after the decision, in the words of its meter.
	Before, After    string
	Remaining, Reset string
	// Status is the response's first line; Header and Body are the rest.
	Status string
	Header []HeaderLine
	Body   string
	// Open says that this response is shown at first.
	Open bool
}

// inspect builds the view of one request from what is known of it, which it
// copies.
func inspect(i uint64, e session.Explanation) Inspection {
	r, policies, decisions, why := e.Request, e.Policies, e.Decisions, e.Arithmetic
	in := Inspection{Number: i, Time: Clock(r.At), Key: r.Key, Cost: Count(r.Cost)}
	if r.Service > 0 {
		in.Service = Span(r.Service)
	}
	for n, p := range policies {
		d := decisions[n]
		one := Inspected{
			Name: p.Name, Title: Title(p), Algorithm: string(p.Algorithm),
			Verdict: d.Verdict.String(), Outcome: Outcome(d),
			Remaining: Count(d.Remaining) + " more now",
			Reset:     until("more in ", d.Reset),
			Before:    MeterOf(p, e.Before[n]).Words,
			After:     MeterOf(p, e.After[n]).Words,
		}
		if n < len(why) {
			one.Formula = Formula(why[n], d.Verdict)
			one.Then = Consequences(why[n])
		}
		if d.Clamped {
			one.Note = "its clock was behind: decided at " + Clock(d.At)
		}
		if d.Verdict == lab.Refuse {
			one.Retry = "passes in " + Span(d.RetryAfter)
		}
		one.respond(p, response.Of(p, r, d, response.Options{}))
		in.Policies = append(in.Policies, one)
	}
	// The first response that is not a plain 200 teaches most.
	open := slices.IndexFunc(decisions, func(d lab.Decision) bool { return !d.Verdict.Passed() })
	if len(in.Policies) > 0 {
		in.Policies[max(open, 0)].Open = true
	}
	return in
}

// respond takes in the response, its fields in the order of the wire.
func (in *Inspected) respond(p lab.Policy, r response.Response) {
	in.Status, in.Header, in.Body = r.StatusLine(), explainFields(p, r.Fields()), string(r.Body)
}

func (in Inspection) path(room RoomInfo, n uint64) string {
	return room.Path("requests", strconv.FormatUint(n, 10))
}
