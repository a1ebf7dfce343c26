package lesson

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/scenarios"
)

// Error says what is wrong with a lesson, and where.
type Error struct {
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line    int
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

const (
	// MaxSize bounds a lesson's file, in bytes.
	MaxSize        = 64 << 10
	maxPredictions = 40
	maxDrawn       = 500 // requests of a scenario that is drawn
)

// head is what stands between the two lines of three dashes.
type head struct {
	Title   string   `yaml:"title"`
	Goal    string   `yaml:"goal"`
	Sources []Source `yaml:"sources"`
}

// Read reads a lesson; names are the lessons that it may link to. The error is an
// *[Error].
//
// A lesson begins with a line of three dashes, YAML with its title, goal and
// sources, and another such line. Its body is Markdown (CommonMark): headings of
// the second level, paragraphs, lists of single paragraphs, strong text, code and
// links. A link leads to
//
//   - =SCENARIO/KIND/POLICY: its text is the number that this expectation of the
//     scenario measures. Without a policy where the expectation has none; with
//     /#2 behind it for the second of that kind and policy,
//   - term:ALGORITHM or verdict:VERDICT: its text names one,
//   - https://…: a document,
//   - NAME: another lesson.
//
// A fenced block "lab" names a scenario, of which it shows the decisions. A block
// "predict" is a [Prediction].
func Read(name string, data []byte, names []string) (*Lesson, error) {
	r := &reader{file: name + ".md", data: data, names: names, measured: map[string]map[string]scenarios.Outcome{}}
	l, err := r.read()
	if err != nil {
		return nil, err
	}
	l.Name = name
	return l, nil
}

type reader struct {
	file  string
	data  []byte
	body  int // the byte at which the Markdown begins
	names []string
	// measured is what came of each scenario, by the references to it.
	measured map[string]map[string]scenarios.Outcome
}

// fail says what is wrong at a byte of the file.
func (r *reader) fail(at int, format string, args ...any) error {
	return &Error{r.file, r.line(at), fmt.Sprintf(format, args...)}
}

func (r *reader) line(at int) int {
	return 1 + bytes.Count(r.data[:min(at, len(r.data))], []byte("\n"))
}

const dashes = "---\n"

func (r *reader) read() (*Lesson, error) {
	if len(r.data) > MaxSize {
		return nil, &Error{r.file, 0, fmt.Sprintf("it has %d bytes; expected at most %d", len(r.data), MaxSize)}
	}
	rest, opened := bytes.CutPrefix(r.data, []byte(dashes))
	before, body, closed := bytes.Cut(rest, []byte("\n"+dashes))
	if !opened || !closed {
		return nil, r.fail(0, "expected a line of three dashes, title, goal and sources, and another such line")
	}
	var h head
	if err := yaml.UnmarshalWithOptions(before, &h, yaml.Strict()); err != nil {
		return nil, r.failYAML(len(dashes), err)
	}
	if h.Title == "" || h.Goal == "" {
		return nil, r.fail(0, "expected a title and a goal")
	}
	for _, s := range h.Sources {
		if s.Title == "" || !strings.HasPrefix(s.URL, "https://") {
			return nil, r.fail(0, "source %q: expected a title and an address that begins with https://", s.Title)
		}
	}
	l := &Lesson{Title: h.Title, Goal: strings.TrimSpace(h.Goal), Sources: h.Sources}
	r.body = len(r.data) - len(body)
	root := goldmark.DefaultParser().Parse(text.NewReader(body))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		b, err := r.block(n)
		if err != nil {
			return nil, err
		}
		l.Blocks = append(l.Blocks, b)
		if p, ok := b.(*Prediction); ok {
			l.Predictions = append(l.Predictions, p)
			p.Number = len(l.Predictions)
		}
	}
	switch {
	case len(l.Blocks) == 0:
		return nil, r.fail(r.body, "expected a text")
	case len(l.Predictions) > maxPredictions:
		return nil, r.fail(r.body, "%d predictions; expected at most %d", len(l.Predictions), maxPredictions)
	}
	return l, nil
}

var yamlPlace = regexp.MustCompile(`^\[(\d+):\d+\] `)

