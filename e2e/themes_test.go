//go:build e2e

package e2e

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/views/story"
	"github.com/burstlab/burstlab/views/story/book"
)

// themes are those that a person can have; light and dark come from the system.
var themes = []string{"light", "dark", "projector"}

// themed opens a browser of somebody who has that theme.
func (s *site) themed(theme string) *labPage {
	s.t.Helper()
	scheme := playwright.ColorSchemeLight
	if theme == "dark" {
		scheme = playwright.ColorSchemeDark
	}
	p := &labPage{s.t, s.visitor(playwright.BrowserNewContextOptions{ColorScheme: scheme})}
	if theme == "projector" {
		must(s.t, p.AddInitScript(playwright.Script{Content: playwright.String(`localStorage.setItem("burstlab-theme", "projector")`)}))
	}
	return p
}

// openIn is open for somebody who has that theme.
func (s *site) openIn(theme, address string) *labPage {
	s.t.Helper()
	p := s.themed(theme)
	if address == "" {
		address = s.url
	}
	p.visit(address)
	return p
}

// passes reports every rule of axe that the page breaks.
func (p *labPage) passes(rules string) {
	p.t.Helper()
	for _, v := range p.violations(rules) {
		p.t.Errorf("%s: %s\n%.1500q", v.Rule, v.Help, v.Nodes)
	}
}

func TestAxeFindsNothingOnOtherPages(t *testing.T) {
	rules, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal("axe-core is missing; `make e2e` sets it up: ", err)
	}
	stories, err := book.New()
	must(t, err)
	server := httptest.NewServer(stories)
	t.Cleanup(server.Close)
	for _, theme := range themes {
		t.Run(theme, func(t *testing.T) {
			p := serve(t).openIn(theme, "").fresh()
			p.pause()
			p.command("send 14@0s")
			room := p.room()
			visit := func(name, address string) {
				t.Run(name, func(t *testing.T) {
					p := &labPage{t, p.Page}
					_, err := p.Goto(address)
					must(t, err)
					p.passes(string(rules))
				})
			}
			visit("a request's page", room+"/requests/13")
			visit("a failure", room+"-X")
			visit("the storybook", server.URL)
			for _, name := range []string{"inspector", "sixteen", "policy-refused", "without-script"} {
				visit("the story "+name, server.URL+"/story/"+name+"?theme="+theme)
			}
		})
	}
}

func TestEveryStoryOpensWithoutAComplaint(t *testing.T) {
	stories, err := book.New()
	must(t, err)
	server := httptest.NewServer(stories)
	t.Cleanup(server.Close)
	p := &labPage{t, (&site{t, server.URL}).visitor(playwright.BrowserNewContextOptions{Viewport: &playwright.Size{Width: 390, Height: 844}})}
	sockets := 0
	p.OnWebSocket(func(playwright.WebSocket) { sockets++ })
	for _, s := range story.All() {
		p.visit(server.URL + "/story/" + s.Name)
		if width := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); width != 390 {
			t.Errorf("%s is %v px wide on a phone of 390 px", s.Name, width)
		}
	}
	if sockets > 0 {
		t.Errorf("the stories opened %d sockets; expected none", sockets)
	}
}

func TestAThemeIsChosenAndKept(t *testing.T) {
	s := serve(t)
	p := s.themed("dark")
	p.visit(s.url)
	p.live()
	choice := p.GetByLabel("Theme")
	ground := p.Locator("body")
	must(t, expect.Locator(choice).ToHaveValue("system"))
	must(t, expect.Locator(ground).ToHaveCSS("background-color", "rgb(16, 21, 28)"))
	must(t, choice.Focus())
	for range 3 { // light, dark, projector
		must(t, p.Keyboard().Press("ArrowDown"))
	}
	must(t, expect.Locator(choice).ToHaveValue("projector"))
	must(t, expect.Locator(ground).ToHaveCSS("background-color", "rgb(255, 255, 255)"))
	must(t, expect.Locator(ground).ToHaveCSS("font-size", "18px"))
	_, err := p.Reload()
	must(t, err)
	must(t, expect.Locator(choice).ToHaveValue("projector"))
	must(t, expect.Locator(ground).ToHaveCSS("font-size", "18px"))
	_, err = choice.SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("System")})
	must(t, err)
	must(t, expect.Locator(ground).ToHaveCSS("background-color", "rgb(16, 21, 28)"))
}

// In print the picture is there, on white, and what is pressed is not.
func TestPaperShowsThePictureOnWhite(t *testing.T) {
	p := serve(t).openIn("dark", "").fresh()
	p.pause()
	p.command("send 14@1s")
	p.command("step 2s")
	p.scores("token", 14, 10, 4, 0)
	// The points of the film that carry the light theme's green.
	inked := `() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
		let green = 0;
		for (const c of document.querySelectorAll("[data-film] canvas")) {
			const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", {willReadFrequently: true});
			copy.drawImage(c, 0, 0);
			const d = copy.getImageData(0, 0, c.width, c.height).data;
			for (let i = 0; i < d.length; i += 4) if (d[i] < 20 && d[i + 1] > 100 && d[i + 1] < 140 && d[i + 2] > 90 && d[i + 3] > 200) green++;
		}
		done(green);
	})))`
	if n := got[any](t)(p.Evaluate(inked)); n != 0 {
		t.Fatalf("%v points in the ink of the light theme on a dark screen", n)
	}
	must(t, p.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}))
	must(t, expect.Locator(p.Locator("html.paper")).ToHaveCount(1))
	if n := got[any](t)(p.Evaluate(inked)); n.(int) < 100 {
		t.Errorf("%v points are in the ink of a passed request on paper; expected more than 100", n)
	}
	for _, hidden := range []string{".composer", ".transport", "[data-theme-choice]"} {
		must(t, expect.Locator(p.Locator(hidden).First()).ToBeHidden())
	}
	for _, shown := range []string{"[data-film]", "#score", "#decisions", "[data-clock]", ".address"} {
		must(t, expect.Locator(p.Locator(shown)).ToBeVisible())
	}
	must(t, expect.Locator(p.Locator(".address")).ToHaveText(p.room()))
}

// Fingers need 44 pixels. What lies in a label is as large as the label, and a
// slider that covers the picture is as large as that.
func TestFingersHaveRoom(t *testing.T) {
	small := `() => [...document.querySelectorAll("button, summary, select, textarea, a, input, [tabindex='0']")]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest(".skip"))
		.map(e => ({e, box: (e.closest("label") ?? e).getBoundingClientRect()}))
		.filter(({box}) => box.width < 43.5 || box.height < 43.5)
		.map(({e, box}) => e.outerHTML.slice(0, 90) + " " + box.width.toFixed() + "×" + box.height.toFixed()).join("\n")`
	for name, size := range map[string]playwright.Size{"phone": {Width: 390, Height: 844}, "tablet": {Width: 768, Height: 1024}} {
		t.Run(name, func(t *testing.T) {
			p := serve(t).open("", playwright.BrowserNewContextOptions{
				Viewport: &size, HasTouch: playwright.Bool(true), IsMobile: playwright.Bool(true),
			}).fresh()
			must(t, p.burst().Click())
			p.scores("token", 14, 10, 4, 0)
			p.inspect("13")
			must(t, expect.Locator(p.request("13")).ToBeVisible())
			if found := got[any](t)(p.Evaluate(small)); found != "" {
				t.Errorf("too small for fingers:\n%v", found)
			}
		})
	}
}
