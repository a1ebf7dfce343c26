//go:build e2e

package e2e

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/scenarios"
	"github.com/burstlab/burstlab/views"
)

func TestEveryScenarioOfThePageIsPlayedOnIt(t *testing.T) {
	p := serve(t).open("").live()
	p.press("Pause")
	must(t, expect.Locator(p.button("Play")).ToBeVisible())
	played, told := 0, 0
	for _, scenario := range scenarios.All() {
		if _, offered := scenario.Sent.Preset(); !offered {
			continue
		}
		played++
		t.Run(scenario.Name, func(t *testing.T) {
			p := &labPage{t, p.Page}
			want, last := decide(t, scenario)
			fold := p.Locator("details", playwright.PageLocatorOptions{Has: p.Locator("summary", playwright.PageLocatorOptions{HasText: "Scenarios"})})
			if open := got[any](t)(fold.Evaluate("d => d.open", nil)); open == false {
				must(t, fold.Locator("summary").Click())
			}
			must(t, fold.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: scenario.Title}).First().Click())
			must(t, expect.Locator(p.Locator("#score [data-score]")).ToHaveCount(len(scenario.Policies)))
			must(t, expect.Locator(p.Locator("#score [data-score]").First()).ToHaveAttribute("data-score", scenario.Policies[0].Name))
			// The lab's clock jumps to the end instead of running there.
			for at := lab.Time(0); at <= last; at += day {
				p.command("step 24h")
			}
			for i, policy := range scenario.Policies {
				score := want.Scores()[i]
				p.scores(policy.Name, int(score.Sent), int(score.Served()), int(score.Refused), int(score.Never))
				busiest, _ := score.Busiest()
				p.reads(policy.Name, "busiest", views.Count(busiest)+" in "+views.Span(score.Span()))
				p.reads(policy.Name, "longest", views.Span(score.LongestWait()))
			}
			one := got[playwright.Page](t)(p.Context().NewPage())
			defer one.Close()
			closely := &labPage{t, one}
			for _, e := range scenario.Expectations {
				if p.tells(e, want.Scores()) || closely.tellsClosely(p.room(), e) {
					told++
				}
			}
		})
	}
	if played < 20 {
		t.Errorf("the page offers %d scenarios; expected at least 20", played)
	}
	if told < 80 {
		t.Errorf("%d expectations were read from the page; expected at least 80", told)
	}
}

const day = lab.Time(24 * 60 * 60 * 1e9)

// decide runs a scenario past the page.
func decide(t *testing.T, s scenarios.Scenario) (b *bench.Bench, last lab.Time) {
	t.Helper()
	b, err := bench.New(s.Policies, bench.Options{Scores: true})
	must(t, err)
	for r := range s.Sent.Requests() {
		last = r.At
		if _, err := b.Decide(r); err != nil {
			t.Fatal(err)
		}
	}
	return b, last
}

// tells reads from the score table what a scenario expects of a whole run, and
// says whether the table shows it.
func (p *labPage) tells(e scenarios.Expectation, scores []*bench.Score) bool {
	p.t.Helper()
	if e.Policy == "" || e.Key != "" || e.During != nil {
		return false
	}
	switch e.Kind {
	case "served", "refused", "never":
		p.reads(e.Policy, e.Kind, views.Count(got[int64](p.t)(strconv.ParseInt(e.Is[0], 10, 64))))
	case "longest-wait":
		p.reads(e.Policy, "longest", views.Span(p.span(e.Is[0])))
	case "busiest":
		if !slices.ContainsFunc(scores, func(s *bench.Score) bool { return s.Span() == e.Span }) {
			return false // the table has the policy's own span
		}
		p.reads(e.Policy, "busiest", views.Count(got[int64](p.t)(strconv.ParseInt(e.Is[0], 10, 64)))+" in "+views.Span(e.Span))
	default:
		return false
	}
	return true
}

// tellsClosely reads from the pages of single requests what a scenario expects
// of them, and says whether those pages show it.
func (p *labPage) tellsClosely(room string, e scenarios.Expectation) bool {
	p.t.Helper()
	numbers := e.Requests
	if numbers == nil && e.Kind == "decisions" {
		for i := range e.Is {
			numbers = append(numbers, i+1)
		}
	}
	const most = 30 // of a long row of equal ones the first are enough
	if len(numbers) == 0 || e.Key != "" || e.During != nil {
		return false
	}
	for i, number := range numbers[:min(len(numbers), most)] {
		p.visit(room + "/requests/" + strconv.Itoa(number-1) + "?policy=" + url.QueryEscape(e.Policy))
		verdict := p.Locator(`[data-verdict="` + e.Policy + `"]`)
		said := p.Locator(`[data-said="` + e.Policy + `"]`)
		switch e.Kind {
		case "decisions":
			must(p.t, expect.Locator(verdict).ToHaveClass("verdict "+e.Is[i]))
		case "retry-after":
			wait := p.span(e.Is[i])
			must(p.t, expect.Locator(verdict.Locator(".retry")).ToHaveText("in "+views.Span(wait)))
		case "compared":
			formula := got[string](p.t)(said.Locator(".formula").TextContent())
			if !strings.Contains(formula, "= "+e.Is[i]+" ") {
				p.t.Errorf("request %d: the arithmetic is %q; expected it to compare %s", number, formula, e.Is[i])
			}
		case "remaining":
			must(p.t, expect.Locator(said.Locator(".held")).ToContainText("left now"+e.Is[i]+" more"))
		case "response":
			lines := got[[]string](p.t)(said.Locator(".wire").First().Locator(".status-line, .header-line:visible").AllTextContents())
			if !slices.Equal(lines, e.Is) {
				p.t.Errorf("request %d: the response is\n%s\nexpected\n%s", number, strings.Join(lines, "\n"), strings.Join(e.Is, "\n"))
			}
		default:
			return false
		}
	}
	return true
}

// span reads a length of time as an expectation writes it: "1800 ms".
func (p *labPage) span(text string) time.Duration {
	p.t.Helper()
	return got[time.Duration](p.t)(lab.ParseSpan(strings.ReplaceAll(text, " ", "")))
}
