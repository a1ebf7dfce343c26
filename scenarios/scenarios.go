// Package scenarios holds worked examples of rate limiting as data that proves
// itself: policies, what is sent, and what must come of it.
//
// A scenario is one file under cases, named in order.yaml, which is the one
// list of all scenarios. [Scenario.Run] gives its requests to the engine and
// measures every expectation; a test runs them all, and another one spoils each
// expectation in turn and requires that the run notices. Adding a scenario
// touches no code.
//
// The numbers are those of two lessons on rate limiting; where a lesson counts
// a span with both its ends, the scenario says "through".
package scenarios

import (
	"embed"
	"fmt"
	"math/big"
	"path"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/burstlab/burstlab/lab"
)

//go:embed order.yaml cases/*.yaml
var files embed.FS

// Scenario is one worked example.
type Scenario struct {
	// Name is unique, and what a person types.
	Name string
	// Group is the heading under which it is listed.
	Group string
	// Title is a line, Words a short explanation.
	Title, Words string
	// Policies are the lanes, in order; none for an example that is arithmetic
	// alone.
	Policies []lab.Policy
	// Sent is what is sent.
	Sent Sent
	// Given are numbers that the formulas of its expectations may name.
	Given map[string]*big.Rat
	// Tables says which tables a run makes, in order.
	Tables []TableKind
	// Expectations are what must come of it, at least one.
	Expectations []Expectation
}

// All returns every scenario, in the order of the one list. What they hold is
// shared: the caller does not change it.
func All() []Scenario { return slices.Clone(all()) }

// ByName finds a scenario.
func ByName(name string) (Scenario, bool) {
	for _, s := range all() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// all reads the embedded files once. They are part of the program, and a test
// reads them; a mistake in one is a mistake in the program.
var all = sync.OnceValue(func() []Scenario {
	list, err := load(files)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	return list
})

// group is one heading of order.yaml, with the scenarios under it.
type group struct {
	Title     string   `yaml:"group"`
	Scenarios []string `yaml:"scenarios"`
}

func load(files fileSystem) ([]Scenario, error) {
	data, err := files.ReadFile("order.yaml")
	if err != nil {
		return nil, err
	}
	var order []group
	if err := yaml.UnmarshalWithOptions(data, &order, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("order.yaml: %w", err)
	}
	entries, err := files.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	unlisted := map[string]bool{}
	for _, e := range entries {
		unlisted[e.Name()] = true
	}
	var list []Scenario
	for _, g := range order {
		for _, name := range g.Scenarios {
			file := name + ".yaml"
			if !unlisted[file] {
				return nil, fmt.Errorf("order.yaml: %q is listed twice or has no file", name)
			}
			delete(unlisted, file)
			data, err := files.ReadFile(path.Join("cases", file))
			if err != nil {
				return nil, err
			}
			s, err := read(data)
			if err != nil {
				return nil, fmt.Errorf("cases/%s: %w", file, err)
			}
			s.Name, s.Group = name, g.Title
			list = append(list, s)
		}
	}
	for file := range unlisted {
		return nil, fmt.Errorf("cases/%s is not listed in order.yaml", file)
	}
	return list, nil
}
