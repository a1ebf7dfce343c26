package scenarios

import (
	"math/big"
	"testing"
)

func TestFormula(t *testing.T) {
	lookup := func(name string) (*big.Rat, bool) {
		r, ok := map[string]*big.Rat{"burst": big.NewRat(20, 1), "limit": big.NewRat(2, 1), "per": big.NewRat(1, 1)}[name]
		return r, ok
	}
	for _, test := range []struct{ formula, want string }{
		{"burst + limit * 2 / per", "24"},
		{"(burst + limit) * 2", "44"},
		{"burst - limit - 1", "17"},
		{"1 / (burst - limit)", "1/18"},
		{"0.1 + 0.2", "0.3"},
		{"limit / burst", "0.1"},
	} {
		f, err := parseFormula(test.formula)
		if err != nil {
			t.Errorf("%s: %v", test.formula, err)
			continue
		}
		if got, err := f.value(lookup); err != nil || formatNumber(got) != test.want {
			t.Errorf("%s = %v, %v, want %s", test.formula, got, err, test.want)
		}
	}
}

func TestFormulaRefuses(t *testing.T) {
	for _, text := range []string{"", "1 +", "1 % 2", "f(1)", "-1", `"1"`, "1e3", "0x10", "a.b", "1 == 1", "'a'"} {
		if f, err := parseFormula(text); err == nil {
			t.Errorf("parseFormula(%q) = %v, want an error", text, f.text)
		}
	}
}
