//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/views"
)

// labPage is what a person can do on the lab's page, and read from it.
type labPage struct {
	t *testing.T
	playwright.Page
}

// open makes a room, or opens the one at address.
func (s *site) open(address string, options ...playwright.BrowserNewContextOptions) *labPage {
	s.t.Helper()
	p := &labPage{s.t, s.visitor(options...)}
	if address == "" {
		address = s.url
	}
	p.visit(address)
	return p
}

func (p *labPage) visit(address string) {
	p.t.Helper()
	resp, err := p.Goto(address)
	must(p.t, err)
	if !resp.Ok() {
		p.t.Fatalf("%s: %d", address, resp.Status())
	}
}

// live waits until the page is connected.
func (p *labPage) live() *labPage {
	p.t.Helper()
	must(p.t, expect.Locator(p.Locator("[data-connection-words]")).ToHaveText("live"))
	return p
}

// room is the address of the room's page.
// room is the room's address, wherever in its past the page looks.
func (p *labPage) room() string {
	address, _, _ := strings.Cut(p.URL(), "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

func (p *labPage) button(name string) playwright.Locator {
	return p.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: name, Exact: playwright.Bool(true)})
}

func (p *labPage) burst() playwright.Locator {
	return p.Locator("button[data-send=burst]").And(p.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: "Send a burst"}))
}

func (p *labPage) press(name string) {
	p.t.Helper()
	must(p.t, p.button(name).Click())
}

func (p *labPage) region(name string) playwright.Locator {
	return p.GetByRole(*playwright.AriaRoleRegion, playwright.PageGetByRoleOptions{Name: name, Exact: playwright.Bool(true)})
}

// score is a cell of the score table.
func (p *labPage) score(policy, cell string) playwright.Locator {
	return p.region("Score").Locator(`[data-score="` + policy + `"] [data-cell="` + cell + `"]`)
}

// scores waits until the policy's row says how many requests were sent, served,
// refused and never.
func (p *labPage) scores(policy string, sent, served, refused, never int) {
	p.t.Helper()
	for cell, want := range map[string]int{"sent": sent, "served": served, "refused": refused, "never": never} {
		if err := expect.Locator(p.score(policy, cell)).ToHaveText(views.Count(int64(want))); err != nil {
			p.t.Errorf("%s %s: %v", policy, cell, err)
		}
	}
}

// reads waits until a cell of the policy's row has this text.
func (p *labPage) reads(policy, cell, want string) {
	p.t.Helper()
	if err := expect.Locator(p.score(policy, cell)).ToHaveText(want); err != nil {
		p.t.Errorf("%s %s: %v", policy, cell, err)
	}
}

// inspect chooses a request in the table of decisions.
func (p *labPage) inspect(number string) {
	p.t.Helper()
	must(p.t, p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: number, Exact: playwright.Bool(true)}).Click())
}

// request is the inspection of a request.
func (p *labPage) request(number string) playwright.Locator {
	return p.GetByRole(*playwright.AriaRoleArticle, playwright.PageGetByRoleOptions{Name: "Request " + number, Exact: playwright.Bool(true)})
}

// pause stops lab time.
func (p *labPage) pause() {
	p.t.Helper()
	p.press("Pause")
	must(p.t, expect.Locator(p.button("Play")).ToBeVisible())
}

// fresh empties the room: nothing sent, lab time from 0.
func (p *labPage) fresh() *labPage {
	p.t.Helper()
	p.live()
	p.press("Reset")
	must(p.t, expect.Locator(p.score("token", "sent")).ToHaveText("0"))
	return p
}

// losing makes the page that is visited next lose its room as soon as it comes.
func (p *labPage) losing() {
	p.t.Helper()
	var lost atomic.Bool
	must(p.t, p.RouteWebSocket("**/socket**", func(route playwright.WebSocketRoute) {
		if lost.Swap(true) {
			if _, err := route.ConnectToServer(); err != nil {
				p.t.Error(err)
			}
			return
		}
		route.Close(playwright.WebSocketRouteCloseOptions{Code: playwright.Int(1001)})
	}))
	must(p.t, p.Route("**/policies", func(route playwright.Route) {
		if err := route.Fulfill(playwright.RouteFulfillOptions{Status: playwright.Int(http.StatusNotFound)}); err != nil {
			p.t.Error(err)
		}
	}))
}

// command gives a command past the page, as a script would.
func (p *labPage) command(text string) {
	p.t.Helper()
	resp, err := http.PostForm(p.room()+"/commands", url.Values{"command": {text}})
	must(p.t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK { // the page to which the form leads back
		body, _ := io.ReadAll(resp.Body)
		p.t.Fatalf("command %q: %s\n%.500s", text, resp.Status, body)
	}
}
