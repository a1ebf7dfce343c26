//go:build e2e

package e2e

import (
	"strconv"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Every pattern sends what its line says, and can be added to the draft.
func TestPatternsAreMadeFromFields(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	must(t, p.Locator(".patterns > summary").Click())
	form := p.Locator("[data-patterns] form")
	// What each request carries is what the composer says.
	must(t, p.GetByText("Key, cost, service time").Click())
	must(t, p.GetByLabel("Key", playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)}).Fill("ann"))
	sent := 0
	draft := ""
	for _, c := range []struct {
		kind, line string
		fields     map[string]string
		count      int
	}{
		{"Burst, repeated", "5@0s every 10ms x3 every 2s", map[string]string{"How many": "5", "One each": "10ms"}, 15},
		{"Steady", "8/s 0s..2s", map[string]string{"Rate": "8/s", "For": "2s"}, 16},
		{"Ramp", "ramp 1/s..20/s 0s..2s", map[string]string{"Rate": "1/s", "Up to": "20/s"}, 21},
		{"Random, with a seed", "random 4/s 0s..2s seed=7", map[string]string{"Rate": "4/s", "Seed": "7"}, 8},
		{"Edge of a window", "edge 5 per 1s at 3s", map[string]string{}, 10},
	} {
		_, err := form.GetByLabel("Pattern").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice(c.kind)})
		must(t, err)
		for label, value := range c.fields {
			must(t, form.GetByLabel(label, playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Fill(value))
		}
		must(t, expect.Locator(p.Locator("[data-pattern-line]")).ToHaveText(c.line+" key=ann cost=1 service=500ms"))
		must(t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Add to the draft"}).Click())
		if draft != "" {
			draft += "; "
		}
		draft += c.line + " key=ann cost=1 service=500ms"
		p.writes(draft)
		must(t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Send", Exact: playwright.Bool(true)}).Click())
		sent += c.count
		p.command("step 10s")
		p.reads("token", "sent", strconv.Itoa(sent))
	}
	// A mistake is told at its field, by keyboard too.
	must(t, form.GetByRole(*playwright.AriaRoleTextbox, playwright.LocatorGetByRoleOptions{Name: "Window"}).Fill("soon"))
	must(t, form.GetByRole(*playwright.AriaRoleTextbox, playwright.LocatorGetByRoleOptions{Name: "Window"}).Press("Enter"))
	must(t, expect.Locator(form.GetByRole(*playwright.AriaRoleAlert)).ToHaveText("Window: “soon”; expected a time, such as 1s"))
	must(t, expect.Locator(form.GetByRole(*playwright.AriaRoleTextbox, playwright.LocatorGetByRoleOptions{Name: "Window"})).ToBeFocused())
}
