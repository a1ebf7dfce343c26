//go:build e2e

package e2e

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Rewrite the goldens only after reading the difference as somebody who hears
// the page:
//
//	make e2e E2EFLAGS="-run TestARIA ./e2e -args -update"
var update = flag.Bool("update", false, "rewrite the accessibility trees in testdata")

// heard compares what a screen reader finds below an element with a golden. What
// differs from run to run, the server's address and the room's name, stands
// there as {host} and {room}.
func (p *labPage) heard(name string, below playwright.Locator) {
	p.t.Helper()
	must(p.t, expect.Locator(below).ToBeVisible())
	at, err := url.Parse(p.URL())
	must(p.t, err)
	_, room, _ := strings.Cut(at.Path, "/r/")
	room, _, _ = strings.Cut(room, "/")
	file := filepath.Join("testdata", name+".aria")
	if *update {
		tree := got[string](p.t)(below.AriaSnapshot())
		tree = strings.ReplaceAll(tree, at.Host, "{host}")
		if room != "" {
			tree = strings.ReplaceAll(tree, room, "{room}")
		}
		must(p.t, os.MkdirAll("testdata", 0o755))
		must(p.t, os.WriteFile(file, []byte(tree+"\n"), 0o644))
	}
	want, err := os.ReadFile(file)
	must(p.t, err)
	tree := strings.NewReplacer("{host}", at.Host, "{room}", room).Replace(string(want))
	if err := expect.Locator(below).ToMatchAriaSnapshot(tree); err != nil {
		p.t.Errorf("differs from %s: %.4000s", file, err)
	}
}

// still leaves a room of a known past: paused, and at a lab time of 4 s.
func (p *labPage) still() *labPage {
	p.t.Helper()
	p.fresh()
	p.pause()
	p.press("Reset")
	must(p.t, expect.Locator(p.Locator("[data-clock]")).ToHaveText("00:00.000"))
	p.command("send 1@0s; 14@1s; 1@3s")
	p.command("step 4s")
	p.scores("token", 16, 12, 4, 0)
	return p
}

func TestARIAOfTheLab(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	p.press("Reset")
	must(t, expect.Locator(p.Locator("[data-clock]")).ToHaveText("00:00.000"))
	p.heard("lab-header", p.GetByRole(*playwright.AriaRoleBanner))
	p.heard("lab", p.GetByRole(*playwright.AriaRoleMain))
}

func TestARIAOfAChosenRequest(t *testing.T) {
	p := serve(t).open("").still()
	p.inspect("14")
	must(t, expect.Locator(p.request("14")).ToBeVisible())
	p.heard("chosen", p.Locator("[data-inspector]"))
	p.heard("decided", p.region("Decisions"))
}

func TestARIAOnAPhone(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true),
	}).still()
	p.heard("phone-header", p.GetByRole(*playwright.AriaRoleBanner))
	p.heard("phone", p.GetByRole(*playwright.AriaRoleMain))
}

func TestARIAOfAFailure(t *testing.T) {
	s := serve(t)
	p := &labPage{t, s.visitor()}
	_, err := p.Goto(s.url + "/r/NONE-0000-0000")
	must(t, err)
	p.heard("failure", p.Locator("body"))
}
