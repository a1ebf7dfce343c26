//go:build e2e

package e2e

import (
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// twoBursts is a paused room with a burst of 14 at 1 s and another at 3 s, at
// 4 s.
func twoBursts(t *testing.T, s *site, options ...playwright.BrowserNewContextOptions) *labPage {
	t.Helper()
	p := s.open("", options...).live()
	p.pause()
	p.press("Reset")
	p.reads("token", "sent", "0")
	p.command("send 14@1s; 14@3s")
	p.command("step 4s")
	p.reads("fixed", "sent", "28")
	return p
}

func (p *labPage) clock(want string) {
	p.t.Helper()
	must(p.t, expect.Locator(p.Locator("[data-clock]")).ToHaveText(want))
}

func (p *labPage) past() playwright.Locator { return p.region("The past") }

func (p *labPage) stepBack() {
	p.t.Helper()
	must(p.t, p.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Back to before the last request"}).Click())
}

func TestGoingBackRequestByRequest(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, expect.Locator(p.past()).ToBeHidden())
	p.stepBack()
	p.clock("00:02.999")
	must(t, expect.Locator(p.past()).ToContainText("You see 00:02.999, 1.001 s ago."))
	must(t, expect.Locator(p.region("Token bucket").Locator("[data-level]")).ToHaveText("10 of 10"))
	for _, policy := range policies {
		p.reads(policy, "sent", "14")
	}
	must(t, expect.Locator(p.region("Decisions").Locator("tbody tr").First()).ToContainText("13"))
	p.stepBack()
	p.clock("00:00.999")
	p.scores("token", 0, 0, 0, 0)
	p.stepBack()
	p.clock("00:00.000")
	// Forward again, and out of the past.
	p.press("Step to the next request")
	p.clock("00:01.000")
	must(t, expect.Locator(p.region("Token bucket").Locator("[data-level]")).ToHaveText("0 of 10"))
	p.press("Step to the next request")
	p.clock("00:03.000")
	p.press("Step to the next request")
	p.clock("00:04.000")
	must(t, expect.Locator(p.past()).ToBeHidden())
	p.reads("token", "sent", "28")
}

// By keyboard alone: keys of the page, and the playhead on the axis.
func TestGoingBackByKeyboard(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Locator("[data-clock]").Click()) // takes the focus from the button
	must(t, p.Keyboard().Press("Shift+ArrowLeft"))
	p.clock("00:02.999")
	must(t, p.Keyboard().Press("Shift+ArrowLeft"))
	p.clock("00:00.999")
	must(t, p.Keyboard().Press("Shift+ArrowRight"))
	p.clock("00:01.000")
	must(t, p.Keyboard().Press("Escape"))
	p.clock("00:04.000")
	head := p.GetByRole(*playwright.AriaRoleSlider, playwright.PageGetByRoleOptions{Name: "Instant shown"})
	must(t, expect.Locator(head).ToHaveAttribute("aria-valuetext", "now"))
	must(t, head.Focus())
	for range 10 {
		must(t, p.Keyboard().Press("ArrowLeft"))
	}
	p.clock("00:03.000")
	must(t, expect.Locator(head).ToHaveAttribute("aria-valuetext", "00:03.000"))
	must(t, p.Keyboard().Press("PageDown"))
	p.clock("00:02.000")
	p.reads("token", "sent", "14")
	must(t, p.Keyboard().Press("Home"))
	p.clock("00:00.000")
	must(t, p.Keyboard().Press("End"))
	p.clock("00:04.000")
	must(t, expect.Locator(head).ToHaveAttribute("aria-valuetext", "now"))
}

// The playhead is taken hold of and drawn to an instant, which the address then
// names: a reload shows it again.
func TestScrubbing(t *testing.T) {
	p := twoBursts(t, serve(t))
	axis := p.Locator(`[data-track="axis"]`)
	box := got[*playwright.Rect](t)(axis.BoundingBox())
	y := box.Y + box.Height/2
	must(t, p.Mouse().Move(box.X+box.Width*0.45, y))
	must(t, p.Mouse().Down())
	must(t, p.Mouse().Move(box.X+box.Width*0.25, y, playwright.MouseMoveOptions{Steps: playwright.Int(7)}))
	must(t, p.Mouse().Up())
	p.reads("token", "sent", "14")
	clock := got[string](t)(p.Locator("[data-clock]").InnerText())
	must(t, expect.Page(p.Page).ToHaveURL(regexp.MustCompile(`\?at=\d+$`)))
	_, err := p.Reload()
	must(t, err)
	p.live()
	p.clock(clock)
	p.reads("token", "sent", "14")
	must(t, p.past().GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "Back to now"}).Click())
	p.clock("00:04.000")
	must(t, expect.Page(p.Page).Not().ToHaveURL(regexp.MustCompile(`at=`)))
}

