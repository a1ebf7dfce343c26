//go:build e2e

package e2e

import (
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
)

func (p *labPage) selected() playwright.Locator {
	return p.GetByRole(*playwright.AriaRoleArticle, playwright.PageGetByRoleOptions{Name: "Selected span"})
}

// brush draws a span over two parts of the first lane's track, from left to
// right.
func (p *labPage) brush(from, to float64) {
	p.t.Helper()
	box := got[*playwright.Rect](p.t)(p.Locator(`[data-track="lane"]`).First().BoundingBox())
	y := box.Y + box.Height/2
	must(p.t, p.Mouse().Move(box.X+box.Width*from, y))
	must(p.t, p.Mouse().Down())
	must(p.t, p.Mouse().Move(box.X+box.Width*to, y, playwright.MouseMoveOptions{Steps: playwright.Int(8)}))
	must(p.t, p.Mouse().Up())
}

func (p *labPage) selects(lane, want string) {
	p.t.Helper()
	row := p.selected().GetByRole(*playwright.AriaRoleListitem).Filter(playwright.LocatorFilterOptions{HasText: lane})
	must(p.t, expect.Locator(row).ToHaveText(regexp.MustCompile(want)))
}

// Bursts of 14 at 1 s and at 3 s; the view shows 0 s to 10 s from 3 % on.
func TestASpanIsSelectedByMouse(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Keyboard().Down("Shift"))
	p.brush(0.06, 0.25)
	must(t, p.Keyboard().Up("Shift"))
	must(t, expect.Locator(p.selected()).ToContainText("14 requests sent"))
	p.selects("Token bucket", `sent ?14.*served ?10.*refused ?4.*busiest ?10 in 1.s`)
	p.selects("Leaky bucket", `served ?10.*refused ?4.*delayed ?9`)
	// With the button a plain drag selects; Escape takes the span away.
	p.press("Select a span")
	p.brush(0.06, 0.6)
	must(t, expect.Locator(p.selected()).ToContainText("28 requests sent"))
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.selected()).ToHaveCount(0))
	p.press("Select a span")
	p.brush(0.06, 0.25)
	must(t, expect.Locator(p.selected()).ToContainText("14 requests sent"))
	must(t, p.selected().GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Close"}).Click())
	must(t, expect.Locator(p.selected()).ToHaveCount(0))
	// One press selects one span, and Escape takes it back.
	p.press("Select a span")
	must(t, expect.Locator(p.button("Select a span")).ToHaveAttribute("aria-pressed", "true"))
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.button("Select a span")).ToHaveAttribute("aria-pressed", "false"))
	p.brush(0.6, 0.5)
	must(t, expect.Locator(p.selected()).ToHaveCount(0))
	must(t, expect.Locator(p.button("Follow")).ToHaveAttribute("aria-pressed", "false"))
}

func TestASpanIsSelectedByKeyboard(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Locator("[data-clock]").Click()) // takes the focus from the button
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(p.request("27")).ToBeVisible())
	must(t, p.Keyboard().Press("b"))
	for range 14 {
		must(t, p.Keyboard().Press("ArrowLeft"))
	}
	must(t, expect.Locator(p.request("13")).ToBeVisible())
	must(t, p.Keyboard().Press("b"))
	must(t, expect.Locator(p.selected()).ToContainText("28 requests sent"))
	// The ends can be written, and a mistake is told.
	from, to := p.selected().GetByLabel("From"), p.selected().GetByLabel("To")
	must(t, expect.Locator(from).ToHaveValue("1s"))
	must(t, to.Fill("soon"))
	must(t, to.Press("Enter"))
	must(t, expect.Locator(p.selected().GetByRole(*playwright.AriaRoleAlert)).ToContainText("to: expected a lab time"))
	must(t, to.Fill("2s"))
	must(t, to.Press("Enter"))
	must(t, expect.Locator(p.selected()).ToContainText("14 requests sent"))
}

