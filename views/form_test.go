package views

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		about string
		form  url.Values
		want  []string
	}{
		{"a plain text passes", url.Values{"command": {"pause"}}, []string{"pause"}},
		{"fields are filled in", url.Values{"command": {"send {count}@0s every {gap}"}, "count": {" 14 "}, "gap": {"0s"}}, []string{"send 14@0s every 0s"}},
		{"a field may hold lines and braces", url.Values{"command": {"send {notation}"}, "notation": {"14@0s\n{count}"}, "count": {"9"}}, []string{"send 14@0s\n{count}"}},
		{"JSON passes", url.Values{"command": {`policies {"policies":[{"name":"a"}]}`}}, []string{`policies {"policies":[{"name":"a"}]}`}},
		{"a command does not hold itself", url.Values{"command": {"send {command}"}}, []string{"send {command}"}},
		{"an open brace stays", url.Values{"command": {"send {count"}, "count": {"1"}}, []string{"send {count"}},
		{"a name too long is none", url.Values{"command": {"{" + strings.Repeat("n", 65) + "}"}, strings.Repeat("n", 65): {"1"}}, []string{"{" + strings.Repeat("n", 65) + "}"}},
		{"several in their order", url.Values{"command": {"pause", "reset"}}, []string{"pause", "reset"}},
	} {
		got, err := Commands(c.form)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; expected %q", c.about, got, err, c.want)
		}
	}
	for about, form := range map[string]url.Values{
		"no command":          {"count": {"1"}},
		"too many":            {"command": make([]string, maxCommands+1)},
		"too long":            {"command": {"send {n}"}, "n": {strings.Repeat("x", maxCommandLength)}},
		"too much":            {"command": {strings.Repeat("{n}", 20_000)}, "n": {strings.Repeat("x", 1<<20)}},
		"a template too long": {"command": {strings.Repeat("{", maxCommandLength) + "}"}},
	} {
		if got, err := Commands(form); err == nil {
			t.Errorf("%s: %d commands; expected an error", about, len(got))
		}
	}
}

var two = []lab.Policy{
	{Name: "a", Algorithm: lab.GCRA, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "b", Algorithm: lab.SlidingLog, Limit: 5, Per: time.Minute},
}

func TestEditPolicies(t *testing.T) {
	changed := lab.Policy{Name: "b2", Algorithm: lab.SlidingLog, Limit: 1_000, Per: 90 * time.Second}
	added := lab.Policy{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 3, Per: time.Hour, Align: lab.AlignFirstRequest}
	twin := two[0]
	twin.Name = "a-2"
	for _, c := range []struct {
		about string
		form  url.Values
		want  []lab.Policy
	}{
		{"set", url.Values{"do": {"set"}, "policy": {"b"}, "algorithm": {"sliding-log"}, "name": {" b2 "}, "limit": {"1,000"}, "per": {"1m 30s"}},
			[]lab.Policy{two[0], changed}},
		{"add, with fields that the algorithm does not have", url.Values{"do": {"add"}, "algorithm": {"fixed-window"}, "limit": {"3"}, "per": {"1h"}, "burst": {"x"}, "align": {"first-request"}, "first": {"immediate"}},
			[]lab.Policy{two[0], two[1], added}},
		{"duplicate", url.Values{"do": {"duplicate"}, "policy": {"a"}}, []lab.Policy{two[0], twin, two[1]}},
		{"up", url.Values{"do": {"up"}, "policy": {"b"}}, []lab.Policy{two[1], two[0]}},
		{"down", url.Values{"do": {"down"}, "policy": {"a"}}, []lab.Policy{two[1], two[0]}},
		{"the same budget for all", url.Values{"do": {"set"}, "policy": {"b"}, "algorithm": {"sliding-log"}, "name": {"b2"}, "limit": {"1000"}, "per": {"90s"}, "same": {"on"}},
			[]lab.Policy{{Name: "a", Algorithm: lab.GCRA, Limit: 1000, Per: 90 * time.Second, Burst: 10}, changed}},
		{"remove", url.Values{"do": {"remove"}, "policy": {"a"}}, []lab.Policy{two[1]}},
	} {
		before := slices.Clone(two)
		got, err := EditPolicies(two, c.form)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.about, err, diff)
		}
		if !slices.Equal(before, two) {
			t.Fatalf("%s changed the policies that it was given", c.about)
		}
	}
}

func TestEditPoliciesSaysWhichFieldIsWrong(t *testing.T) {
	for _, c := range []struct {
		form  url.Values
		field lab.Field
	}{
		{url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"a"}, "limit": {"0"}, "per": {"1s"}, "burst": {"1"}}, lab.FieldLimit},
		{url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"a"}, "limit": {"1.5"}, "per": {"1s"}, "burst": {"1"}}, lab.FieldLimit},
		{url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"a"}, "limit": {"1"}, "per": {"soon"}, "burst": {"1"}}, lab.FieldPer},
		{url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"a"}, "limit": {"1"}, "per": {"0.3ns"}, "burst": {"1"}}, lab.FieldPer},
		{url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"b"}, "limit": {"1"}, "per": {"1s"}, "burst": {"1"}}, lab.FieldName},
		{url.Values{"do": {"set"}, "policy": {"gone"}, "algorithm": {"gcra"}}, ""},
		{url.Values{"do": {"add"}, "algorithm": {"magic"}, "name": {"x"}}, lab.FieldAlgorithm},
	} {
		_, err := EditPolicies(two, c.form)
		var wrong *lab.PolicyError
		if !errors.As(err, &wrong) || wrong.Field != c.field {
			t.Errorf("%v: %v; expected what is wrong with %s", c.form, err, c.field)
		}
	}
	if _, err := EditPolicies(two[:1], url.Values{"do": {"remove"}, "policy": {"a"}}); err == nil {
		t.Error("the last policy could be removed")
	}
	for do, policy := range map[string]string{"up": "a", "down": "b"} {
		if _, err := EditPolicies(two, url.Values{"do": {do}, "policy": {policy}}); err == nil {
			t.Errorf("%s goes %s beyond the end", policy, do)
		}
	}
	// A limit on requests in progress is no rate: it neither gives nor takes one.
	mixed := append(slices.Clone(two), lab.Policy{Name: "c", Algorithm: lab.Concurrency, Limit: 7})
	got, err := EditPolicies(mixed, url.Values{"do": {"set"}, "policy": {"c"}, "algorithm": {"concurrency"}, "name": {"c"}, "limit": {"9"}, "same": {"on"}})
	if err != nil || got[0].Limit != two[0].Limit || got[2].Limit != 9 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := EditPolicies(mixed, url.Values{"do": {"set"}, "policy": {"a"}, "algorithm": {"gcra"}, "name": {"a"}, "limit": {"3"}, "per": {"1s"}, "burst": {"3"}, "same": {"on"}}); err != nil || got[1].Limit != 3 || got[2].Limit != 7 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := EditPolicies(two, url.Values{"do": {"paint"}, "policy": {"a"}}); err == nil {
		t.Error("anything can be done with a policy")
	}
}

func TestFreeName(t *testing.T) {
	long := strings.Repeat("x", lab.MaxNameLength)
	ps := []lab.Policy{{Name: "a"}, {Name: "a-2"}, {Name: long}}
	for name, want := range map[string]string{"b": "b", "a": "a-3", long: long[:lab.MaxNameLength-2] + "-2"} {
		if got := freeName(ps, name); got != want {
			t.Errorf("freeName(%q) = %q; expected %q", name, got, want)
		}
	}
}