func TestAPolicyChangedInThePastMakesAnotherFuture(t *testing.T) {
	s := serve(t)
	p := twoBursts(t, s)
	original := p.room()
	p.stepBack()
	p.clock("00:02.999")
	p.stepBack()
	p.clock("00:00.999")
	must(t, p.region("Token bucket").Locator("summary").Click())
	form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of Token bucket"})
	must(t, form.GetByLabel("Burst").Fill("12"))
	must(t, form.GetByLabel("Burst").Press("Enter"))
	compare := p.region("Comparison with the original")
	must(t, expect.Locator(compare).ToContainText("had 28 requests in common since"))
	p.live()
	if p.room() == original {
		t.Fatal("the room itself was changed")
	}
	p.clock("00:04.000")
	row := compare.GetByRole(*playwright.AriaRoleRow).Filter(playwright.LocatorFilterOptions{HasText: "Token bucket"})
	must(t, expect.Locator(row).ToContainText("was: 10 at once"))
	must(t, expect.Locator(compare.GetByRole(*playwright.AriaRoleRow).Filter(playwright.LocatorFilterOptions{HasText: "Fixed window"})).ToContainText("none"))
	must(t, row.GetByRole(*playwright.AriaRoleLink).Click())
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleArticle)).ToBeVisible())
	// The original is as it was, and has a link from the copy.
	must(t, compare.GetByRole(*playwright.AriaRoleHeading).GetByRole(*playwright.AriaRoleLink).Click())
	p.live()
	p.reads("token", "sent", "28")
	must(t, expect.Locator(p.region("Comparison with the original")).ToHaveCount(0))
}

func TestABurstInThePastHappensInACopy(t *testing.T) {
	p := twoBursts(t, serve(t))
	p.stepBack()
	p.clock("00:02.999")
	must(t, p.burst().Click())
	must(t, expect.Locator(p.region("Comparison with the original")).ToContainText("14 came only here"))
	p.reads("token", "sent", "42")
}

// Whatever one does while looking back, the room that one looks back on stays as
// it is.
func TestTheRoomStaysAsItIsWhileOneLooksBack(t *testing.T) {
	s := serve(t)
	p := twoBursts(t, s)
	original := p.room()
	elsewhere := func(what string) {
		t.Helper()
		must(t, expect.Page(p.Page).Not().ToHaveURL(regexp.MustCompile(regexp.QuoteMeta(original)+`(\?.*)?$`)))
		p.live()
		p.visit(original)
		p.live()
		p.clock("00:04.000")
		p.reads("token", "sent", "28")
		if t.Failed() {
			t.Fatalf("%s has changed the room itself", what)
		}
	}
	must(t, expect.Locator(p.button("Reset")).ToBeEnabled())
	p.stepBack()
	p.clock("00:02.999")
	must(t, expect.Locator(p.button("Reset")).ToBeDisabled())
	must(t, p.Locator(".presets summary").Click())
	must(t, p.Locator(".presets .row").Nth(1).Click())
	elsewhere("a scenario")
	p.stepBack()
	p.clock("00:02.999")
	must(t, p.GetByRole("switch", playwright.PageGetByRoleOptions{Name: "Same budget"}).Click())
	elsewhere("the switch")
	p.stepBack()
	p.clock("00:02.999")
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.button("Reset")).ToBeEnabled())
}

