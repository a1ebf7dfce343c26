package lab

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Algorithm names a way to limit.
type Algorithm string

const (
	TokenBucket    Algorithm = "token-bucket"
	LeakyBucket    Algorithm = "leaky-bucket"
	GCRA           Algorithm = "gcra"
	FixedWindow    Algorithm = "fixed-window"
	SlidingLog     Algorithm = "sliding-log"
	SlidingCounter Algorithm = "sliding-counter"
	Concurrency    Algorithm = "concurrency"
)

// Algorithms lists all of them in the order in which they are taught.
var Algorithms = []Algorithm{TokenBucket, LeakyBucket, GCRA, FixedWindow, SlidingLog, SlidingCounter, Concurrency}

// Field names a number or an option of a policy, as it is written in JSON.
type Field string

const (
	FieldName      Field = "name"
	FieldAlgorithm Field = "algorithm"
	FieldLimit     Field = "limit"
	FieldPer       Field = "per"
	FieldBurst     Field = "burst"
	FieldQueue     Field = "queue"
	FieldInitial   Field = "initial"
	FieldFirst     Field = "first"
	FieldAlign     Field = "align"
)

// The values of a policy's options. The first of each pair is the default and
// is written as the empty string in a [Policy] that was made by hand.
const (
	InitialFull       = "full"
	InitialEmpty      = "empty"
	FirstImmediate    = "immediate"
	FirstAfterGap     = "after-gap"
	AlignEpoch        = "epoch"
	AlignFirstRequest = "first-request"
)

// Options lists the values of an option field, the default first; nil for a
// field that is not an option.
func (f Field) Options() []string {
	switch f {
	case FieldInitial:
		return []string{InitialFull, InitialEmpty}
	case FieldFirst:
		return []string{FirstImmediate, FirstAfterGap}
	case FieldAlign:
		return []string{AlignEpoch, AlignFirstRequest}
	}
	return nil
}

var algorithmFields = map[Algorithm][]Field{
	TokenBucket:    {FieldLimit, FieldPer, FieldBurst, FieldInitial},
	LeakyBucket:    {FieldLimit, FieldPer, FieldQueue, FieldFirst},
	GCRA:           {FieldLimit, FieldPer, FieldBurst},
	FixedWindow:    {FieldLimit, FieldPer, FieldAlign},
	SlidingLog:     {FieldLimit, FieldPer},
	SlidingCounter: {FieldLimit, FieldPer},
	Concurrency:    {FieldLimit},
}

// Fields lists the fields that a policy of this algorithm has besides name and
// algorithm; nil for an unknown algorithm.
func (a Algorithm) Fields() []Field { return algorithmFields[a] }

// Has says whether a policy of this algorithm has field f.
func (a Algorithm) Has(f Field) bool {
	for _, g := range algorithmFields[a] {
		if f == g {
			return true
		}
	}
	return f == FieldName || f == FieldAlgorithm
}

// Policy is an algorithm and its numbers, as declared. Fields that the
// algorithm does not have stay zero. [Policy.Check] says what is wrong with one.
type Policy struct {
	// Name tells policies apart; it also stands in the RateLimit fields, so it
	// is 1 to 64 printable ASCII characters.
	Name      string
	Algorithm Algorithm
	// Limit requests every Per is the rate (or, for window algorithms, the most
	// in one window; for concurrency, the most in progress).
	Limit int64
	Per   time.Duration
	// Burst is the size of a token bucket; Queue that of a leaky one.
	Burst int64
	Queue int64
	// Initial, First and Align are the options; empty means the default.
	Initial string
	First   string
	Align   string
}

// Same says whether p and q have one name and decide alike: an option that is
// left out is its default.
func (p Policy) Same(q Policy) bool {
	for _, f := range []Field{FieldInitial, FieldFirst, FieldAlign} {
		for _, o := range []*string{p.Option(f), q.Option(f)} {
			if *o == f.Options()[0] {
				*o = ""
			}
		}
	}
	return p == q
}

// Most is the largest cost that the policy can ever pass: the whole quota.
func (p Policy) Most() int64 {
	switch p.Algorithm {
	case TokenBucket, GCRA:
		return p.Burst
	case LeakyBucket:
		return p.Queue
	}
	return p.Limit
}

// Count returns the value of a count field: limit, burst or queue.
func (p *Policy) Count(f Field) *int64 {
	switch f {
	case FieldLimit:
		return &p.Limit
	case FieldBurst:
		return &p.Burst
	case FieldQueue:
		return &p.Queue
	}
	return nil
}

// Option returns the value of an option field: initial, first or align.
func (p *Policy) Option(f Field) *string {
	switch f {
	case FieldInitial:
		return &p.Initial
	case FieldFirst:
		return &p.First
	case FieldAlign:
		return &p.Align
	}
	return nil
}

// PolicyError says which field of a policy is wrong, and what was expected.
type PolicyError struct {
	Policy string // the policy's name, if it has one
	Field  Field  // empty when no single field is wrong
	Reason string
}

