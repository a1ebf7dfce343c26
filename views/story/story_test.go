package story

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/burstlab/burstlab/views"
)

// Rewrite the goldens only after looking at the pages themselves.
var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func render(t *testing.T, s Story) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Component.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	// A line an element, so that a difference can be read.
	return strings.ReplaceAll(b.String(), "><", ">\n<") + "\n"
}

func TestGoldens(t *testing.T) {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name+".html")
		t.Run(s.Name, func(t *testing.T) {
			got := render(t, s)
			file := filepath.Join("testdata", s.Name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("differs from %s (-want +got); -update rewrites it\n%s", file, diff)
			}
		})
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("testdata/%s belongs to no story", f.Name())
		}
	}
}

// element is one element of a page and what surrounds it.
type element struct {
	*html.Node
	text string // all text in it
}

func (e element) attr(name string) string {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (e element) inside(tag string) bool {
	for n := e.Parent; n != nil; n = n.Parent {
		if n.Data == tag {
			return true
		}
	}
	return false
}

func elements(t *testing.T, s Story) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(render(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	var out []element
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		var text strings.Builder
		for below := range n.Descendants() {
			if below.Type == html.TextNode {
				text.WriteString(below.Data)
			}
		}
		out = append(out, element{n, strings.TrimSpace(text.String())})
	}
	return out
}

// every runs a check over every element of every story.
func every(t *testing.T, check func(t *testing.T, e element, all []element)) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			all := elements(t, s)
			for _, e := range all {
				check(t, e, all)
			}
		})
	}
}

func TestEveryIDIsThereOnceAndEveryReferenceIsMet(t *testing.T) {
	// A part of a page finds its signs in the page that it is put into.
	signs := map[string]bool{}
	for _, e := range elements(t, named(t, "fresh")) {
		if e.Data == "symbol" {
			signs[e.attr("id")] = true
		}
	}
	every(t, func(t *testing.T, e element, all []element) {
		count := func(id string) int {
			n := 0
			for _, other := range all {
				if other.attr("id") == id {
					n++
				}
			}
			return n
		}
		if id := e.attr("id"); id != "" && (count(id) != 1 || strings.ContainsAny(id, " \t")) {
			t.Errorf("id %q stands %d times; expected once and without spaces", id, count(id))
		}
		for _, name := range []string{"aria-labelledby", "aria-describedby", "for"} {
			for id := range strings.FieldsSeq(e.attr(name)) {
				if count(id) != 1 {
					t.Errorf("%s of <%s> names %q, which stands %d times", name, e.Data, id, count(id))
				}
			}
		}
		if target, ok := strings.CutPrefix(e.attr("href"), "#"); ok && count(target) != 1 && !signs[target] {
			t.Errorf("a link or a sign leads to #%s, which stands %d times", target, count(target))
		}
	})
}

func TestEveryControlHasAName(t *testing.T) {
	every(t, func(t *testing.T, e element, all []element) {
		switch e.Data {
		case "button", "a", "summary":
			if e.text == "" && e.attr("aria-label") == "" {
				t.Errorf("<%s class=%q> has neither text nor a label", e.Data, e.attr("class"))
			}
		case "input", "select", "textarea":
			labelled := e.attr("type") == "hidden" || e.inside("label") || e.attr("aria-label") != ""
			for _, other := range all {
				labelled = labelled || other.Data == "label" && other.attr("for") != "" && other.attr("for") == e.attr("id")
			}
			if !labelled {
				t.Errorf("<%s name=%q> has no label", e.Data, e.attr("name"))
			}
		case "section", "aside", "nav", "form":
			if e.attr("role") != "" && e.attr("aria-label")+e.attr("aria-labelledby") == "" {
				t.Errorf("<%s role=%q> has no name", e.Data, e.attr("role"))
			}
		}
	})
}

// A strict policy for content allows neither, so they would silently not work.
func TestNothingIsInline(t *testing.T) {
	every(t, func(t *testing.T, e element, _ []element) {
		for _, a := range e.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has the attribute %s", e.Data, a.Key)
			}
		}
		if e.Data == "style" || e.Data == "script" && e.attr("src") == "" && e.attr("type") != "application/json" {
			t.Errorf("<%s> holds its text itself", e.Data)
		}
	})
}

func TestWorksWithoutScript(t *testing.T) {
	every(t, func(t *testing.T, e element, _ []element) {
		switch {
		case e.Data == "form" && (e.attr("method") != "post" && e.attr("method") != "get" || !leads(e.attr("action"))):
			t.Errorf("a form leads to %s %q; expected a post into the room, a page of it, or a lesson", e.attr("method"), e.attr("action"))
		case e.Data == "button" && e.attr("type") == "button" && !strings.Contains(e.attr("class"), "needs-script") && !e.insideClass("needs-script"):
			t.Errorf("the button %q does nothing without script, and shows", e.text+e.attr("aria-label"))
		case e.Data == "button" && e.attr("type") != "button" && strings.HasPrefix(e.form().attr("action"), room.Path()) && (e.attr("name") == "" || e.attr("value") == ""):
			t.Errorf("the button %q posts nothing", e.text)
		}
	})
}

// leads says whether a form's address is one that takes it.
func leads(action string) bool {
	for _, start := range []string{room.Path(), "/lessons/", "/scenarios/"} {
		if strings.HasPrefix(action, start) {
			return true
		}
	}
	return false
}

// form is the form around an element; an empty element where there is none.
func (e element) form() element {
	for n := e.Parent; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && n.Data == "form" {
			return element{Node: n}
		}
	}
	return element{Node: &html.Node{}}
}

func (e element) insideClass(class string) bool {
	for n := e.Parent; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && strings.Contains((element{Node: n}).attr("class"), class) {
			return true
		}
	}
	return false
}