func TestASpanIsSelectedByTouch(t *testing.T) {
	s := serve(t)
	p := twoBursts(t, s, playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true), IsMobile: playwright.Bool(true),
	})
	must(t, p.button("Select a span").Tap())
	track := p.Locator(`[data-track="lane"]`).First()
	must(t, track.ScrollIntoViewIfNeeded())
	box := got[*playwright.Rect](t)(track.BoundingBox())
	cdp := got[playwright.CDPSession](t)(p.Context().NewCDPSession(p.Page))
	touch := func(kind string, part float64) {
		t.Helper()
		points := []map[string]any{}
		if kind != "touchEnd" {
			points = append(points, map[string]any{"x": box.X + box.Width*part, "y": box.Y + box.Height/2})
		}
		_, err := cdp.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points})
		must(t, err)
	}
	touch("touchStart", 0.06)
	for _, part := range []float64{0.1, 0.15, 0.2, 0.25} {
		touch("touchMove", part)
	}
	touch("touchEnd", 0)
	must(t, expect.Locator(p.selected()).ToContainText("14 requests sent"))
	if wide := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); wide != 390 {
		t.Errorf("the page is %v px wide", wide)
	}
}

func TestTheTimeLineIsZoomedAndMovedByKeys(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Locator("[data-clock]").Click())
	words := p.Locator("[data-span]")
	for _, step := range []struct{ key, want string }{{"-", "20 s"}, {"+", "10 s"}, {"=", "5 s"}, {"0", "5 s"}, {"-", "10 s"}} {
		must(t, p.Keyboard().Press(step.key))
		must(t, expect.Locator(words).ToHaveText(step.want))
	}
	must(t, expect.Locator(p.button("Follow")).ToHaveAttribute("aria-pressed", "true"))
	must(t, p.Keyboard().Press(","))
	must(t, expect.Locator(p.button("Follow")).ToHaveAttribute("aria-pressed", "false"))
	must(t, p.Keyboard().Press("."))
	must(t, p.Keyboard().Press("0"))
	must(t, expect.Locator(p.button("Follow")).ToHaveAttribute("aria-pressed", "true"))
	// A wheel with ctrl zooms smoothly, about where the pointer is.
	box := got[*playwright.Rect](t)(p.Locator(`[data-track="lane"]`).First().BoundingBox())
	must(t, p.Mouse().Move(box.X+box.Width/2, box.Y+10))
	must(t, p.Keyboard().Down("Control"))
	must(t, p.Mouse().Wheel(0, -40))
	must(t, p.Keyboard().Up("Control"))
	must(t, expect.Locator(words).ToHaveText(regexp.MustCompile(`^4\.\d+.s$`)))
}

// Whoever works in the panel of a span by keyboard stays there, and goes back to
// the time line when it closes.
func TestTheFocusStaysWithASpan(t *testing.T) {
	p := twoBursts(t, serve(t))
	must(t, p.Keyboard().Down("Shift"))
	p.brush(0.06, 0.25)
	must(t, p.Keyboard().Up("Shift"))
	to := p.selected().GetByLabel("To")
	must(t, to.Fill("4s"))
	must(t, to.Press("Enter"))
	must(t, expect.Locator(p.selected()).ToContainText("28 requests sent"))
	must(t, expect.Locator(to).ToBeFocused())
	must(t, p.selected().GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Close"}).Press("Enter"))
	must(t, expect.Locator(p.Locator("[data-pick]")).ToBeFocused())
}

// The playhead is at hand wherever the view has gone.
func TestThePlayheadStaysAtHand(t *testing.T) {
	p := twoBursts(t, serve(t))
	head := p.GetByRole(*playwright.AriaRoleSlider, playwright.PageGetByRoleOptions{Name: "Instant shown"})
	must(t, head.Focus())
	for range 3 {
		must(t, p.Keyboard().Press("+"))
	}
	must(t, p.Keyboard().Press(","))
	must(t, p.Keyboard().Press(","))
	must(t, expect.Locator(head).ToBeFocused())
	must(t, expect.Locator(head).ToHaveClass(regexp.MustCompile("beside")))
	must(t, p.Keyboard().Press("PageDown"))
	p.clock("00:03.000")
	must(t, expect.Locator(head).ToBeFocused())
}
