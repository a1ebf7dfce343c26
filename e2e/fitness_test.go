//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// axe is the accessibility rules' script.
const axe = "node_modules/axe-core/axe.min.js"

// axeStates are what the page shows in turn, each from where the one before has
// left it.
var axeStates = []struct {
	name string
	show func(*labPage)
}{
	{"fresh", func(p *labPage) {}},
	{"a request chosen", func(p *labPage) {
		must(p.t, p.burst().Click())
		p.scores("token", 14, 10, 4, 0)
		p.inspect("13")
		must(p.t, expect.Locator(p.request("13")).ToBeVisible())
	}},
	{"an answer in the older fields, with its body and an explanation", func(p *labPage) {
		must(p.t, p.verdict("Sliding log").Click())
		log := p.answer("Sliding log")
		must(p.t, radio(log, "Epoch").Check())
		must(p.t, log.Locator("summary").Click())
		must(p.t, log.Locator(".header-field[data-in=epoch]").Focus())
	}},
	{"paused, with requests of several keys that are not all shown", func(p *labPage) {
		p.pause()
		p.command("send 2@0s key=ann cost=20; 4000@0s every 1ms")
		p.command("step 5s")
		must(p.t, expect.Locator(p.Locator("[data-missed]")).ToBeVisible())
	}},
	{"the score by key and the downloads, budgets that differ", func(p *labPage) {
		must(p.t, p.region("By key").Locator("summary").Click())
		must(p.t, expect.Locator(p.key("ann")).ToBeVisible())
		p.setLimit("Sliding log", "5")
		must(p.t, p.switched("true").Click())
		p.switched("false")
		p.setLimit("Sliding log", "10")
		must(p.t, p.Locator(".download > summary").Click())
		must(p.t, expect.Locator(p.Locator(".download a").First()).ToBeVisible())
	}},
	{"a wrong limit, a wrong notation and a wrong new policy", func(p *labPage) {
		must(p.t, p.GetByLabel("Traffic notation").Fill("14@"))
		must(p.t, expect.Locator(p.Locator("#notation-note")).ToContainText("Column"))
		must(p.t, p.Locator(".add > summary").Click())
		add := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Add a policy"})
		must(p.t, add.GetByLabel("Per").Fill("soon"))
		must(p.t, add.GetByLabel("Per").Press("Enter"))
		must(p.t, expect.Locator(add).ToContainText("not a duration"))
		must(p.t, p.region("GCRA").Locator("summary").Click())
		form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of GCRA"})
		must(p.t, form.GetByLabel("Limit").Fill("0"))
		must(p.t, form.GetByLabel("Limit").Press("Enter"))
		must(p.t, expect.Locator(form).ToContainText("out of range"))
	}},
	{"sixteen policies and a dense stream", func(p *labPage) {
		p.command(policiesCommand(16))
		must(p.t, expect.Locator(p.Locator("#score [data-score]")).ToHaveCount(16))
		p.press("Play")
		p.command("stream 5000/s")
		must(p.t, expect.Locator(p.Locator("[data-rate]")).ToHaveText("5,000/s"))
	}},
	{"one policy", func(p *labPage) {
		p.command("stop")
		p.command(policiesCommand(1))
		must(p.t, expect.Locator(p.Locator("#score [data-score]")).ToHaveCount(1))
	}},
	{"the room has ended", func(p *labPage) {
		p.losing()
		_, err := p.Reload()
		must(p.t, err)
		must(p.t, expect.Locator(p.Locator("[data-state-words=gone]")).ToBeVisible())
	}},
}

// policiesCommand sets n policies.
func policiesCommand(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name":"policy %d","algorithm":"sliding-log","limit":10,"per":"1s"}`, i+1))
	}
	return `policies {"policies":[` + strings.Join(list, ",") + `]}`
}

func TestAxeFindsNothing(t *testing.T) {
	rules, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal("axe-core is missing; `make e2e` sets it up: ", err)
	}
	for _, theme := range themes {
		t.Run(theme, func(t *testing.T) {
			p := serve(t).openIn(theme, "").fresh()
			for _, state := range axeStates {
				t.Run(state.name, func(t *testing.T) {
					p := &labPage{t, p.Page}
					state.show(p)
					p.passes(string(rules))
				})
			}
		})
	}
}

// violation is a rule that the page breaks, and where.
type violation struct {
	Rule, Help string
	Nodes      []string
}

func (p *labPage) violations(rules string) (found []violation) {
	p.t.Helper()
	// The driver's own world: the page's content policy stays as it is.
	_, err := p.Evaluate(rules + "; 0")
	must(p.t, err)
	text := got[any](p.t)(p.Evaluate(`async () => JSON.stringify((await axe.run()).violations.map(
		v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html + " " + (n.any[0]?.message ?? ""))})))`))
	must(p.t, json.Unmarshal([]byte(text.(string)), &found))
	return found
}

func TestAPhoneScrollsDownOnly(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{Viewport: &playwright.Size{Width: 390, Height: 844}}).fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	if width := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); width != 390 {
		t.Errorf("the page is %v px wide on a phone of 390 px", width)
	}
}

func TestThePanelDoesNotCoverWhatWasTapped(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true),
	}).fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	track := p.region("Sliding log").Locator("[data-track]")
	must(t, track.Tap(playwright.LocatorTapOptions{Position: &playwright.Position{X: 20, Y: 40}}))
	panel := p.Locator("[data-inspector]")
	must(t, expect.Locator(panel.GetByRole(*playwright.AriaRoleArticle)).ToBeVisible())
	lane, sheet := got[*playwright.Rect](t)(track.BoundingBox()), got[*playwright.Rect](t)(panel.BoundingBox())
	if bottom := lane.Y + lane.Height; bottom > sheet.Y {
		t.Errorf("the lane that was tapped ends at %v px, the panel begins at %v px", bottom, sheet.Y)
	}
}
