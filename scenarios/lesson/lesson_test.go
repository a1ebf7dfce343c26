package lesson

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/burstlab/burstlab/lab"
)

// words is the text of some pieces.
func words(all []Inline) string {
	var b strings.Builder
	for _, w := range all {
		b.WriteString(w.Text)
	}
	return b.String()
}

// Reading a lesson measures every number in it; here is what else a lesson of the
// path has.
func TestLessonsAreWhole(t *testing.T) {
	for _, l := range All() {
		var headings []string
		pieces, claims := 0, 0
		for _, b := range l.Blocks {
			switch b := b.(type) {
			case Heading:
				headings = append(headings, words(b.Words))
			case Piece:
				pieces++
			case Paragraph:
				for _, w := range b.Words {
					if w.Style == Claim {
						claims++
					}
				}
			}
		}
		if len(headings) == 0 || headings[len(headings)-1] != "Summary" {
			t.Errorf("%s ends with %q; expected a summary", l.Name, headings)
		}
		if len(l.Predictions) == 0 || len(l.Sources) == 0 || !strings.HasPrefix(l.Goal, "You can ") {
			t.Errorf("%s has %d predictions, %d sources and the goal %q", l.Name, len(l.Predictions), len(l.Sources), l.Goal)
		}
		if found, ok := ByName(l.Name); !ok || found != l {
			t.Errorf("%s cannot be found", l.Name)
		}
	}
	if _, ok := ByName("nothing"); ok {
		t.Error("a lesson is found that there is not")
	}
}

