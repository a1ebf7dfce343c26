package views

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// What a policy's form asks for, in its field "do".
const (
	doSet       = "set"
	doAdd       = "add"
	doDuplicate = "duplicate"
	doRemove    = "remove"
	doUp        = "up"
	doDown      = "down"
)

// deeds are all that can be asked for.
var deeds = []string{doSet, doAdd, doDuplicate, doRemove, doUp, doDown, doShare, doOwn, doRestore}

// sameBudget is the form's field that gives what is set to all policies.
const sameBudget = "same"

// EditPolicies applies a posted policy form to the policies in force and returns
// the new ones; now stays as it is. The error is a *[lab.PolicyError], without a
// field when none holds what is wrong.
func EditPolicies(now []lab.Policy, form url.Values) ([]lab.Policy, error) {
	next := slices.Clone(now)
	switch form.Get("do") {
	case doShare, doOwn, doRestore:
		return editBudget(next, form)
	}
	if form.Get("do") == doAdd {
		p, err := readPolicy(form)
		if err != nil {
			return nil, err
		}
		if p.Name == "" {
			p.Name = freeName(next, plainNames[p.Algorithm])
		}
		next = append(next, p)
		return next, lab.CheckPolicies(next)
	}
	i := slices.IndexFunc(next, func(p lab.Policy) bool { return p.Name == form.Get("policy") })
	if i < 0 {
		return nil, &lab.PolicyError{Policy: form.Get("policy"), Reason: fmt.Sprintf("there is no policy %q any more; somebody else may have renamed or removed it", lab.Clip(form.Get("policy")))}
	}
	switch do := form.Get("do"); do {
	case doSet:
		p, err := readPolicy(form)
		if err != nil {
			return nil, err
		}
		next[i] = p
		if form.Has(sameBudget) {
			shareBudget(next, p)
			return next, checkShared(next, p.Name)
		}
	case doUp, doDown:
		j := i + 1
		if do == doUp {
			j = i - 1
		}
		if j < 0 || j >= len(next) {
			return nil, &lab.PolicyError{Policy: next[i].Name, Field: lab.FieldName, Reason: "it cannot go further"}
		}
		next[i], next[j] = next[j], next[i]
	case doDuplicate:
		p := next[i]
		p.Name = freeName(next, p.Name)
		next = slices.Insert(next, i+1, p)
	case doRemove:
		if len(next) == 1 {
			return nil, &lab.PolicyError{Policy: next[i].Name, Field: lab.FieldName, Reason: "it is the last policy; expected at least one"}
		}
		next = slices.Delete(next, i, i+1)
	default:
		return nil, &lab.PolicyError{Policy: next[i].Name, Reason: fmt.Sprintf("do: %q is unknown; expected one of %s", lab.Clip(do), strings.Join(deeds, ", "))}
	}
	return next, lab.CheckPolicies(next)
}

// shareBudget gives the limit and time of one policy to all others that count
// requests over time.
func shareBudget(policies []lab.Policy, from lab.Policy) {
	if !from.Algorithm.Has(lab.FieldPer) {
		return
	}
	for i := range policies {
		if p := &policies[i]; p.Algorithm.Has(lab.FieldPer) {
			p.Limit, p.Per = from.Limit, from.Per
		}
	}
}

// readPolicy reads the fields that the form's algorithm has; others that a form
// without script also posts are left out.
func readPolicy(form url.Values) (lab.Policy, error) {
	p := lab.Policy{
		Name:      strings.TrimSpace(form.Get(string(lab.FieldName))),
		Algorithm: lab.Algorithm(form.Get(string(lab.FieldAlgorithm))),
	}
	fail := func(f lab.Field, format string, args ...any) error {
		return &lab.PolicyError{Policy: p.Name, Field: f, Reason: fmt.Sprintf(format, args...)}
	}
	for _, f := range p.Algorithm.Fields() {
		text := strings.TrimSpace(form.Get(string(f)))
		switch {
		case f == lab.FieldPer:
			d, err := lab.ParseSpan(strings.ReplaceAll(text, " ", ""))
			if err != nil {
				return p, fail(f, "%v", err)
			}
			p.Per = d
		case f.Options() != nil:
			*p.Option(f) = text
			if text == f.Options()[0] {
				*p.Option(f) = ""
			}
		default:
			n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
			if err != nil {
				return p, fail(f, "%q is not a whole number; expected one from 1 to %s", text, Count(lab.MaxCount))
			}
			*p.Count(f) = n
		}
	}
	return p, nil
}

// freeName is name, or name with the first free number behind it.
func freeName(policies []lab.Policy, name string) string {
	taken := make(map[string]bool, len(policies))
	for _, p := range policies {
		taken[p.Name] = true
	}
	free := name
	for i := 2; taken[free] || len(free) > lab.MaxNameLength; i++ {
		suffix := "-" + strconv.Itoa(i)
		free = name[:min(len(name), lab.MaxNameLength-len(suffix))] + suffix
	}
	return free
}

// FormSentence is the [Sentence] of the policy that stands in a form which may
// not have been posted yet. The error is a *[lab.PolicyError].
func FormSentence(form url.Values) (string, error) {
	p, err := readPolicy(form)
	if err != nil {
		return "", err
	}
	if p.Name == "" {
		p.Name = "new" // it gets one of its own when it is added
	}
	if err := p.Check(); err != nil {
		return "", err
	}
	return Sentence(p), nil
}
