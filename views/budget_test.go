package views

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/labtest"
)

func TestBudget(t *testing.T) {
	equal := []lab.Policy{
		{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 4},
		{Name: "token", Algorithm: lab.TokenBucket, Limit: 100, Per: time.Minute, Burst: 5},
		{Name: "log", Algorithm: lab.SlidingLog, Limit: 100, Per: time.Minute},
	}
	differ := slices.Clone(equal)
	differ[2].Limit = 7
	for _, c := range []struct {
		about            string
		policies         []lab.Policy
		query            string
		shown, equal, on bool
		undo             bool
		note             string
	}{
		{"equal", equal, "", true, true, true, false, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
		{"equal, but one is to be set alone", equal, "budget=own", true, true, false, false, "All have 100 per 1 min now. What is set for one is set for that one."},
		{"different", differ, "", true, false, false, false, "Budgets differ. On gives all 100 per 1 min, as Token bucket has."},
		{"different anyhow", differ, "budget=own&was=7+1s+log", true, false, false, false, "Budgets differ. On gives all 100 per 1 min, as Token bucket has."},
		{"just made equal", equal, "was=7+1s+log", true, true, true, true, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
		{"was the same", equal, "was=100+1m+log", true, true, true, false, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
		{"nonsense", equal, "was=7+log&budget=x", true, true, true, false, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
		{"too many", equal, strings.Repeat("was=7+1s+log&", 99), true, true, true, false, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
		{"only one counts over time", equal[:2], "", false, true, true, false, "100 per 1 min for all that count over time: their limit and time are one. Bursts and queues stay each one’s own."},
	} {
		query, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		b := BudgetOf(c.policies, query)
		if b.Shown != c.shown || b.Equal != c.equal || b.On != c.on || (b.undo != nil) != c.undo || plain(b.note()) != c.note {
			t.Errorf("%s: shown %v, equal %v, on %v, undo %q, %q", c.about, b.Shown, b.Equal, b.On, b.undo, plain(b.note()))
		}
		values := map[lab.Field]string{}
		for _, f := range newFields(b, nil) {
			values[f.Name] = f.Value
		}
		want := [4]string{"100", "1m", "100", "100"}
		if !c.equal {
			want = [4]string{"10", "1s", "10", "10"}
		}
		if got := [4]string{values[lab.FieldLimit], values[lab.FieldPer], values[lab.FieldBurst], values[lab.FieldQueue]}; got != want {
			t.Errorf("%s: a new policy starts with %v; expected %v", c.about, got, want)
		}
	}
}

// What one form of the switch does, the one that follows undoes.
func TestOneBudgetCanBeUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before []lab.Policy
		for i := range rapid.IntRange(1, 6).Draw(t, "policies") {
			p := labtest.Policy(t)
			p.Name = rapid.StringMatching(`[ -~]{1,12}`).Draw(t, "name") + string(rune('a'+i))
			before = append(before, p)
		}
		shared, err := EditPolicies(before, url.Values{"do": {doShare}})
		if err != nil {
			if wrong := (*lab.PolicyError)(nil); !errors.As(err, &wrong) || wrong.Field != "" {
				t.Fatalf("not told on the whole page: %v", err)
			}
			return // a large burst at a small rate of another
		}
		if b := BudgetOf(shared, nil); !b.Equal {
			t.Fatalf("still different: %v", shared)
		}
		back, err := EditPolicies(shared, url.Values{"do": {doRestore}, fieldWas: BudgetOf(before, nil).was})
		if diff := cmp.Diff(before, back); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
		same, err := EditPolicies(before, url.Values{"do": {doOwn}})
		if err != nil || !slices.Equal(same, before) {
			t.Fatalf("off has changed policies: %v", err)
		}
	})
}

// A budget that another policy cannot have is told at the form's own limit, with
// the other's name.
func TestABudgetThatAnotherCannotHave(t *testing.T) {
	policies := []lab.Policy{
		{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second},
		{Name: "deep", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 1_000_000_000},
	}
	form := url.Values{"do": {"set"}, "policy": {"log"}, "name": {"log"}, "algorithm": {"sliding-log"}, "limit": {"1"}, "per": {"24h"}, "same": {"on"}}
	_, err := EditPolicies(policies, form)
	var wrong *lab.PolicyError
	if !errors.As(err, &wrong) || wrong.Policy != "log" || wrong.Field != lab.FieldLimit || !strings.Contains(wrong.Reason, `"deep" cannot have this budget: burst`) {
		t.Errorf("%v", err)
	}
	policies[0].Limit, policies[0].Per = 1, 24*time.Hour
	form = url.Values{"do": {doShare}}
	_, err = EditPolicies(policies, form)
	if p := ProblemOf(form, err); err == nil || p.general() == "" {
		t.Errorf("%v is told nowhere on the page", err)
	}
}

// Every option of every algorithm stands in both forms, and what is wrong with it
// is told at it.
func TestEveryFieldCanBeSetAndIsNamedWhenItIsWrong(t *testing.T) {
	impossible := map[lab.Field][]string{
		lab.FieldLimit: {"", "0", "-1", "1.5", "ten", "1000000000001", "99999999999999999999"},
		lab.FieldPer:   {"", "0", "0s", "-1s", "1", "0.1ns", "soon", "500000h", "99999999999h"},
		lab.FieldBurst: {"", "0", "x", "1000000000001"},
		lab.FieldQueue: {"", "0", "x", "1000000000001"},
		lab.FieldName:  {strings.Repeat("n", 65), "ключ", "log"},
	}
	others := []lab.Policy{{Name: "log", Algorithm: lab.SlidingLog, Limit: 1, Per: time.Second}}
	for _, a := range lab.Algorithms {
		p := lab.Policy{Name: "mine", Algorithm: a, Limit: 3}
		form := url.Values{"policy": {"mine"}, "algorithm": {string(a)}, "name": {"mine"}}
		for _, f := range a.Fields() {
			switch {
			case f.Options() != nil:
				*p.Option(f) = f.Options()[1]
				form.Set(string(f), f.Options()[1])
			case f == lab.FieldPer:
				p.Per = 90 * time.Second
				form.Set("per", "1m30s")
			default:
				*p.Count(f) = 3
				form.Set(string(f), "3")
			}
		}
		for _, do := range []string{doSet, doAdd} {
			form.Set("do", do)
			now := append(slices.Clone(others), lab.Policy{Name: "mine", Algorithm: lab.GCRA, Limit: 1, Per: 1, Burst: 1})
			shown := fields(p, nil)
			if do == doAdd {
				now, shown = others, newFields(BudgetOf(others, nil), nil)
			}
			got, err := EditPolicies(now, form)
			if err != nil || got[len(got)-1] != p {
				t.Fatalf("%s %s: %v, %v; expected %v", do, a, got, err, p)
			}
			for _, f := range append([]lab.Field{lab.FieldName}, a.Fields()...) {
				if !slices.ContainsFunc(shown, func(s field) bool { return s.Name == f && s.Label != "" }) {
					t.Errorf("%s %s: the form has no %s", do, a, f)
				}
				wrong := impossible[f]
				if f.Options() != nil {
					wrong = []string{"sideways"}
				}
				if len(wrong) == 0 {
					t.Fatalf("nothing is impossible for %s", f)
				}
				right := form.Get(string(f))
				for _, text := range wrong {
					form.Set(string(f), text)
					_, err := EditPolicies(now, form)
					if p := ProblemOf(form, err); err == nil || p.Field != string(f) || p.Message == "" {
						t.Errorf("%s %s: %s %q: %v; expected what is wrong with the field", do, a, f, text, err)
					}
				}
				form.Set(string(f), right)
			}
		}
	}
}