// Every right answer is graded as right and every wrong one as wrong, on the
// first request that it misjudges.
func TestPredictionsAreGraded(t *testing.T) {
	kinds := map[PredictionKind]int{}
	for _, l := range All() {
		for _, p := range l.Predictions {
			kinds[p.Kind]++
			name := l.Name + " " + strconv.Itoa(p.Number)
			grade := func(answer string) Grade {
				t.Helper()
				g, err := p.Grade(answer)
				if err != nil {
					t.Fatalf("%s, %q: %v", name, answer, err)
				}
				return g
			}
			switch p.Kind {
			case PredictMarks:
				verdicts := decided(t, p)
				set := func(flip int) string {
					var passed []string
					for i, v := range verdicts {
						if v.Passed() != (i == flip) {
							passed = append(passed, strconv.Itoa(p.First+i))
						}
					}
					return strings.Join(passed, ", ")
				}
				if g := grade(set(-1)); !g.Right || g.Misjudged != 0 {
					t.Errorf("%s: the right answer gets %+v", name, g)
				}
				for i, v := range verdicts {
					if g := grade(set(i)); g.Right || g.Misjudged != p.First+i || g.Decision.Verdict != v {
						t.Errorf("%s: request %d misjudged gets %+v", name, p.First+i, g)
					}
				}
			case PredictNumber:
				if g := grade(p.measured.Got[0]); !g.Right || g.Want != p.measured.Got[0] {
					t.Errorf("%s: the right answer gets %+v", name, g)
				}
				for _, wrong := range []string{"0", "3", "99999"} {
					if g := grade(wrong); g.Right != (wrong == p.measured.Got[0]) {
						t.Errorf("%s: %s gets %+v", name, wrong, g)
					}
				}
			case PredictChoice:
				right := 0
				for _, c := range p.Choices {
					if grade(c).Right {
						right++
					}
				}
				if right != 1 {
					t.Errorf("%s: %d choices are right", name, right)
				}
			}
			for _, text := range []string{"", "perhaps", "1e9999", strings.Repeat("9", 2000), "-1,x"} {
				if _, err := p.Grade(text); p.Kind != PredictMarks || text != "" {
					if wrong := (*AnswerError)(nil); !errors.As(err, &wrong) {
						t.Errorf("%s: %.20q gets %v", name, text, err)
					}
				}
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("the lessons ask in these ways: %v; expected all three", kinds)
	}
}

// decided is what a run decides about a prediction's requests.
func decided(t *testing.T, p *Prediction) []lab.Verdict {
	t.Helper()
	_, decisions, err := p.Scenario.Decide()
	if err != nil {
		t.Fatal(err)
	}
	lane := slices.IndexFunc(p.Scenario.Policies, func(q lab.Policy) bool { return q.Name == p.Policy })
	var verdicts []lab.Verdict
	for _, d := range decisions[lane][p.First-1 : p.Last] {
		verdicts = append(verdicts, d.Verdict)
	}
	return verdicts
}

// Whoever says that too many pass is shown the first that does not, and whoever
// says too few the first that does.
func TestACountIsMisjudgedAtARequest(t *testing.T) {
	l, ok := ByName("fixed-window")
	if !ok {
		t.Fatal("there is no such lesson")
	}
	p := l.Predictions[1]
	if g, err := p.Grade("12"); err != nil || g.Misjudged != 13 || g.Decision.Verdict != lab.Allow {
		t.Errorf("12 of 20: %+v, %v", g, err)
	}
	if g, err := p.Grade("20"); err != nil || !g.Right {
		t.Errorf("20 of 20: %+v, %v", g, err)
	}
}

const begin = "---\ntitle: T\ngoal: G\n---\n"

func TestMistakesArePlaced(t *testing.T) {
	predict := func(fields string) string { return begin + "One.\n\n```predict\n" + fields + "\n```\n" }
	const asks = "scenario: window-edge\nask: A?\nthen: B.\n"
	for text, want := range map[string]string{
		"Text.\n":                     "x.md:1: expected a line of three dashes",
		"---\ntitle: T\n---\nText.\n": "x.md:1: expected a title and a goal",
		"---\ntitle: T\ngoal: G\ncolour: red\n---\nText.\n":           "x.md:4: unknown field \"colour\"",
		"---\ntitle: T\ngoal: G\nsources: [{title: A}]\n---\nText.\n": "source \"A\": expected a title and an address",
		begin:                                                                     "expected a text",
		begin + "One.\n\n# Two\n":                                                 "x.md:7: a heading of level 1; expected level 2",
		begin + "One *two* three.\n":                                              "x.md:5: text between single stars",
		begin + "One.\n\nTwo\n<b>three</b>.\n":                                    "x.md:8: text of the kind RawHTML",
		begin + "![a](b)\n":                                                       "x.md:5: text of the kind Image",
		begin + "> a\n":                                                           "x.md:5: a block of the kind Blockquote",
		begin + "- a\n\n  b\n":                                                    "x.md:5: an item of a list; expected one paragraph",
		begin + "[a](http://x)\n":                                                 "x.md:5: a link to \"http://x\"; expected",
		begin + "[a](nothing)\n":                                                  "x.md:5: a link to \"nothing\"",
		begin + "[a](term:bucket)\n":                                              "\"bucket\" is no algorithm",
		begin + "[a](verdict:block)\n":                                            "\"block\" is no verdict",
		begin + "[20](=no-such/served)\n":                                         "\"no-such\" is no scenario",
		begin + "[20](=window-edge/served/log)\n":                                 "scenario window-edge measures no \"served/log\"; expected one of busiest/fixed, formula/fixed, sent, served-within/fixed, served/fixed",
		begin + "Now [21](=window-edge/sent).\n":                                  "x.md:5: the text says 21; sent of scenario window-edge is 20",
		begin + "Now [many](=window-edge/sent).\n":                                "x.md:5: \"many\": \"many\" is not a whole number from 0",
		begin + "[1](=app-line-of-4/leaves/line)\n":                               "has 4 values; expected one",
		begin + "```\na\n```\n":                                                   "x.md:6: a fenced block \"\"; expected lab or predict",
		begin + "```lab\nnothing\n```\n":                                          "x.md:6: \"nothing\" is no scenario",
		begin + "```lab\ngcra-and-token\n```\n":                                   "sends 5000 requests; expected at most 500 to be drawn",
		predict("scenario: window-edge\nasked: A?"):                               "x.md:9: unknown field \"asked\"",
		predict("scenario: window-edge\nthen: B."):                                "expected ask",
		predict("scenario: window-edge\nask: A?"):                                 "expected then",
		predict(asks + "kind: guess"):                                             "kind \"guess\"; expected number, choice or marks",
		predict(asks + "kind: number\nanswer: used"):                              "measures no \"used\"",
		predict(asks + "kind: choice\nanswer: sent"):                              "choices belong to",
		predict(asks + "kind: choice\nanswer: sent\nchoices: [10, 30]"):           "0 of the choices are right; expected one: sent is 20",
		predict(asks + "kind: choice\nanswer: sent\nchoices: [20, x]"):            "choice \"x\"",
		predict(asks + "kind: marks\npolicy: fixed\nrequests: 1-99"):              "at most 40 requests",
		predict(asks + "kind: marks\npolicy: fixed\nrequests: 15-22"):             "requests: there are only 20",
		predict(asks + "kind: marks\npolicy: log\nrequests: 1-2"):                 "has no policy \"log\"",
		predict(asks + "kind: marks\npolicy: fixed\nrequests: 2-1"):               "expected two numbers such as 1-14",
		predict(asks + "kind: marks\npolicy: fixed\nrequests: 1-2\nanswer: sent"): "neither answer nor choices",
		predict("scenario: window-edge\nask: A?\nkind: number\nanswer: sent\nthen: \"[3](=window-edge/sent)\""): "then: the text says 3",
		begin + strings.Repeat("x", MaxSize): "expected at most 65536",
	} {
		_, err := Read("x", []byte(text), []string{"x"})
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestAFolderIsListedWhole(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	good := file(begin + "Text, and [the other](b).\n")
	for want, folder := range map[string]fstest.MapFS{
		"order.yaml":                       {"a.md": good},
		"a.md is not listed in order.yaml": {"order.yaml": file("[]"), "a.md": good},
		`"a" is listed twice`:              {"order.yaml": file("[a, b, a]"), "a.md": good, "b.md": good},
		`"b" has no file`:                  {"order.yaml": file("[a, b]"), "a.md": good},
		"a.md:5: a link to":                {"order.yaml": file("[a]"), "a.md": good},
	} {
		if _, err := Load(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	list, err := Load(fstest.MapFS{"order.yaml": file("[b, a]"), "a.md": good, "b.md": good})
	if err != nil || len(list) != 2 || list[0].Name != "b" || list[1].Name != "a" {
		t.Errorf("%v: %v", list, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range []string{"token-bucket", "fixed-window", "sliding-counter"} {
		data, err := files.ReadFile("lessons/" + l + ".md")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(begin + "- a\n\n```lab\n```\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read("x", data, []string{"token-bucket"})
		var wrong *Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%v is no *Error", err)
		}
		if err == nil && len(l.Blocks) == 0 {
			t.Fatal("a lesson of nothing")
		}
	})
}
