package lesson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/scenarios"
)

// Prediction asks what a scenario will show, before it does. The engine answers.
type Prediction struct {
	// Number counts the lesson's predictions from 1.
	Number int
	// Scenario is what is predicted, and Ask the question.
	Scenario scenarios.Scenario
	Ask      string
	// Kind says how it is answered.
	Kind PredictionKind
	// Choices are the texts to choose from.
	Choices []string
	// Policy is the lane that is meant, and First and Last the requests, counted
	// from 1, on which a wrong answer is shown to be wrong.
	Policy      string
	First, Last int
	// Then is what is said once it has been answered.
	Then []Inline

	measured scenarios.Outcome
	verdicts []lab.Verdict // of First to Last
}

// PredictionKind is how a prediction is answered.
type PredictionKind string

// Kinds of predictions.
const (
	// PredictNumber asks for a number.
	PredictNumber PredictionKind = "number"
	// PredictChoice offers some.
	PredictChoice PredictionKind = "choice"
	// PredictMarks asks which of some requests pass.
	PredictMarks PredictionKind = "marks"
)

// maxMarks bounds the requests that are marked.
const maxMarks = 40

type predictionYAML struct {
	Scenario string         `yaml:"scenario"`
	Ask      string         `yaml:"ask"`
	Kind     PredictionKind `yaml:"kind"`
	Answer   string         `yaml:"answer"`
	Choices  []string       `yaml:"choices"`
	Policy   string         `yaml:"policy"`
	Requests string         `yaml:"requests"`
	Then     string         `yaml:"then"`
}

// prediction reads a block that begins at a byte of the file.
func (r *reader) prediction(at int, content string) (*Prediction, error) {
	var y predictionYAML
	if err := yaml.UnmarshalWithOptions([]byte(content), &y, yaml.Strict()); err != nil {
		return nil, r.failYAML(at, err)
	}
	s, err := r.scenario(at, y.Scenario)
	if err != nil {
		return nil, err
	}
	p := &Prediction{Scenario: s, Ask: strings.TrimSpace(y.Ask), Kind: y.Kind, Choices: y.Choices, Policy: y.Policy}
	if p.Ask == "" {
		return nil, r.fail(at, "a prediction; expected ask, the question")
	}
	if p.Then, err = r.then(at, y.Then); err != nil {
		return nil, err
	}
	if y.Requests != "" || y.Kind == PredictMarks {
		if err := p.readRequests(y.Requests); err != nil {
			return nil, r.fail(at, "requests: %v", err)
		}
	}
	switch y.Kind {
	case PredictMarks:
		if y.Answer != "" || y.Choices != nil {
			return nil, r.fail(at, "a prediction by marks has neither answer nor choices")
		}
		return p, nil
	case PredictNumber, PredictChoice:
	default:
		return nil, r.fail(at, "kind %.20q; expected number, choice or marks", y.Kind)
	}
	if p.measured, err = r.outcome(at, y.Scenario, y.Answer); err != nil {
		return nil, err
	}
	if p.Policy == "" {
		p.Policy = p.measured.Policy
	}
	if (y.Kind == PredictChoice) != (len(y.Choices) > 0) {
		return nil, r.fail(at, "choices belong to a prediction of the kind choice")
	}
	right := 0
	for _, c := range y.Choices {
		v, err := readValue(p.measured.Expectation, c)
		if err != nil {
			return nil, r.fail(at, "choice %q: %v", c, err)
		}
		if v == p.measured.Got[0] {
			right++
		}
	}
	if y.Kind == PredictChoice && right != 1 {
		return nil, r.fail(at, "%d of the choices are right; expected one: %s is %s", right, y.Answer, p.measured.Got[0])
	}
	return p, nil
}

// then reads what is said after: one paragraph.
func (r *reader) then(at int, words string) ([]Inline, error) {
	if strings.TrimSpace(words) == "" {
		return nil, r.fail(at, "a prediction; expected then, what is to be learned from it")
	}
	sub := &reader{file: r.file, data: []byte(words), names: r.names, measured: r.measured}
	block, err := sub.only()
	var wrong *Error
	if errors.As(err, &wrong) {
		return nil, r.fail(at, "then: %s", wrong.Message)
	}
	return block, err
}

