//go:build e2e

package e2e

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/scenarios/lesson"
)

func (p *labPage) predict(q *lesson.Prediction) playwright.Locator {
	return p.region("Prediction " + strconv.Itoa(q.Number))
}

// reply fills a prediction in by keyboard and sends it: with the first choice,
// with 7, or with the first request marked.
func (p *labPage) reply(q *lesson.Prediction) {
	p.t.Helper()
	part := p.predict(q)
	must(p.t, part.GetByRole("button").Focus())
	switch q.Kind {
	case lesson.PredictMarks:
		first := part.GetByLabel(strconv.Itoa(q.First), playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)})
		must(p.t, first.Focus())
		must(p.t, p.Keyboard().Press("Space"))
		must(p.t, expect.Locator(first).ToBeChecked())
	case lesson.PredictChoice:
		must(p.t, part.GetByRole("radio").First().Focus())
		must(p.t, p.Keyboard().Press("Space"))
	default:
		must(p.t, part.GetByRole("textbox").Focus())
		must(p.t, p.Keyboard().Type("7"))
	}
	must(p.t, p.Keyboard().Press("Enter"))
	must(p.t, expect.Locator(p.predict(q).GetByRole("status")).ToBeVisible())
}

// Every lesson is walked by keyboard: each prediction is answered and told of,
// each picture opened, and nothing that was answered is lost on the way. axe
// finds nothing in any theme, and a phone scrolls down only.
func TestLessonsAreWalkedByKeyboard(t *testing.T) {
	rules, err := os.ReadFile(axe)
	must(t, err)
	s := serve(t)
	for i, l := range lesson.All() {
		t.Run(l.Name, func(t *testing.T) {
			theme := themes[i%len(themes)]
			p := s.openIn(theme, s.url+"/lessons/"+l.Name)
			p.t = t
			must(t, expect.Locator(p.GetByRole("heading", playwright.PageGetByRoleOptions{Level: playwright.Int(1)})).ToHaveText(l.Title))
			must(t, expect.Locator(p.GetByRole("status")).ToHaveCount(0))
			for _, q := range l.Predictions {
				p.reply(q)
			}
			must(t, expect.Locator(p.GetByRole("status")).ToHaveCount(len(l.Predictions)))
			pieces := p.Locator("details.piece > summary")
			for n := range got[int](t)(pieces.Count()) {
				must(t, pieces.Nth(n).Focus())
				must(t, p.Keyboard().Press("Enter"))
				must(t, expect.Locator(p.Locator("details.piece").Nth(n).GetByRole("table")).ToBeVisible())
			}
			p.passes(string(rules))
			must(t, p.SetViewportSize(390, 844))
			if wide := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); wide != 390 {
				t.Errorf("the page is %v px wide on a phone of 390 px", wide)
			}
		})
	}
}

// A reader who marks the right requests is told so, opens the scenario in the lab
// and finds the same there.
func TestALessonLeadsIntoTheLab(t *testing.T) {
	s := serve(t)
	p := s.openIn("light", s.url+"/lessons")
	must(t, p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Token bucket", Exact: playwright.Bool(true)}).Click())
	l, _ := lesson.ByName("token-bucket")
	part := p.predict(l.Predictions[0])
	for n := 1; n <= 10; n++ {
		must(t, part.GetByLabel(strconv.Itoa(n), playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Check(playwright.LocatorCheckOptions{Force: playwright.Bool(true)}))
	}
	must(t, part.GetByRole("button").Click())
	must(t, expect.Locator(part.GetByRole("status")).ToContainText("Right."))
	must(t, p.Locator("details.piece > summary").First().Click())
	must(t, p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Open this in the lab"}).First().Click())
	p.live()
	if !strings.Contains(p.URL(), "/r/") {
		t.Fatalf("the button leads to %s", p.URL())
	}
	p.scores("token", 24, 15, 9, 0)
}
