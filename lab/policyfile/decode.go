package policyfile

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

const shape = `expected {"policies": [...]} with a list of policies`

// decode makes policies of a file's value.
func decode(root *node) ([]lab.Policy, *problem) {
	if root.kind != object {
		return nil, refuse(root.place, "found %s; %s", root.kind, shape)
	}
	var found *node
	for _, e := range root.entries {
		switch {
		case e.key != "policies":
			return nil, refuse(e.keyAt, "%q is no field here; %s", lab.Clip(e.key), shape)
		case found != nil:
			return nil, refuse(e.keyAt, "the field policies stands here twice; expected it once")
		}
		found = e.value
	}
	switch {
	case found == nil:
		return nil, refuse(root.place, "the object has no policies; %s", shape)
	case found.kind != list:
		return nil, refuse(found.place, "policies: found %s; expected a list of policies", found.kind)
	case len(found.items) == 0:
		return nil, refuse(found.place, "policies: the list is empty; expected 1 to %d policies", MaxPolicies)
	case len(found.items) > MaxPolicies:
		return nil, refuse(found.items[MaxPolicies].place, "policies: the list has %d; expected 1 to %d policies", len(found.items), MaxPolicies)
	}
	policies := make([]lab.Policy, 0, len(found.items))
	for _, item := range found.items {
		p, problem := decodePolicy(item)
		if problem != nil {
			return nil, problem
		}
		if slices.ContainsFunc(policies, func(q lab.Policy) bool { return q.Name == p.Name }) {
			name, _ := item.field(lab.FieldName)
			return nil, refuse(name.value.place, "name: two policies are called %q; expected each name once", p.Name)
		}
		policies = append(policies, p)
	}
	return policies, nil
}

// allFields are the fields that policies have.
var allFields = []lab.Field{
	lab.FieldName, lab.FieldAlgorithm, lab.FieldLimit, lab.FieldPer, lab.FieldBurst, lab.FieldQueue,
	lab.FieldInitial, lab.FieldFirst, lab.FieldAlign,
}

// field is the entry of a policy's field.
func (n *node) field(f lab.Field) (entry, bool) {
	for _, e := range n.entries {
		if e.key == string(f) {
			return e, true
		}
	}
	return entry{}, false
}

func decodePolicy(n *node) (p lab.Policy, _ *problem) {
	if n.kind != object {
		return p, refuse(n.place, "found %s; expected a policy: an object with name, algorithm and the algorithm's fields", n.kind)
	}
	// Which fields there may be depends on the algorithm, which may come last.
	algorithm, ok := n.field(lab.FieldAlgorithm)
	if !ok {
		return p, refuse(n.place, "the policy has no algorithm; expected one of %s", join(lab.Algorithms))
	}
	if algorithm.value.kind != text {
		return p, refuse(algorithm.value.place, "algorithm: found %s; expected one of %s", algorithm.value.kind, join(lab.Algorithms))
	}
	p.Algorithm = lab.Algorithm(algorithm.value.text)
	if p.Algorithm.Fields() == nil {
		return p, refuse(algorithm.value.place, "algorithm: %q is unknown; expected one of %s", lab.Clip(algorithm.value.text), join(lab.Algorithms))
	}
	fields := append([]lab.Field{lab.FieldName, lab.FieldAlgorithm}, p.Algorithm.Fields()...)
	seen := map[string]bool{}
	for _, e := range n.entries {
		f := lab.Field(e.key)
		switch {
		case seen[e.key]:
			return p, refuse(e.keyAt, "the field %s stands here twice; expected it once", e.key)
		case slices.Contains(fields, f):
		case slices.Contains(allFields, f):
			return p, refuse(e.keyAt, "a %s policy has no %s; its fields are %s", p.Algorithm, f, join(fields))
		default:
			return p, refuse(e.keyAt, "%q is no field of a policy; the fields of a %s policy are %s", lab.Clip(e.key), p.Algorithm, join(fields))
		}
		seen[e.key] = true
		if problem := decodeField(&p, f, e.value); problem != nil {
			return p, problem
		}
	}
	for _, f := range fields {
		if !seen[string(f)] && f.Options() == nil {
			return p, refuse(n.place, "the policy has no %s; the fields of a %s policy are %s", f, p.Algorithm, join(fields))
		}
	}
	var wrong *lab.PolicyError
	if errors.As(p.Check(), &wrong) {
		e, _ := n.field(wrong.Field)
		return p, refuse(e.value.place, "%s: %s", wrong.Field, wrong.Reason)
	}
	return p, nil
}

// decodeField sets a field other than the algorithm.
func decodeField(p *lab.Policy, f lab.Field, n *node) *problem {
	expected := func(what string) *problem { return refuse(n.place, "%s: found %s; expected %s", f, n.kind, what) }
	switch {
	case f == lab.FieldAlgorithm:
	case f == lab.FieldName:
		if n.kind != text {
			return expected("a text, which stands in quotes where it looks like something else")
		}
		p.Name = strings.Clone(n.text) // whoever keeps the policy need not keep the file
	case f == lab.FieldPer:
		if n.kind != text {
			return expected("a duration such as 1s, 1500ms or 24h")
		}
		per, err := lab.ParseSpan(n.text)
		if errors.Is(err, lab.ErrOutOfRange) {
			return refuse(n.place, "%s: %q is out of range; expected a duration from 1ns to %s", f, lab.Clip(n.text), lab.FormatSpan(lab.MaxSpan))
		}
		if err != nil {
			return refuse(n.place, "%s: %v", f, err)
		}
		p.Per = per
	case f.Options() != nil:
		if n.kind != text {
			return expected(strings.Join(f.Options(), " or "))
		}
		i := slices.Index(f.Options(), n.text)
		if i < 0 {
			return refuse(n.place, "%s: %q is unknown; expected %s", f, lab.Clip(n.text), strings.Join(f.Options(), " or "))
		}
		*p.Option(f) = f.Options()[i]
	default:
		// YAML takes a number that is too large, or written as 1e3, for a text.
		if n.kind != number && !(n.kind == text && oddNumber(n.text)) {
			return expected("a whole number")
		}
		v, err := strconv.ParseInt(n.text, 10, 64)
		if n.kind != number || err != nil || strconv.FormatInt(v, 10) != n.text {
			return refuse(n.place, "%s: found %s; expected a whole number from 1 to %s, in digits", f, lab.Clip(n.text), lab.FormatCount(lab.MaxCount))
		}
		*p.Count(f) = v
	}
	return nil
}

// oddNumber says whether a text is a number that YAML does not take for one.
func oddNumber(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return err != nil || v > lab.MaxCount
}

func join[S ~string](names []S) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}
