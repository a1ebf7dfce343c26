package views

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// What the budget's form asks for, in its field "do", beside what a policy's
// form does.
const (
	doShare   = "share"   // all policies get the budget of the first
	doOwn     = "own"     // nothing changes; what is set from here on is for one policy
	doRestore = "restore" // the policies get back the budgets in the fields "was"
)

// Fields of the budget's form and of the page's address after it.
const (
	fieldWas    = "was"
	fieldBudget = "budget"
)

// Budget is the switch that keeps limit and time equal in all policies that
// count over time.
type Budget struct {
	// Shown is false where fewer than two policies count over time.
	Shown bool
	// Equal says that all have the same budget now; On that what is set for one
	// is set for all. It is so while they are equal, unless somebody wants to set
	// one alone.
	Equal, On bool
	// Words is the budget of the first one, and First how that one is called.
	Words, First string
	// was are the budgets that the policies have now, undo those that they can
	// be given back.
	was, undo []string

	limit int64
	per   string
}

// BudgetOf is the switch for these policies; query is that of the page's
// address, see [BudgetQuery].
func BudgetOf(policies []lab.Policy, query url.Values) Budget {
	counting := overTime(policies)
	b := Budget{Shown: len(counting) > 1, Equal: true, limit: 10, per: "1s"}
	if len(counting) == 0 {
		return b
	}
	first := counting[0]
	b.Words, b.First = Count(first.Limit)+" per "+exact(first.Per), Title(first)
	for _, p := range counting {
		b.Equal = b.Equal && p.Limit == first.Limit && p.Per == first.Per
		b.was = append(b.was, writeBudget(p))
	}
	if b.Equal {
		b.limit, b.per = first.Limit, lab.FormatSpan(first.Per)
	}
	b.On = b.Equal && query.Get(fieldBudget) != doOwn
	if was := query[fieldWas]; b.Equal && len(was) > 0 && len(was) <= len(policies) {
		if before, err := restored(policies, was); err == nil && !slices.Equal(before, policies) {
			b.undo = was
		}
	}
	return b
}

// overTime are the policies that have a limit per time.
func overTime(policies []lab.Policy) (out []lab.Policy) {
	for _, p := range policies {
		if p.Algorithm.Has(lab.FieldPer) {
			out = append(out, p)
		}
	}
	return out
}

// BudgetQuery is the query of the page that a posted form leads back to, so that
// it goes on as was asked without script too; empty for most.
func BudgetQuery(form url.Values) string {
	switch form.Get("do") {
	case doOwn:
		return url.Values{fieldBudget: {doOwn}}.Encode()
	case doShare:
		query := url.Values{fieldWas: form[fieldWas]}.Encode()
		if len(query) <= maxBudgetQuery {
			return query
		}
	}
	return ""
}

// maxBudgetQuery bounds the query in bytes: enough for the policies of a room.
const maxBudgetQuery = 4096

// writeBudget writes a policy's budget with its name: "10 1s token".
func writeBudget(p lab.Policy) string {
	return strconv.FormatInt(p.Limit, 10) + " " + lab.FormatSpan(p.Per) + " " + p.Name
}

// restored gives the policies the budgets that writeBudget wrote. Policies that
// are no longer there, or no longer count over time, are passed over.
func restored(policies []lab.Policy, was []string) ([]lab.Policy, error) {
	out := slices.Clone(policies)
	for _, text := range was {
		fail := func() error {
			return &lab.PolicyError{Reason: fmt.Sprintf("%s: %q is no budget; expected a limit, a time and a policy's name", fieldWas, lab.Clip(text))}
		}
		parts := strings.SplitN(text, " ", 3)
		if len(parts) < 3 {
			return nil, fail()
		}
		limit, err := strconv.ParseInt(parts[0], 10, 64)
		if err != nil {
			return nil, fail()
		}
		per, err := lab.ParseSpan(parts[1])
		if err != nil {
			return nil, fail()
		}
		for i := range out {
			if p := &out[i]; p.Name == parts[2] && p.Algorithm.Has(lab.FieldPer) {
				p.Limit, p.Per = limit, per
			}
		}
	}
	return out, lab.CheckPolicies(out)
}

// editBudget does what the budget's form asks for.
func editBudget(now []lab.Policy, form url.Values) ([]lab.Policy, error) {
	switch form.Get("do") {
	case doRestore:
		if was := form[fieldWas]; len(was) > len(now) {
			return nil, &lab.PolicyError{Reason: fmt.Sprintf("%s: %d budgets for %s", fieldWas, len(was), Plural(int64(len(now)), "policy", "policies"))}
		}
		return restored(now, form[fieldWas])
	case doShare:
		if counting := overTime(now); len(counting) > 0 {
			next := slices.Clone(now)
			shareBudget(next, counting[0])
			return next, checkShared(next, "")
		}
	}
	return now, nil
}

// checkShared checks policies that share a budget. What is wrong with another
// policy than the one whose form it was is told at the limit that it got.
func checkShared(policies []lab.Policy, form string) error {
	err := lab.CheckPolicies(policies)
	var wrong *lab.PolicyError
	if errors.As(err, &wrong) && wrong.Policy != "" && wrong.Policy != form && wrong.Field != lab.FieldName {
		field := lab.FieldLimit
		if form == "" {
			field = "" // no field was filled in
		}
		return &lab.PolicyError{Policy: form, Field: field, Reason: fmt.Sprintf("policy %q cannot have this budget: %s: %s", wrong.Policy, wrong.Field, wrong.Reason)}
	}
	return err
}

func checked(on bool) string { return strconv.FormatBool(on) }

// deed is what pressing the switch does.
func (b Budget) deed() string {
	if b.On {
		return doOwn
	}
	return doShare
}

// note says what the switch means as it stands.
func (b Budget) note() string {
	switch {
	case b.On:
		return b.Words + " for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."
	case b.Equal:
		return "All have " + b.Words + " now. What is set for one is set for that one."
	}
	return "Budgets differ. On gives all " + b.Words + ", as " + b.First + " has."
}

// sameIn says whether the form of that policy sets the budget of all: as the
// switch stands, or as it was in a form that was refused.
func (p Page) sameIn(policy string) bool {
	if p.Problem.of(policy) {
		return p.Problem.Form.Has(sameBudget)
	}
	return p.Budget.On
}
