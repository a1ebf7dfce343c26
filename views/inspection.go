package views

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
)

// Inspection is one request seen closely: what each policy said, why, what the
// client got, and how to send it again.
type Inspection struct {
	Number  uint64
	Time    string
	Key     string
	Cost    string
	Service string // empty when the request stays in progress for no time
	// Earlier and Later say whether the neighbours are still kept.
	Earlier, Later bool
	Policies       []Inspected
	// Dialect is the one whose header fields are shown at first.
	Dialect response.Dialect
	// Zero says which instant lab time 0 counts as, where header fields tell
	// instants.
	Zero string
}

// Inspected is what one policy said of the request.
type Inspected struct {
	Name, Title, Algorithm string
	Verdict                string
	Outcome                string
	Retry                  string // how long after it a refused request would pass; else empty
	Formula                string
	// Earliest says when it passes or would have passed, or why never.
	Earliest string
	Then     string // what passing did to the state; may be empty
	Note     string // empty, or that the clock had stepped back
	// Before and After are what the policy held for the key just before and just
	// after the decision, in the words of its meter.
	Before, After string
	// Left is how much more would pass just after it, and when more will.
	Left string
	// Status is the response's first line; Header has the fields of all
	// dialects, and Body is the rest.
	Status string
	Header []HeaderLine
	Body   string
	Size   string // of the body
	Send   Sending
	// Open says that this policy is shown at first.
	Open bool
}

// inspect builds the view of one request from what is known of it, which it
// copies.
func inspect(i uint64, e session.Explanation, room RoomInfo) Inspection {
	r, policies, decisions, why := e.Request, e.Policies, e.Decisions, e.Arithmetic
	in := Inspection{Number: i, Time: exactClock(r.At), Key: keyWords(r.Key), Cost: Count(r.Cost), Zero: room.zero()}
	if r.Service > 0 {
		in.Service = Span(r.Service)
	}
	for n, p := range policies {
		d := decisions[n]
		one := Inspected{
			Name: p.Name, Title: Title(p), Algorithm: string(p.Algorithm),
			Verdict: d.Verdict.String(), Outcome: Outcome(d), Earliest: earliest(p, r, d),
			Left:   Count(d.Remaining) + " more" + until(", another in ", d.Reset),
			Before: MeterOf(p, e.Before[n]).Words,
			After:  MeterOf(p, e.After[n]).Words,
			Send:   sendingOf(room, p, r),
		}
		if n < len(why) {
			one.Formula = Formula(why[n], d.Verdict)
			one.Then = strings.Join(Consequences(why[n]), ", ")
		}
		if d.Clamped {
			one.Note = "Its clock was behind: decided at " + exactClock(d.At) + "."
		}
		if d.Verdict == lab.Refuse {
			one.Retry = "in " + Span(d.RetryAfter)
		}
		one.respond(p, r, d, room)
		in.Policies = append(in.Policies, one)
	}
	// The first response that is not a plain 200 teaches most.
	open := slices.IndexFunc(decisions, func(d lab.Decision) bool { return !d.Verdict.Passed() })
	if len(in.Policies) > 0 {
		in.Policies[max(open, 0)].Open = true
	}
	return in
}

// respond takes in the response, its fields in the order of the wire. Fields that
// several dialects have are there once.
func (in *Inspected) respond(p lab.Policy, r lab.Request, d lab.Decision, room RoomInfo) {
	for _, dialect := range response.Dialects {
		resp := response.Of(p, r, d, response.Options{Dialect: dialect, Origin: room.Began})
		in.Status, in.Body = resp.StatusLine(), string(resp.Body)
		next := 0
		for _, line := range explainFields(p, resp.Fields(), dialect) {
			at := slices.IndexFunc(in.Header, func(l HeaderLine) bool { return l.Field == line.Field && l.Why == line.Why })
			if at < 0 {
				in.Header = slices.Insert(in.Header, next, line)
				at = next
			}
			in.Header[at].In |= 1 << dialect
			next = at + 1
		}
	}
	if in.Body != "" {
		in.Size = bytes(int64(len(in.Body)))
	}
}

// dated says whether a header field tells an instant.
func (in Inspected) dated() bool {
	return slices.ContainsFunc(in.Header, func(l HeaderLine) bool { return l.Name == response.XReset })
}

// Show opens what a policy said, if it was there, and says whether it was.
func (in *Inspection) Show(policy string) bool {
	at := slices.IndexFunc(in.Policies, func(one Inspected) bool { return one.Name == policy })
	if at < 0 {
		return false
	}
	for i := range in.Policies {
		in.Policies[i].Open = i == at
	}
	return true
}

// Names lists the policies that decided the request.
func (in Inspection) Names() []string {
	names := make([]string, len(in.Policies))
	for i, one := range in.Policies {
		names[i] = one.Name
	}
	return names
}

// opened is the policy that is shown at first; empty when there is none.
func (in Inspection) opened() string {
	for _, one := range in.Policies {
		if one.Open {
			return one.Name
		}
	}
	return ""
}

// path is the address of request n's page.
func (in Inspection) path(room RoomInfo, n uint64) string {
	return room.Path("requests", strconv.FormatUint(n, 10))
}

// at is the address of request n's page on which a policy and a dialect are shown.
func (in Inspection) at(room RoomInfo, n uint64, policy string, dialect response.Dialect) string {
	return in.path(room, n) + "?policy=" + url.QueryEscape(policy) + asking(dialect)
}

// keyWords is a key as it can be read: as it is or, where that would hide signs,
// quoted as the traffic notation quotes it.
func keyWords(key string) string {
	hides := func(r rune) bool { return !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) }
	if !utf8.ValidString(key) || key != strings.TrimSpace(key) || strings.ContainsFunc(key, hides) {
		return strconv.Quote(key)
	}
	return key
}

// zero says when lab time 0 was.
func (r RoomInfo) zero() string {
	if r.Began.IsZero() {
		return "Lab time counts from 1970-01-01 00:00:00 UTC."
	}
	return "Lab time 0 was at " + r.Began.UTC().Format("2006-01-02 15:04:05.000") + " UTC. Instants are told as if lab time had run at real time since."
}
