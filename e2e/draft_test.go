//go:build e2e

package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

func (p *labPage) notation() playwright.Locator {
	return p.GetByLabel("Traffic notation", playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)})
}

func (p *labPage) writes(want string) {
	p.t.Helper()
	must(p.t, expect.Locator(p.notation()).ToHaveValue(want))
}

func (p *labPage) bar(name string) playwright.Locator {
	return p.region("Draft").GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: name, Exact: playwright.Bool(true)})
}

// drawn opens the drawing of an empty draft in a paused room.
func drawn(t *testing.T, options ...playwright.BrowserNewContextOptions) *labPage {
	t.Helper()
	p := serve(t).open("", options...).fresh()
	p.pause()
	p.press("Draw")
	must(t, expect.Locator(p.region("Draft")).ToBeVisible())
	return p
}

// drag moves the pointer from one place in the strip to another: parts of its
// width, and pixels from its top.
func (p *labPage) drag(fromX, fromY, toX, toY float64) {
	p.t.Helper()
	box := got[*playwright.Rect](p.t)(p.Locator("[data-strip]").BoundingBox())
	must(p.t, p.Mouse().Move(box.X+box.Width*fromX, box.Y+fromY))
	must(p.t, p.Mouse().Down())
	if fromX != toX || fromY != toY {
		must(p.t, p.Mouse().Move(box.X+box.Width*toX, box.Y+toY, playwright.MouseMoveOptions{Steps: playwright.Int(12)}))
	}
	must(p.t, p.Mouse().Up())
}