// The room's own link is what a class is given.
func TestTheRoomsLinkIsCopied(t *testing.T) {
	p := twoBursts(t, serve(t), playwright.BrowserNewContextOptions{Permissions: []string{"clipboard-read", "clipboard-write"}})
	must(t, p.Locator(".share > summary").Click())
	must(t, expect.Locator(p.Locator(".share code")).ToHaveText(p.room()))
	must(t, p.button("Copy the room’s link").Click())
	must(t, expect.Locator(p.Locator("[data-toast]")).ToHaveText("The room’s link is copied"))
	if text := got[any](t)(p.Evaluate("navigator.clipboard.readText()")); text != p.room() {
		t.Errorf("%v was copied", text)
	}
}

// A copy made now is compared as well, with an original that goes on.
func TestACopyOfTheRoomIsCompared(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Locator(".share > summary").Click())
	p.press("Open a copy of the room")
	must(t, expect.Locator(p.region("Comparison with the original")).ToContainText("the same up to 00:04.000 and had 0 requests in common since"))
}

func TestACopyOfThePastStandsStill(t *testing.T) {
	p := twoBursts(t, serve(t))
	p.stepBack()
	p.clock("00:02.999")
	must(t, p.past().GetByRole(*playwright.AriaRoleButton).Click())
	must(t, expect.Locator(p.Locator(".notes")).ToContainText("the same up to 00:02.999"))
	p.live()
	p.clock("00:02.999")
	p.reads("token", "sent", "14")
	// What was under way then still comes.
	p.press("Step to the next request")
	p.clock("00:03.000")
	p.reads("token", "sent", "28")
}

func TestALinkReproducesTheRoomForSomebodyElse(t *testing.T) {
	s := serve(t)
	p := twoBursts(t, s, playwright.BrowserNewContextOptions{Permissions: []string{"clipboard-read", "clipboard-write"}})
	room := p.room()
	p.stepBack()
	p.clock("00:02.999")
	must(t, p.Locator(".share > summary").Click())
	must(t, p.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Copy a link that reproduces it"}).Click())
	must(t, expect.Locator(p.Locator("[data-toast]")).ToHaveText("A link that reproduces the room is copied"))
	link, ok := got[any](t)(p.Evaluate("navigator.clipboard.readText()")).(string)
	if !ok {
		t.Fatal("nothing was copied")
	}
	other := s.open(link).live()
	if other.room() == room {
		t.Fatal("the link leads to the room itself")
	}
	other.clock("00:02.999")
	other.reads("leaky", "refused", "4")
	must(t, other.Keyboard().Press("Escape"))
	other.clock("00:04.000")
	other.reads("token", "sent", "28")
	must(t, other.burst().Click())
	other.reads("token", "sent", "42")
	must(t, p.Keyboard().Press("Escape")) // closes the menu
	must(t, p.Keyboard().Press("Escape"))
	p.reads("token", "sent", "28")
}

func TestABrokenLinkExplainsItself(t *testing.T) {
	s := serve(t)
	for link, want := range map[string]string{"2.abc": "The link is cut off or damaged", "7.abc": "The link is of version 7", "hello": "This is not a link of Burstlab"} {
		p := &labPage{t, s.visitor()}
		p.Page.OnConsole(func(playwright.ConsoleMessage) {})
		_, err := p.Goto(s.url + "/open?lab=" + link)
		must(t, err)
		must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleMain)).ToContainText(want))
		must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Open a new room"})).ToBeVisible())
	}
}

// At a phone, by touch: the bar fits and its buttons are large enough.
func TestThePastOnAPhone(t *testing.T) {
	p := twoBursts(t, serve(t), playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true), IsMobile: playwright.Bool(true),
	})
	must(t, p.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Back to before the last request"}).Tap())
	p.clock("00:02.999")
	p.reads("token", "sent", "14")
	axis := p.Locator(`[data-track="axis"]`)
	must(t, axis.ScrollIntoViewIfNeeded())
	box := got[*playwright.Rect](t)(axis.BoundingBox())
	must(t, p.Touchscreen().Tap(int(box.X+box.Width*0.05), int(box.Y+box.Height/2)))
	p.reads("token", "sent", "0")
	for _, name := range []string{"Back to now"} {
		button := p.past().GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: name})
		if b := got[*playwright.Rect](t)(button.BoundingBox()); b.Height < 44 {
			t.Errorf("%s is %g px high", name, b.Height)
		}
		must(t, button.Tap())
	}
	p.clock("00:04.000")
	if wide := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); wide != 390 {
		t.Errorf("the page is %v px wide", wide)
	}
}