// failYAML tells a mistake in YAML that begins at a byte of the file.
func (r *reader) failYAML(at int, err error) error {
	message, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	m := yamlPlace.FindStringSubmatch(message)
	if m == nil {
		return r.fail(at, "%s", message)
	}
	line, _ := strconv.Atoi(m[1])
	return &Error{r.file, r.line(at) + line - 1, strings.TrimPrefix(message, m[0])}
}

// at is the byte of the file at which a node begins, or the part of the text that
// it stands in.
func (r *reader) at(n ast.Node) int {
	start := -1
	for up := n; up != nil && start < 0; up = up.Parent() {
		_ = ast.Walk(up, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Text:
				start = n.Segment.Start
			case *ast.RawHTML:
				start = n.Segments.At(0).Start
			default:
				if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
					start = n.Lines().At(0).Start
				}
			}
			if start >= 0 {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
	return r.body + max(start, 0)
}

func (r *reader) block(n ast.Node) (Block, error) {
	switch n := n.(type) {
	case *ast.Heading:
		if n.Level != 2 {
			return nil, r.fail(r.at(n), "a heading of level %d; expected level 2", n.Level)
		}
		words, err := r.inlines(n)
		return Heading{words}, err
	case *ast.Paragraph:
		words, err := r.inlines(n)
		return Paragraph{words}, err
	case *ast.List:
		l := List{Numbered: n.IsOrdered()}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if item.ChildCount() != 1 || item.FirstChild().Kind() != ast.KindTextBlock && item.FirstChild().Kind() != ast.KindParagraph {
				return nil, r.fail(r.at(item), "an item of a list; expected one paragraph")
			}
			words, err := r.inlines(item.FirstChild())
			if err != nil {
				return nil, err
			}
			l.Items = append(l.Items, words)
		}
		return l, nil
	case *ast.FencedCodeBlock:
		return r.fenced(n)
	}
	return nil, r.fail(r.at(n), "a block of the kind %s; expected headings, paragraphs, lists, and fenced blocks lab and predict", n.Kind())
}

func (r *reader) fenced(n *ast.FencedCodeBlock) (Block, error) {
	source := r.data[r.body:]
	var content strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		content.Write(line.Value(source))
	}
	switch language := string(n.Language(source)); language {
	case "lab":
		s, err := r.scenario(r.at(n), strings.TrimSpace(content.String()))
		if err != nil {
			return nil, err
		}
		if s.Sent.Count() > maxDrawn {
			return nil, r.fail(r.at(n), "scenario %s sends %d requests; expected at most %d to be drawn", s.Name, s.Sent.Count(), maxDrawn)
		}
		if _, ok := s.Sent.Preset(); !ok {
			return nil, r.fail(r.at(n), "scenario %s cannot be opened in the lab", s.Name)
		}
		return Piece{s}, nil
	case "predict":
		return r.prediction(r.at(n), content.String())
	default:
		return nil, r.fail(r.at(n), "a fenced block %q; expected lab or predict", language)
	}
}

func (r *reader) scenario(at int, name string) (scenarios.Scenario, error) {
	s, ok := scenarios.ByName(name)
	if !ok {
		return s, r.fail(at, "%.40q is no scenario", name)
	}
	return s, nil
}

// inlines are a block's pieces of text. Plain ones that follow each other are
// one.
func (r *reader) inlines(block ast.Node) ([]Inline, error) {
	var out []Inline
	add := func(one Inline) {
		if n := len(out); n > 0 && one.Style == Plain && out[n-1].Style == Plain {
			out[n-1].Text += one.Text
			return
		}
		out = append(out, one)
	}
	for n := block.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			add(Inline{Text: r.words(n)})
		case *ast.CodeSpan:
			add(Inline{Text: r.plain(n), Style: Code})
		case *ast.Emphasis:
			if n.Level != 2 {
				return nil, r.fail(r.at(n), "text between single stars; expected two on each side")
			}
			add(Inline{Text: r.plain(n), Style: Strong})
		case *ast.Link:
			one, err := r.link(n)
			if err != nil {
				return nil, err
			}
			add(one)
		default:
			return nil, r.fail(r.at(n), "text of the kind %s; expected words, strong text, code and links", n.Kind())
		}
	}
	return out, nil
}

