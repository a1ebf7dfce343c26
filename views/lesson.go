package views

import (
	"errors"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/scenarios"
	"github.com/burstlab/burstlab/scenarios/lesson"
)

// Lesson is what a lesson's page shows.
type Lesson struct {
	Static string
	*lesson.Lesson
	// Answers are one for each prediction.
	Answers []Answer
	// Before and After are the lessons beside it on the path; nil at its ends.
	Before, After *lesson.Lesson
}

// Answer is what somebody has predicted, and what came of it.
type Answer struct {
	// Given says that there is an answer, and Text what it was.
	Given bool
	Text  string
	// Problem is why the answer cannot be understood; empty when it can.
	Problem string
	Right   bool
	// Verdict says whether it was right, and what would have been. Why is the
	// arithmetic of the first request that it misjudged; empty where there is none.
	Verdict, Why string
}

// AnswerTo grades what somebody has answered to a prediction. The error is the
// engine's.
func AnswerTo(p *lesson.Prediction, text string) (Answer, error) {
	a := Answer{Given: true, Text: text}
	g, err := p.Grade(text)
	if wrong := (*lesson.AnswerError)(nil); errors.As(err, &wrong) {
		a.Problem = sentence(wrong.Error())
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Right = g.Right
	a.Verdict = "Right."
	if !g.Right {
		a.Verdict = "Not quite: " + valueWords(g.Want) + "."
		if p.Kind == lesson.PredictMarks {
			a.Verdict = "Not quite: " + g.Want + " pass."
		}
	}
	if g.Misjudged > 0 {
		a.Why = "Request " + strconv.Itoa(g.Misjudged) + " at " + exactClock(g.Decision.At) + ": " + Formula(g.Arithmetic, g.Decision.Verdict)
	}
	return a, nil
}

// valueWords writes a value of a scenario for people.
func valueWords(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Count(n)
	}
	if d, err := lab.ParseSpan(text); err == nil {
		return precise(d)
	}
	return text
}

// marked says whether an answer by marks names a request.
func (a Answer) marked(n int) bool {
	for word := range strings.FieldsFuncSeq(a.Text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if word == strconv.Itoa(n) {
			return true
		}
	}
	return false
}

// picture is a scenario's decisions as they are drawn.
type picture struct {
	Lanes []pictureLane
	// Ticks are labels of the axis.
	Ticks []pictureTick
}

type pictureLane struct {
	Title, Algorithm, Summary string
	// Words say what the picture shows.
	Words  string
	Height int
	Marks  []pictureMark
	Cells  []string // of the table
}

type pictureMark struct {
	Verdict string
	X, Y    int
	// Leaves is where a delayed request leaves; -1 for all others.
	Leaves int
	Title  string
}

type pictureTick struct {
	X     int
	Label string
}

const (
	pictureWidth = 640
	pictureSide  = 14
	pictureCell  = 10
	pictureRows  = 8
)

// pictureOf draws a scenario.
func pictureOf(s scenarios.Scenario) (picture, error) {
	requests, decisions, err := s.Decide()
	if err != nil {
		return picture{}, err
	}
	first, last := requests[0].At, requests[len(requests)-1].At
	for _, lane := range decisions {
		for _, d := range lane {
			if d.Verdict == lab.Delay {
				last = max(last, d.Leaves())
			}
		}
	}
	unit := max(1, (int64(last-first)+pictureWidth-2*pictureSide-1)/(pictureWidth-2*pictureSide))
	x := func(t lab.Time) int { return pictureSide + int(int64(t-first)/unit) }
	var pic picture
	for i, p := range s.Policies {
		lane := pictureLane{Title: Title(p), Algorithm: string(p.Algorithm), Summary: Summary(p)}
		free := make([]int, pictureRows)
		highest := 0
		var served, refused int64
		longest := lab.Time(0)
		for n, d := range decisions[i] {
			at := x(requests[n].At)
			row := 0
			for r := range free {
				if free[r] <= at {
					row = r
					break
				}
				if free[r] < free[row] {
					row = r
				}
			}
			at = max(at, free[row])
			free[row] = at + pictureCell
			highest = max(highest, row)
			m := pictureMark{Verdict: d.Verdict.String(), X: at, Y: row, Leaves: -1,
				Title: "Request " + strconv.Itoa(n+1) + " at " + exactClock(requests[n].At) + ": " + Outcome(d)}
			if d.Verdict == lab.Delay {
				m.Leaves = max(x(d.Leaves()), at)
				longest = max(longest, lab.Time(d.Wait))
			}
			if d.Verdict.Passed() {
				served++
			} else {
				refused++
			}
			lane.Marks = append(lane.Marks, m)
		}
		lane.Height = (highest+1)*pictureCell + 8
		for m := range lane.Marks {
			lane.Marks[m].Y = lane.Height - 6 - lane.Marks[m].Y*pictureCell
		}
		lane.Cells = []string{Count(int64(len(requests))), Count(served), Count(refused), Span(longest.Sub(0))}
		lane.Words = lane.Title + ": " + Count(served) + " of " + Count(int64(len(requests))) + " requests pass, " + Count(refused) + " do not"
		pic.Lanes = append(pic.Lanes, lane)
	}
	pic.Ticks = append(pic.Ticks, pictureTick{pictureSide, Span(first.Sub(0))})
	if last > first {
		pic.Ticks = append(pic.Ticks, pictureTick{x(last), Span(last.Sub(0))})
	}
	return pic, nil
}

// mustPicture is for what was read with the lesson, which can be run.
func mustPicture(s scenarios.Scenario) picture {
	pic, err := pictureOf(s)
	if err != nil {
		panic("views: a scenario of a lesson cannot be drawn: " + err.Error())
	}
	return pic
}

// anchor is a prediction's place on the page.
func anchor(p *lesson.Prediction) string { return "predict-" + strconv.Itoa(p.Number) }

// AnswerField is the field of the address that holds a prediction's answer.
func AnswerField(p *lesson.Prediction) string { return "a" + strconv.Itoa(p.Number) }

// choiceWords writes a choice for people: a bare number with its thousands apart.
func choiceWords(c string) string {
	if n, err := strconv.ParseInt(c, 10, 64); err == nil {
		return Count(n)
	}
	return strings.ReplaceAll(c, " ", space)
}

func answerWord(a Answer) string {
	if a.Given {
		return "Answer again"
	}
	return "Answer"
}

func rightMark(right bool) string {
	if right {
		return lab.Allow.String()
	}
	return lab.Refuse.String()
}