func (p *Prediction) readRequests(text string) error {
	first, last, found := strings.Cut(text, "-")
	var err1, err2 error
	p.First, err1 = strconv.Atoi(first)
	p.Last, err2 = strconv.Atoi(last)
	if !found || err1 != nil || err2 != nil || p.First < 1 || p.Last < p.First || p.Last-p.First >= maxMarks {
		return fmt.Errorf("%.20q; expected two numbers such as 1-14, at most %d requests", text, maxMarks)
	}
	_, decisions, err := p.Scenario.Decide()
	if err != nil {
		return err
	}
	for i, policy := range p.Scenario.Policies {
		if policy.Name != p.Policy {
			continue
		}
		if p.Last > len(decisions[i]) {
			return fmt.Errorf("there are only %d", len(decisions[i]))
		}
		for _, d := range decisions[i][p.First-1 : p.Last] {
			p.verdicts = append(p.verdicts, d.Verdict)
		}
		return nil
	}
	return fmt.Errorf("scenario %s has no policy %.40q", p.Scenario.Name, p.Policy)
}

// Grade is what came of an answer.
type Grade struct {
	// Right says whether it was right, and Want is the right answer as text: a
	// number, or how many of the requests pass.
	Right bool
	Want  string
	// Misjudged is the first request on which the answer is wrong, counted from
	// 1; 0 where no single one can be named. Decision and Arithmetic say what was
	// decided about it, and why.
	Misjudged  int
	Decision   lab.Decision
	Arithmetic lab.Arithmetic
}

// AnswerError is an answer that cannot be understood.
type AnswerError struct{ Expected string }

func (e *AnswerError) Error() string { return "expected " + e.Expected }

// Grade compares an answer with what the engine does. The answer to marks is the
// numbers of the requests that pass, apart by commas or spaces. A text that is no
// answer is an *[AnswerError].
func (p *Prediction) Grade(answer string) (Grade, error) {
	if len(answer) > 1000 {
		return Grade{}, &AnswerError{"a shorter answer"}
	}
	if p.Kind == PredictMarks {
		return p.gradeMarks(answer)
	}
	said, err := readValue(p.measured.Expectation, answer)
	if err != nil {
		if answer == "" {
			return Grade{}, &AnswerError{"an answer"}
		}
		return Grade{}, &AnswerError{"a number such as " + p.example()}
	}
	g := Grade{Right: said == p.measured.Got[0], Want: p.measured.Got[0]}
	if g.Right || p.verdicts == nil {
		return g, nil
	}
	// Whoever says that so many pass takes the first ones to pass.
	n, err := strconv.Atoi(said)
	if err != nil {
		return g, nil
	}
	for i, v := range p.verdicts {
		if v.Passed() != (i < n) {
			return p.misjudge(g, p.First+i)
		}
	}
	return g, nil
}

// example is a value of the kind that is asked for, but not the one.
func (p *Prediction) example() string {
	if _, err := p.measured.Reads("250ms"); err == nil {
		return "250 ms"
	}
	return "7"
}

func (p *Prediction) gradeMarks(answer string) (Grade, error) {
	marked := map[int]bool{}
	for word := range strings.FieldsFuncSeq(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < p.First || n > p.Last {
			return Grade{}, &AnswerError{fmt.Sprintf("numbers of requests from %d to %d", p.First, p.Last)}
		}
		marked[n] = true
	}
	passed := 0
	wrong := 0
	for i, v := range p.verdicts {
		if v.Passed() {
			passed++
		}
		if wrong == 0 && v.Passed() != marked[p.First+i] {
			wrong = p.First + i
		}
	}
	g := Grade{Right: wrong == 0, Want: fmt.Sprintf("%d of %d", passed, len(p.verdicts))}
	if g.Right {
		return g, nil
	}
	return p.misjudge(g, wrong)
}

func (p *Prediction) misjudge(g Grade, n int) (Grade, error) {
	var err error
	g.Misjudged = n
	g.Decision, g.Arithmetic, err = p.Scenario.Explain(p.Policy, n)
	return g, err
}
