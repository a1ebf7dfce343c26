// Package lesson holds lessons as data that proves itself: words, worked
// examples of package scenarios, and predictions that the engine grades.
//
// A lesson is one Markdown file under lessons, named in order.yaml, which is the
// one list of all lessons. A number in its words that the engine can measure is a
// link to an expectation of a scenario; reading the lesson measures it, and a
// text that says another number is a mistake. See [Read] for the form. Adding a
// lesson touches no code.
package lesson

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/burstlab/burstlab/scenarios"
)

//go:embed lessons/order.yaml lessons/*.md
var files embed.FS

// Lesson is one of them.
type Lesson struct {
	// Name is unique, and stands in addresses.
	Name string
	// Title is a line, and Goal what the reader can do after.
	Title, Goal string
	// Blocks are what it says, in order.
	Blocks []Block
	// Predictions are those among the blocks.
	Predictions []*Prediction
	// Sources are where more is said.
	Sources []Source
}

// Source is a document that a lesson draws on.
type Source struct {
	Title string `yaml:"title"`
	URL   string `yaml:"url"`
}

// Block is a part of a lesson: a [Heading], a [Paragraph], a [List], a [Piece]
// or a *[Prediction].
type Block interface{ block() }

// Heading begins a section.
type Heading struct{ Words []Inline }

// Paragraph is some sentences.
type Paragraph struct{ Words []Inline }

// List is items, numbered or not.
type List struct {
	Numbered bool
	Items    [][]Inline
}

// Piece is a scenario that is shown, with what each policy decided.
type Piece struct{ Scenario scenarios.Scenario }

func (Heading) block()     {}
func (Paragraph) block()   {}
func (List) block()        {}
func (Piece) block()       {}
func (*Prediction) block() {}

// Style is how a piece of text is shown.
type Style int

// Styles of text. A Term names an algorithm, a Verdict one of the four verdicts,
// and a Claim says a number that was measured.
const (
	Plain Style = iota
	Strong
	Code
	Term
	Verdict
	Claim
	External
	Internal
)

// Inline is a piece of text.
type Inline struct {
	Text  string
	Style Style
	// Target is the algorithm of a term, the verdict, the address of an external
	// link, or the name of the lesson that an internal one leads to.
	Target string
}

// All returns every lesson, in the order of the one list. What they hold is
// shared: the caller does not change it.
func All() []*Lesson { return slices.Clone(all()) }

// ByName finds a lesson.
func ByName(name string) (*Lesson, bool) {
	for _, l := range all() {
		if l.Name == name {
			return l, true
		}
	}
	return nil, false
}

// all reads the embedded files once. They are part of the program, and a test
// reads them; a mistake in one is a mistake in the program.
var all = sync.OnceValue(func() []*Lesson {
	sub, err := fs.Sub(files, "lessons")
	if err == nil {
		var list []*Lesson
		if list, err = Load(sub); err == nil {
			return list
		}
	}
	panic("lesson: " + err.Error())
})

// Load reads the lessons of a folder: order.yaml, which lists their names, and a
// Markdown file for each. A mistake in one of them is an *[Error].
func Load(folder fs.FS) ([]*Lesson, error) {
	data, err := fs.ReadFile(folder, "order.yaml")
	if err != nil {
		return nil, err
	}
	var order []string
	if err := yaml.UnmarshalWithOptions(data, &order, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("order.yaml: %w", err)
	}
	found, err := fs.Glob(folder, "*.md")
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		if !slices.Contains(order, strings.TrimSuffix(file, ".md")) {
			return nil, fmt.Errorf("%s is not listed in order.yaml", file)
		}
	}
	var list []*Lesson
	for i, name := range order {
		if slices.Contains(order[:i], name) {
			return nil, fmt.Errorf("order.yaml: %q is listed twice", name)
		}
		data, err := fs.ReadFile(folder, name+".md")
		if err != nil {
			return nil, fmt.Errorf("order.yaml: %q has no file", name)
		}
		l, err := Read(name, data, order)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}
