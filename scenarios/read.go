package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/burstlab/burstlab/lab/policyfile"
)

// fileSystem is what load reads.
type fileSystem interface {
	fs.ReadFileFS
	fs.ReadDirFS
}

// scenarioYAML is a file under cases.
type scenarioYAML struct {
	Title    string            `yaml:"title"`
	Words    string            `yaml:"words"`
	Policies rawYAML           `yaml:"policies"`
	Traffic  string            `yaml:"traffic"`
	Trace    string            `yaml:"trace"`
	Keys     int               `yaml:"keys"`
	Given    map[string]scalar `yaml:"given"`
	Tables   []TableKind       `yaml:"tables"`
	Expect   []expectationYAML `yaml:"expect"`
}

// expectationYAML is one expectation. Which fields it has besides kind, is and
// says depends on its kind.
type expectationYAML struct {
	Kind     string  `yaml:"kind"`
	Policy   string  `yaml:"policy"`
	With     string  `yaml:"with"`
	Key      string  `yaml:"key"`
	From     string  `yaml:"from"`
	To       string  `yaml:"to"`
	Through  string  `yaml:"through"`
	Requests string  `yaml:"requests"`
	At       string  `yaml:"at"`
	Span     string  `yaml:"span"`
	Percent  int     `yaml:"percent"`
	Formula  string  `yaml:"formula"`
	Unit     string  `yaml:"unit"`
	Is       scalars `yaml:"is"`
	Says     string  `yaml:"says"`
}

// rawYAML is a node as it is written.
type rawYAML []byte

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (r *rawYAML) UnmarshalYAML(b []byte) error {
	*r = bytes.Clone(b)
	return nil
}

// scalar is a number or a text as it is written: 2.690 stays 2.690 and never
// becomes a float.
type scalar string

// scalars is one scalar or a list of them.
type scalars struct {
	list   bool
	values []string
}

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (s *scalar) UnmarshalYAML(b []byte) error {
	var all scalars
	if err := all.UnmarshalYAML(b); err != nil {
		return err
	}
	if all.list {
		return errors.New("expected one value, not a list")
	}
	*s = scalar(all.values[0])
	return nil
}

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (s *scalars) UnmarshalYAML(b []byte) error {
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return err
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return errors.New("expected a value or a list of values")
	}
	nodes := []ast.Node{file.Docs[0].Body}
	if list, ok := nodes[0].(*ast.SequenceNode); ok {
		s.list, nodes = true, list.Values
	}
	for _, n := range nodes {
		if _, ok := n.(ast.ScalarNode); !ok {
			return fmt.Errorf("expected a number or a text, not %s", strings.ToLower(n.Type().String()))
		}
		s.values = append(s.values, n.GetToken().Value)
	}
	return nil
}

// read reads one file under cases. What it returns can be run.
func read(data []byte) (Scenario, error) {
	var y scenarioYAML
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(&y); err != nil {
		return Scenario{}, err
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Scenario{}, errors.New("expected one document")
	}
	s := Scenario{Title: y.Title, Words: strings.TrimSpace(y.Words), Tables: y.Tables}
	if s.Title == "" || s.Words == "" {
		return Scenario{}, errors.New("expected a title and words")
	}
	if y.Policies != nil {
		// The list as a policy file of its own, whose reader is as strict as a
		// person's policies need it.
		policies, err := policyfile.Read("policies.yaml", append([]byte("policies:\n"), y.Policies...))
		if err != nil {
			return Scenario{}, err
		}
		s.Policies = policies
	}
	var err error
	if s.Sent, err = readSent(y.Traffic, y.Trace, y.Keys); err != nil {
		return Scenario{}, err
	}
	if s.Given, err = readGiven(y.Given); err != nil {
		return Scenario{}, err
	}
	for _, k := range s.Tables {
		if _, ok := tableKinds[k]; !ok {
			return Scenario{}, fmt.Errorf("tables: %q is unknown; expected one of %s", k, names(tableKinds))
		}
	}
	if len(y.Expect) == 0 {
		return Scenario{}, errors.New("expect: expected at least one expectation")
	}
	for i, e := range y.Expect {
		x, err := readExpectation(&s, e)
		if err != nil {
			return Scenario{}, fmt.Errorf("expect: number %d (%s %s): %w", i+1, e.Policy, e.Kind, err)
		}
		s.Expectations = append(s.Expectations, x)
	}
	return s, nil
}

var identifier = regexp.MustCompile(`^[a-z][a-z_]*$`)

func readGiven(given map[string]scalar) (map[string]*big.Rat, error) {
	out := make(map[string]*big.Rat, len(given))
	for name, text := range given {
		if !identifier.MatchString(name) || slices.Contains(formulaNames, name) {
			return nil, fmt.Errorf("given: %q is not a free name of small letters and _", name)
		}
		r, err := parseNumber(string(text))
		if err != nil {
			return nil, fmt.Errorf("given: %s: %w", name, err)
		}
		out[name] = r
	}
	return out, nil
}
