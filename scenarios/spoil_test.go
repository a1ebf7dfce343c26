package scenarios

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// TestSpoiledValuesFail: no expectation holds with another value, whichever of
// its values is changed, left out or added, by however little.
func TestSpoiledValuesFail(t *testing.T) {
	for _, s := range All() {
		r, err := s.record()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Expectations {
			for is := range spoiledValues(e.Is) {
				spoiled := e
				spoiled.Is = is
				if o, err := r.outcome(spoiled); err != nil || o.Holds {
					t.Errorf("%s: %s holds for %v as well as for %v (%v)", s.Name, e.Label(), Roll(is), Roll(e.Is), err)
				}
			}
		}
	}
}

func spoiledValues(is []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		shorter, longer := slices.Clone(is[:len(is)-1]), append(slices.Clone(is), is[len(is)-1])
		if !yield(shorter) || !yield(longer) {
			return
		}
		for i, v := range is {
			for _, w := range otherValues(v) {
				spoiled := slices.Clone(is)
				spoiled[i] = w
				if !yield(spoiled) {
					return
				}
			}
		}
	}
}

// otherValues are values of v's form that are close to v.
func otherValues(v string) []string {
	var unit string
	number := v
	if n, ok := cutMillis(v); ok {
		number, unit = n, " ms"
	}
	r, err := parseNumber(number)
	if err != nil {
		return []string{v + " ", v[:len(v)-1]}
	}
	var out []string
	for _, step := range []string{"1", "-1", "0.000001", "-0.000001"} {
		d, _ := new(big.Rat).SetString(step)
		out = append(out, formatNumber(d.Add(d, r))+unit)
	}
	return out
}

func cutMillis(v string) (string, bool) {
	if n := len(v) - len(" ms"); n > 0 && v[n:] == " ms" {
		return v[:n], true
	}
	return v, false
}

// TestEveryExpectationCanFail: for each expectation there is a change of the
// scenario (another number, option or algorithm in its policies, one more
// request, another given number) that makes it fail; one that nothing can break
// says nothing. And no policy is there without an expectation that notices when
// it changes.
func TestEveryExpectationCanFail(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			unbroken, unnoticed := map[int]bool{}, map[int]bool{}
			for i := range s.Expectations {
				unbroken[i] = true
			}
			for lane := range s.Policies {
				unnoticed[lane] = true
			}
			for lane, changed := range changes(s) {
				if len(unbroken) == 0 && !unnoticed[lane] {
					continue
				}
				r, err := changed.record()
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range changed.Expectations {
					if o, err := r.outcome(e); err != nil || !o.Holds {
						delete(unbroken, i)
						delete(unnoticed, lane)
					}
				}
			}
			for i := range unbroken {
				t.Errorf("nothing makes this fail: %s = %v", s.Expectations[i].Label(), Roll(s.Expectations[i].Is))
			}
			for lane := range unnoticed {
				t.Errorf("no expectation notices a change of policy %s", s.Policies[lane].Name)
			}
		})
	}
}

// other is the lane of a change that is not of a policy.
const other = -1

// changes are scenarios that differ from s in one thing each, and the lane
// whose policy it is.
func changes(s Scenario) iter.Seq2[int, Scenario] {
	return func(yield func(int, Scenario) bool) {
		for lane := range s.Policies {
			for p := range changesOfPolicy(s.Policies[lane]) {
				c := s
				c.Policies = slices.Clone(s.Policies)
				c.Policies[lane] = p
				if !yield(lane, c) {
					return
				}
			}
		}
		for name, value := range s.Given {
			c := s
			c.Given = maps.Clone(s.Given)
			c.Given[name] = new(big.Rat).Add(value, big.NewRat(1, 1))
			if !yield(other, c) {
				return
			}
		}
		for _, extra := range []lab.Time{0, lab.Time(time.Second), lab.Time(75 * time.Second)} {
			c := s
			c.Sent.traffic.Patterns = append([]traffic.Pattern{traffic.Times{At: []lab.Time{extra}}}, s.Sent.traffic.Patterns...)
			if !yield(other, c) {
				return
			}
		}
	}
}

// changesOfPolicy are policies with one other number or option than p, and p's
// numbers under every other algorithm.
func changesOfPolicy(p lab.Policy) iter.Seq[lab.Policy] {
	return func(yield func(lab.Policy) bool) {
		for _, f := range p.Algorithm.Fields() {
			var changed []lab.Policy
			if n := p.Count(f); n != nil {
				for _, v := range []int64{1, *n - 1, *n + 1, *n * 2} {
					c := p
					*c.Count(f) = v
					changed = append(changed, c)
				}
			} else if f == lab.FieldPer {
				c := p
				c.Per *= 2
				changed = append(changed, c)
			} else {
				for _, v := range f.Options() {
					c := p
					*c.Option(f) = v
					changed = append(changed, c)
				}
			}
			for _, c := range changed {
				if c != p && c.Check() == nil && !yield(c) {
					return
				}
			}
		}
		for _, a := range lab.Algorithms {
			c := lab.Policy{Name: p.Name, Algorithm: a, Limit: p.Limit}
			if a.Has(lab.FieldPer) {
				c.Per = max(p.Per, time.Second)
			}
			for _, f := range []lab.Field{lab.FieldBurst, lab.FieldQueue} {
				if a.Has(f) {
					*c.Count(f) = p.Most()
				}
			}
			if a != p.Algorithm && !yield(c) {
				return
			}
		}
	}
}

// TestLabelsTellExpectationsApart: a reader, and a failing test, knows which
// expectation is meant.
func TestLabelsTellExpectationsApart(t *testing.T) {
	for _, s := range All() {
		seen := map[string]bool{}
		for _, e := range s.Expectations {
			id := fmt.Sprint(e.Label(), e.Unit)
			if seen[id] {
				t.Errorf("%s: two expectations read %q", s.Name, id)
			}
			seen[id] = true
		}
	}
}
