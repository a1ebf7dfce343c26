//go:build e2e

package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/scenarios"
)

func TestEveryScenarioOfThePageIsPlayedOnIt(t *testing.T) {
	p := serve(t).open("").live()
	p.press("Pause")
	must(t, expect.Locator(p.button("Play")).ToBeVisible())
	played := 0
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
			}
		})
	}
	if played < 20 {
		t.Errorf("the page offers %d scenarios; expected at least 20", played)
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