func TestBurstsAreDrawnByMouse(t *testing.T) {
	p := drawn(t)
	must(t, expect.Locator(p.region("Draft")).ToContainText("Click to place a burst."))
	p.drag(0.1, 40, 0.1, 40)
	p.writes("14@1s")
	p.drag(0.5, 40, 0.7, 40) // a new one is placed and moved at once
	p.writes("14@1s; 14@7s")
	must(t, expect.Locator(p.region("Draft")).ToContainText("28 requests"))
	// Along it moves, up it grows by half as many again for each 40 pixels.
	p.drag(0.105, 70, 0.205, 70)
	p.writes("14@2s; 14@7s")
	p.drag(0.205, 70, 0.205, 30)
	p.writes("28@2s; 14@7s")
	// Beside the strip it goes.
	p.drag(0.705, 70, 1.2, 70)
	p.writes("28@2s")
	// It can be undone and done again.
	p.press("Undo in the draft")
	p.writes("28@2s; 14@7s")
	p.press("Undo in the draft")
	p.writes("14@2s; 14@7s")
	p.press("Redo in the draft")
	p.press("Redo in the draft")
	p.writes("28@2s")
	// The draft is what is sent, and stays.
	must(t, p.region("Draft").GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Send", Exact: playwright.Bool(true)}).Click())
	p.command("step 5s")
	p.scores("token", 28, 10, 18, 0)
	p.writes("28@2s")
}

func TestRatesArePaintedByMouse(t *testing.T) {
	p := drawn(t)
	must(t, p.region("Draft").GetByRole(*playwright.AriaRoleRadio, playwright.LocatorGetByRoleOptions{Name: "Paint"}).Check())
	p.drag(0.21, 42, 0.39, 42)
	p.writes("20/s 2s..4s")
	p.drag(0.31, 82, 0.34, 82) // at the bottom it erases
	p.writes("20/s 2s..3s; 20/s 3.5s..4s")
	must(t, p.notation().Press("Control+z"))
	p.writes("20/s 2s..4s")
}

func TestTheDraftIsDrawnByKeyboard(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	must(t, p.notation().Fill("14@0s key=ann; random 4/s 0s..2s seed=1"))
	must(t, p.notation().Blur())
	must(t, p.Keyboard().Press("w"))
	bar := p.bar("Burst of 14 at +0 s")
	must(t, bar.Focus())
	for _, key := range []string{"ArrowRight", "Shift+ArrowRight", "ArrowUp", "Shift+ArrowUp"} {
		must(t, p.Keyboard().Press(key))
	}
	p.writes("25@1.1s key=ann; random 4/s 0s..2s seed=1")
	must(t, expect.Locator(p.bar("Burst of 25 at +1.1 s")).ToBeFocused())
	must(t, p.Keyboard().Press("Delete"))
	p.writes("random 4/s 0s..2s seed=1")
	must(t, p.Keyboard().Press("Control+z"))
	p.writes("25@1.1s key=ann; random 4/s 0s..2s seed=1")
	must(t, p.Keyboard().Press("Control+Shift+z"))
	p.writes("random 4/s 0s..2s seed=1")
	// Rates.
	must(t, p.region("Draft").GetByRole(*playwright.AriaRoleRadio, playwright.LocatorGetByRoleOptions{Name: "Bursts"}).Focus())
	must(t, p.Keyboard().Press("ArrowRight"))
	painter := p.region("Draft").GetByRole(*playwright.AriaRoleSlider)
	must(t, painter.Focus())
	for _, key := range []string{"ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp"} {
		must(t, p.Keyboard().Press(key))
	}
	p.writes("random 4/s 0s..2s seed=1; 5/s 0.25s..0.75s")
	must(t, expect.Locator(painter).ToHaveAttribute("aria-valuetext", "5 a second"))
	must(t, p.Keyboard().Press("w"))
	must(t, expect.Locator(p.region("Draft")).ToHaveCount(0))
}

func TestWhatIsWrittenIsDrawn(t *testing.T) {
	p := drawn(t)
	must(t, p.notation().Fill("3@2s; ramp 1/s..20/s 0s..5s"))
	must(t, expect.Locator(p.bar("Burst of 3 at +2 s")).ToBeVisible())
	must(t, expect.Locator(p.region("Draft")).ToContainText("56 requests"))
	must(t, p.notation().Fill("3@2s; ramp 1/s.20/s"))
	must(t, expect.Locator(p.region("Draft")).ToContainText("mistake in the notation"))
	p.press("Clear the draft")
	must(t, expect.Locator(p.bar("Burst of 3 at +2 s")).ToHaveCount(0))
	p.press("Undo in the draft")
	p.writes("3@2s; ramp 1/s.20/s")
	p.press("Undo in the draft")
	must(t, p.notation().Fill("7@1s"))
	must(t, expect.Locator(p.bar("Burst of 7 at +1 s")).ToBeVisible())
	// It survives a reload.
	_, err := p.Reload()
	must(t, err)
	p.live()
	p.writes("7@1s")
}

func TestTheDraftIsDrawnByTouch(t *testing.T) {
	p := drawn(t, playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true), IsMobile: playwright.Bool(true),
	})
	strip := p.Locator("[data-strip]")
	must(t, strip.ScrollIntoViewIfNeeded())
	box := got[*playwright.Rect](t)(strip.BoundingBox())
	must(t, p.Touchscreen().Tap(int(box.X+box.Width*0.3), int(box.Y+40)))
	p.writes("14@3s")
	cdp := got[playwright.CDPSession](t)(p.Context().NewCDPSession(p.Page))
	touch := func(kind string, x, y float64) {
		t.Helper()
		points := []map[string]any{}
		if kind != "touchEnd" {
			points = append(points, map[string]any{"x": box.X + x, "y": box.Y + y})
		}
		_, err := cdp.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points})
		must(t, err)
	}
	touch("touchStart", box.Width*0.3+4, 70)
	for i := range 8 {
		touch("touchMove", box.Width*(0.3+0.025*float64(i+1))+4, 70)
	}
	touch("touchEnd", 0, 0)
	p.writes("14@5s")
	if b := got[*playwright.Rect](t)(p.bar("Burst of 14 at +5 s").BoundingBox()); b.Width < 44 {
		t.Errorf("the bar is %g px wide", b.Width)
	}
	if wide := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); wide != 390 {
		t.Errorf("the page is %v px wide", wide)
	}
}

// What is being written is not thrown away by a click on the drawing.
func TestAMistakeInTheNotationIsMendedBeforeDrawing(t *testing.T) {
	p := drawn(t)
	must(t, p.notation().Fill("3@1s"))
	must(t, expect.Locator(p.bar("Burst of 3 at +1 s")).ToBeVisible())
	must(t, p.notation().Fill("3@1s; 4@"))
	must(t, expect.Locator(p.region("Draft")).ToContainText("Mend the mistake in the notation to draw on."))
	p.drag(0.5, 40, 0.5, 40)
	p.drag(0.105, 70, 0.205, 70)
	p.writes("3@1s; 4@")
	must(t, p.notation().PressSequentially("2s"))
	must(t, expect.Locator(p.bar("Burst of 4 at +2 s")).ToBeEnabled())
	p.drag(0.5, 40, 0.5, 40)
	p.writes("3@1s; 4@2s; 14@5s")
	// By keys everything is undone, and one goes on writing.
	undo := p.button("Undo in the draft")
	must(t, undo.Focus())
	for range 9 {
		if off := got[bool](t)(undo.IsDisabled()); off {
			break
		}
		must(t, p.Keyboard().Press("Enter"))
	}
	must(t, expect.Locator(p.notation()).ToBeFocused())
}
