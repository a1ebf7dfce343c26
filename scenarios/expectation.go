package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Expectation is a number, or a list of them, that must come of a run.
type Expectation struct {
	// Kind says what is measured; see kinds.go.
	Kind string
	// Policy names the lane; empty where the kind needs none.
	Policy string
	// With names a second lane, for kinds that compare two.
	With string
	// Key says whose requests or state is meant; empty means all requests, or
	// the default key's state.
	Key string
	// During is when; nil means the whole run.
	During *Interval
	// Requests are the requests meant, counted from 1; nil means all.
	Requests []int
	// At is the instant of a state, after all requests at or before it.
	At *lab.Time
	// Span is the length of the busiest span.
	Span time.Duration
	// Percent is which percentile.
	Percent int
	// Formula and Unit are the arithmetic and the unit that its value is told
	// in, rounded to one decimal; empty means exact.
	Formula, Unit string
	// Is is what must come of it, one text per value; equal numbers have equal
	// texts.
	Is []string
	// Says is a remark for the reader.
	Says string

	kind    kind
	lane    int // -1 without a policy
	with    int
	formula formula
}

// Interval is a stretch of time from From until just before To, or, when it is
// Closed, with To.
type Interval struct {
	From, To lab.Time
	Closed   bool
}

// Holds says whether t lies in the interval; a nil interval holds every t.
func (i *Interval) Holds(t lab.Time) bool {
	return i == nil || i.From <= t && (t < i.To || i.Closed && t == i.To)
}

// Label says in one line what is measured, without what must come of it.
func (e Expectation) Label() string {
	var b strings.Builder
	word := func(format string, args ...any) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, format, args...)
	}
	if e.Policy != "" {
		word("%s:", e.Policy)
	}
	switch e.Kind {
	case kindFormula:
		word("%s", e.Formula)
		if e.Unit != "" {
			word("in %s", e.Unit)
		}
	case kindBusiest:
		word("%s %s", e.kind.words, lab.FormatSpan(e.Span))
	case kindPercentile:
		word("%s (percentile %d)", e.kind.words, e.Percent)
	case kindPerSecond:
		if e.Policy == "" {
			word("sent")
		} else {
			word("served")
		}
		word("%s", e.kind.words)
	default:
		word("%s", e.kind.words)
	}
	if e.With != "" {
		word("%s", e.With)
	}
	if e.Key != "" {
		word("for key %s", e.Key)
	}
	if i := e.During; i != nil {
		until := "until"
		if i.Closed {
			until = "through"
		}
		word("from %s ms %s %s ms", i.From.Millis(), until, i.To.Millis())
	}
	if e.At != nil {
		word("at %s ms", e.At.Millis())
	}
	switch len(e.Requests) {
	case 0:
	case 1:
		word("(request %d)", e.Requests[0])
	default:
		word("(requests %s)", formatRequests(e.Requests))
	}
	return b.String()
}

// readExpectation reads one expectation of s, whose policies are known.
func readExpectation(s *Scenario, y expectationYAML) (Expectation, error) {
	k, ok := kinds[y.Kind]
	if !ok {
		return Expectation{}, fmt.Errorf("kind: %q is unknown; expected one of %s", y.Kind, names(kinds))
	}
	e := Expectation{Kind: y.Kind, Policy: y.Policy, With: y.With, Key: y.Key, Percent: y.Percent, Unit: y.Unit, Says: y.Says, kind: k, lane: -1}
	if err := y.check(k); err != nil {
		return Expectation{}, err
	}
	var err error
	lane := func(name string) int {
		i := slices.IndexFunc(s.Policies, func(p lab.Policy) bool { return p.Name == name })
		if i < 0 && name != "" {
			err = errors.Join(err, fmt.Errorf("there is no policy %q", name))
		}
		return i
	}
	instant := func(text string) lab.Time {
		d, bad := lab.ParseSpan(text)
		err = errors.Join(err, bad)
		return lab.Time(d)
	}
	e.lane, e.with = lane(y.Policy), lane(y.With)
	if y.From != "" {
		i := Interval{From: instant(y.From), Closed: y.Through != ""}
		i.To = instant(y.To + y.Through)
		e.During = &i
	}
	if y.At != "" {
		at := instant(y.At)
		e.At = &at
	}
	if y.Span != "" {
		e.Span = time.Duration(instant(y.Span))
	}
	if y.Requests != "" {
		list, bad := parseRequests(y.Requests)
		e.Requests, err = list, errors.Join(err, bad)
	}
	if y.Formula != "" {
		f, bad := parseFormula(y.Formula)
		e.Formula, e.formula, err = y.Formula, f, errors.Join(err, bad)
	}
	if err != nil {
		return Expectation{}, err
	}
	e.Is, err = k.form(e).readAll(y.Is)
	return e, err
}

// check checks that y has the fields that its kind needs, and no others.
func (y expectationYAML) check(k kind) error {
	there := map[field]bool{
		onPolicy: y.Policy != "", onWith: y.With != "", onKey: y.Key != "", onDuring: y.From != "",
		onRequests: y.Requests != "", onAt: y.At != "", onSpan: y.Span != "", onPercent: y.Percent != 0, onFormula: y.Formula != "", onUnit: y.Unit != "",
	}
	for f, is := range there {
		switch {
		case is && !slices.Contains(k.needs, f) && !slices.Contains(k.takes, f):
			return fmt.Errorf("it has no %s", f)
		case !is && slices.Contains(k.needs, f):
			return fmt.Errorf("it needs %s", f)
		}
	}
	switch {
	case (y.From != "") != (y.To+y.Through != "") || y.To != "" && y.Through != "":
		return errors.New("expected from with either to or through")
	case k.state && (y.At != "") == (y.Requests != ""):
		return errors.New("expected either at or requests")
	case y.Percent < 0 || y.Percent > 100:
		return fmt.Errorf("percent: expected 1 to 100, not %d", y.Percent)
	case len(y.Is.values) == 0:
		return errors.New("is: expected a value")
	}
	return nil
}

// readAll reads what a scenario says must come of an expectation.
func (f form) readAll(is scalars) ([]string, error) {
	if is.list != f.list {
		if f.list {
			return nil, errors.New("is: expected a list")
		}
		return nil, errors.New("is: expected one value, not a list")
	}
	values := is.values
	if f.list {
		var err error
		if values, err = unroll(values); err != nil {
			return nil, fmt.Errorf("is: %w", err)
		}
	}
	out := make([]string, len(values))
	for i, v := range values {
		var err error
		if out[i], err = f.read(v); err != nil {
			return nil, fmt.Errorf("is: %w", err)
		}
	}
	return out, nil
}

// parseRequests reads requests such as "1-14, 17", in order.
func parseRequests(text string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if errA != nil || errB != nil || a < 1 || b < a || b-a >= repeated || len(list) > 0 && a <= list[len(list)-1] {
			return nil, fmt.Errorf("requests: %q is not a list such as 1-14, 17, in order", text)
		}
		for ; a <= b; a++ {
			list = append(list, a)
		}
	}
	return list, nil
}

// formatRequests is the opposite of parseRequests.
func formatRequests(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		} else {
			parts = append(parts, strconv.Itoa(list[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// stateKey is the key whose state an expectation is about.
func (e *Expectation) stateKey() string {
	if e.Key == "" {
		return traffic.DefaultKey
	}
	return e.Key
}