func (e *PolicyError) Error() string {
	text := e.Reason
	if e.Field != "" {
		text = string(e.Field) + ": " + text
	}
	if e.Policy != "" {
		text = fmt.Sprintf("policy %q: %s", e.Policy, text)
	}
	return text
}

// MaxNameLength bounds a policy's name.
const MaxNameLength = 64

// Check reports the first thing that is wrong with p as a *[PolicyError]. What
// passes can be decided exactly.
func (p Policy) Check() error {
	fail := func(f Field, format string, args ...any) error {
		return &PolicyError{p.Name, f, fmt.Sprintf(format, args...)}
	}
	if p.Name == "" || len(p.Name) > MaxNameLength {
		return &PolicyError{"", FieldName, fmt.Sprintf("expected 1 to %d characters", MaxNameLength)}
	}
	for _, r := range p.Name {
		if r < ' ' || r > '~' {
			return &PolicyError{"", FieldName, fmt.Sprintf("%q has the character %q; expected printable ASCII, because the name stands in response headers", p.Name, r)}
		}
	}
	fields := p.Algorithm.Fields()
	if fields == nil {
		return fail(FieldAlgorithm, "%q is unknown; expected one of %s", p.Algorithm, algorithmList())
	}
	for _, f := range []Field{FieldLimit, FieldBurst, FieldQueue} {
		v := *p.Count(f)
		switch {
		case !p.Algorithm.Has(f) && v != 0:
			return fail(f, "a %s policy has none", p.Algorithm)
		case p.Algorithm.Has(f) && (v < 1 || v > MaxCount):
			return fail(f, "%d is out of range; expected a whole number from 1 to %s", v, FormatCount(MaxCount))
		}
	}
	for _, f := range []Field{FieldInitial, FieldFirst, FieldAlign} {
		v := *p.Option(f)
		switch {
		case v == "":
		case !p.Algorithm.Has(f):
			return fail(f, "a %s policy has none", p.Algorithm)
		case v != f.Options()[0] && v != f.Options()[1]:
			return fail(f, "%q is unknown; expected %s", v, strings.Join(f.Options(), " or "))
		}
	}
	if !p.Algorithm.Has(FieldPer) {
		if p.Per != 0 {
			return fail(FieldPer, "a %s policy has none", p.Algorithm)
		}
		return nil
	}
	if p.Per < 1 || p.Per > MaxSpan {
		return fail(FieldPer, "%s is out of range; expected a duration from 1ns to %s", FormatSpan(p.Per), FormatSpan(MaxSpan))
	}
	for _, f := range []Field{FieldBurst, FieldQueue} {
		if most := *p.Count(f); p.Algorithm.Has(f) && spanTooLong(most, p.Per, p.Limit) {
			return fail(f, "%d at %d per %s would take over 50 years to recover, longer than the engine's clock can hold exactly; expected at most %d",
				most, p.Limit, FormatSpan(p.Per), longestCount(p.Per, p.Limit))
		}
	}
	return nil
}

func algorithmList() string {
	names := make([]string, len(Algorithms))
	for i, a := range Algorithms {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}

// policyJSON is a policy as SEMANTICS writes it down.
type policyJSON struct {
	Name      string    `json:"name"`
	Algorithm Algorithm `json:"algorithm"`
	Limit     int64     `json:"limit"`
	Per       string    `json:"per,omitempty"`
	Burst     int64     `json:"burst,omitempty"`
	Queue     int64     `json:"queue,omitempty"`
	Initial   string    `json:"initial,omitempty"`
	First     string    `json:"first,omitempty"`
	Align     string    `json:"align,omitempty"`
}

// MarshalJSON writes the policy with its durations as Go writes them.
func (p Policy) MarshalJSON() ([]byte, error) {
	j := policyJSON{p.Name, p.Algorithm, p.Limit, "", p.Burst, p.Queue, p.Initial, p.First, p.Align}
	if p.Per != 0 {
		j.Per = FormatSpan(p.Per)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote. It does not check the policy; a
// person's input is read by lab/policyfile, which says where a mistake is.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var j policyJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*p = Policy{j.Name, j.Algorithm, j.Limit, 0, j.Burst, j.Queue, j.Initial, j.First, j.Align}
	if j.Per != "" {
		per, err := ParseSpan(j.Per)
		if err != nil {
			return &PolicyError{j.Name, FieldPer, fmt.Sprintf("%q is not a duration such as 1s, 1500ms or 24h", j.Per)}
		}
		p.Per = per
	}
	return nil
}

// CheckPolicies checks each policy and that no two share a name.
func CheckPolicies(ps []Policy) error {
	seen := make(map[string]bool, len(ps))
	for _, p := range ps {
		if err := p.Check(); err != nil {
			return err
		}
		if seen[p.Name] {
			return &PolicyError{p.Name, FieldName, "two policies have this name; expected each name once"}
		}
		seen[p.Name] = true
	}
	return nil
}
