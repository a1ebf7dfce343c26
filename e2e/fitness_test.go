//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// axe is the accessibility rules' script.
const axe = "node_modules/axe-core/axe.min.js"

func TestAxeFindsNothing(t *testing.T) {
	rules, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal("axe-core is missing; `make e2e` sets it up: ", err)
	}
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
		t.Run(string(*scheme), func(t *testing.T) {
			p := serve(t).open("", playwright.BrowserNewContextOptions{ColorScheme: scheme}).fresh()
			must(t, p.burst().Click())
			p.scores("token", 14, 10, 4, 0)
			must(t, p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "13", Exact: playwright.Bool(true)}).Click())
			must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleArticle)).ToBeVisible())
			// The driver's own world: the page's content policy stays as it is.
			_, err := p.Evaluate(string(rules) + "; 0")
			must(t, err)
			found := got[any](t)(p.Evaluate(`async () => JSON.stringify((await axe.run()).violations.map(
				v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html + " " + (n.any[0]?.message ?? ""))})))`))
			var violations []struct {
				Rule, Help string
				Nodes      []string
			}
			must(t, json.Unmarshal([]byte(found.(string)), &violations))
			for _, v := range violations {
				t.Errorf("%s: %s\n%.1500s", v.Rule, v.Help, fmt.Sprint(v.Nodes))
			}
		})
	}
}

func TestAPhoneScrollsDownOnly(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{Viewport: &playwright.Size{Width: 390, Height: 844}}).fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	if width := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); width != 390 {
		t.Errorf("the page is %v px wide on a phone of 390 px", width)
	}
}