func TestWords(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			for _, e := range elements(t, s) {
				if e.Data == "script" || e.FirstChild == nil || e.FirstChild.Type != html.TextNode {
					continue
				}
				text := strings.ToLower(e.FirstChild.Data)
				for _, word := range []string{"blocked", "denied", "dropped", "!", "rejected"} {
					if strings.Contains(text, word) {
						t.Errorf("%q says %q", e.FirstChild.Data, word)
					}
				}
			}
		})
	}
}

// rows is the text of a table's cells, row by row.
func rows(all []element, section string) [][]string {
	var out [][]string
	for _, e := range all {
		if e.Data != "tr" || !e.insideID(section) {
			continue
		}
		var row []string
		for n := range e.ChildNodes() {
			if n.Type == html.ElementNode {
				row = append(row, textOf(n))
			}
		}
		out = append(out, row)
	}
	return out
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for below := range n.Descendants() {
		if below.Type == html.TextNode {
			b.WriteString(below.Data)
		}
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\u00a0", " ")
}

func (e element) insideID(id string) bool {
	for n := e.Parent; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && (element{Node: n}).attr("id") == id {
			return true
		}
	}
	return false
}

func named(t *testing.T, name string) Story {
	t.Helper()
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no story %q", name)
	return Story{}
}

// The first lesson's numbers: of a burst of 14 every policy with a budget of
// ten lets ten through.
func TestBurstOf14IsToldByTheTables(t *testing.T) {
	all := elements(t, named(t, "burst"))
	score := rows(all, "score")
	if len(score) != 1+len(seven) {
		t.Fatalf("the score has %d rows; expected a heading and one a policy", len(score))
	}
	for _, row := range score[1:] {
		if row[1] != "20" || row[2] != "16" || row[3] != "4" || row[4] != "0" {
			t.Errorf("%s: sent, served, refused, never %v; expected 20 16 4 0", row[0], row[1:5])
		}
	}
	decisions := rows(all, "decisions")
	want := []string{"19", "00:03.600", "default", "1", "refused", "refused", "refused", "refused", "refused", "refused", "refused"}
	if diff := cmp.Diff(want, decisions[1]); diff != "" {
		t.Errorf("the newest decision (-want +got)\n%s", diff)
	}
	want = []string{"7", "00:03.600", "default", "1", "passed", "+100 ms", "passed", "passed", "passed", "passed", "passed"}
	if diff := cmp.Diff(want, decisions[1+19-7]); diff != "" {
		t.Errorf("the burst's second request (-want +got)\n%s", diff)
	}
}

func TestARefusedFormKeepsWhatWasWritten(t *testing.T) {
	found := false
	for _, e := range elements(t, named(t, "policy-refused")) {
		if e.Data != "input" || e.attr("name") != "limit" || e.attr("value") != "ten" {
			continue
		}
		found = true
		if !strings.Contains(textOf(e.Parent), "whole number") {
			t.Errorf("beside the field stands %q; expected what is wrong with it", textOf(e.Parent))
		}
	}
	if !found {
		t.Error("no field holds what was written")
	}
}

// TestTheInspectorShowsOnePolicyInFull: the one that is marked in the list, and
// one choice of a dialect for it.
func TestTheInspectorShowsOnePolicyInFull(t *testing.T) {
	for name, want := range map[string]struct{ policy, dialect string }{
		"inspector":              {"token", "ietf"},
		"inspector-first":        {"token", "ietf"},
		"inspector-refused":      {"log", "seconds"},
		"inspector-epoch":        {"log", "epoch"},
		"inspector-delayed":      {"leaky", "epoch"},
		"inspector-page-seconds": {"gcra", "seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			var marked, shown, dialect []string
			for _, e := range elements(t, named(t, name)) {
				if e.attr("data-verdict") != "" && e.attr("aria-current") == "true" {
					marked = append(marked, e.attr("data-verdict"))
				}
				if e.attr("data-said") != "" && !e.has("hidden") {
					shown = append(shown, e.attr("data-said"))
				}
				if e.attr("data-dialect") != "" {
					dialect = append(dialect, e.attr("data-dialect"))
				}
				if e.has("data-dialect-choice") && e.has("checked") != (e.attr("value") == want.dialect) {
					t.Errorf("the choice of %s is checked: %v", e.attr("value"), e.has("checked"))
				}
			}
			if !slices.Equal(marked, []string{want.policy}) || !slices.Equal(shown, marked) || !slices.Equal(dialect, []string{want.dialect}) {
				t.Errorf("marked %v, shown %v, in %v; want %v", marked, shown, dialect, want)
			}
		})
	}
}

func (e element) has(attr string) bool {
	return slices.ContainsFunc(e.Attr, func(a html.Attribute) bool { return a.Key == attr })
}

// The table by key: twenty keys apart, and the others together.
func TestManyKeysAreToldTogether(t *testing.T) {
	all := elements(t, named(t, "keys-page"))
	var keys [][]string
	for _, e := range all {
		if e.Data != "tr" {
			continue
		}
		var row []string
		for n := range e.ChildNodes() {
			if n.Type == html.ElementNode {
				row = append(row, textOf(n))
			}
		}
		keys = append(keys, row)
	}
	if len(keys) != 1+views.MaxKeyRows+1 {
		t.Fatalf("%d rows; expected a heading, %d keys and the others", len(keys), views.MaxKeyRows)
	}
	sent := 0
	for _, row := range keys[1:] {
		n, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		sent += n
	}
	// 5 + 4 + 1, and 24 clients of 3 to 7 requests.
	if last := keys[len(keys)-1]; last[0] != "7 other keys" || sent != 10+4*25+3+4+5+6 {
		t.Errorf("the last row %q, %d requests in all", last, sent)
	}
}