func (r *reader) words(t *ast.Text) string {
	words := string(t.Value(r.data[r.body:]))
	if t.SoftLineBreak() || t.HardLineBreak() {
		words += " "
	}
	return words
}

// plain is the text of a node's children.
func (r *reader) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(r.words(t))
		}
	}
	return b.String()
}

func (r *reader) link(n *ast.Link) (Inline, error) {
	one := Inline{Text: r.plain(n)}
	to, at := string(n.Destination), r.at(n)
	scheme, rest, _ := strings.Cut(to, ":")
	switch {
	case strings.HasPrefix(to, "="):
		one.Style = Claim
		return one, r.claim(at, one.Text, to[1:])
	case scheme == "term":
		one.Style, one.Target = Term, rest
		if !slices.Contains(lab.Algorithms, lab.Algorithm(rest)) {
			return one, r.fail(at, "%.40q is no algorithm", rest)
		}
	case scheme == "verdict":
		one.Style, one.Target = Verdict, rest
		if !slices.Contains([]string{"allow", "delay", "refuse", "never"}, rest) {
			return one, r.fail(at, "%.40q is no verdict; expected allow, delay, refuse or never", rest)
		}
	case scheme == "https":
		one.Style, one.Target = External, to
	case slices.Contains(r.names, to):
		one.Style, one.Target = Internal, to
	default:
		return one, r.fail(at, "a link to %.60q; expected a lesson, =SCENARIO/KIND/POLICY, term:, verdict: or https:", to)
	}
	return one, nil
}

// claim requires that a text says what was measured.
func (r *reader) claim(at int, words, reference string) error {
	name, of, _ := strings.Cut(reference, "/")
	o, err := r.outcome(at, name, of)
	if err != nil {
		return err
	}
	said, err := readValue(o.Expectation, words)
	if err != nil {
		return r.fail(at, "%q: %v", words, err)
	}
	if said != o.Got[0] {
		return r.fail(at, "the text says %s; %s of scenario %s is %s", words, of, name, o.Got[0])
	}
	return nil
}

// readValue reads a value as people write it: "1,000", "190 ms".
func readValue(e scenarios.Expectation, words string) (string, error) {
	return e.Reads(strings.NewReplacer(",", "", " ", "", "\u00a0", "", "min", "m").Replace(words))
}

// outcome is the one value that a scenario measures of something.
func (r *reader) outcome(at int, name, of string) (scenarios.Outcome, error) {
	found, ok := r.measured[name]
	if !ok {
		s, ok := scenarios.ByName(name)
		if !ok {
			return scenarios.Outcome{}, r.fail(at, "%.40q is no scenario", name)
		}
		result, err := s.Run()
		if err != nil {
			return scenarios.Outcome{}, r.fail(at, "%v", err)
		}
		found = references(result.Outcomes)
		r.measured[name] = found
	}
	o, ok := found[of]
	switch {
	case !ok:
		return o, r.fail(at, "scenario %s measures no %.60q; expected one of %s", name, of, strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	case len(o.Got) != 1:
		return o, r.fail(at, "%s of scenario %s has %d values; expected one", of, name, len(o.Got))
	}
	return o, nil
}

// references names outcomes by kind and policy, and the second of a name with
// /#2 behind it.
func references(outcomes []scenarios.Outcome) map[string]scenarios.Outcome {
	named := map[string]scenarios.Outcome{}
	times := map[string]int{}
	for _, o := range outcomes {
		name := o.Kind
		if o.Policy != "" {
			name += "/" + o.Policy
		}
		if times[name]++; times[name] > 1 {
			name += "/#" + strconv.Itoa(times[name])
		}
		named[name] = o
	}
	return named
}

// only reads a text of one paragraph.
func (r *reader) only() ([]Inline, error) {
	root := goldmark.DefaultParser().Parse(text.NewReader(r.data))
	if p, ok := root.FirstChild().(*ast.Paragraph); ok && root.ChildCount() == 1 {
		return r.inlines(p)
	}
	return nil, r.fail(0, "expected one paragraph")
}
