//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// answer is what a policy said of the chosen request, in full.
func (p *labPage) answer(title string) playwright.Locator { return p.region("Answer of " + title) }

// verdict opens what a policy said of the chosen request.
func (p *labPage) verdict(title string) playwright.Locator {
	return p.GetByRole(*playwright.AriaRoleList, playwright.PageGetByRoleOptions{Name: "What each policy said"}).
		GetByRole(*playwright.AriaRoleLink).Filter(playwright.LocatorFilterOptions{HasText: title})
}

func radio(in playwright.Locator, name string) playwright.Locator {
	return in.GetByRole(*playwright.AriaRoleRadio, playwright.LocatorGetByRoleOptions{Name: name})
}

func group(in playwright.Locator, name string) playwright.Locator {
	return in.GetByRole(*playwright.AriaRoleGroup, playwright.LocatorGetByRoleOptions{Name: name, Exact: playwright.Bool(true)})
}

// fields waits until exactly these header fields show, by their names.
func (p *labPage) fields(response playwright.Locator, names ...string) {
	p.t.Helper()
	must(p.t, expect.Locator(response.Locator("b:visible")).ToHaveText(names))
}

var (
	ietfRefusal  = []string{"Retry-After:", "RateLimit-Policy:", "RateLimit:", "Cache-Control:", "Content-Type:"}
	olderRefusal = []string{"Retry-After:", "X-RateLimit-Limit:", "X-RateLimit-Remaining:", "X-RateLimit-Reset:", "Cache-Control:", "Content-Type:"}
)

// burstAt0 stops the room after 14 requests at lab time 0.
func (p *labPage) burstAt0() {
	p.t.Helper()
	p.pause()
	p.press("Reset")
	p.command("send 14@0s service=500ms")
	p.command("step 1ms")
	p.scores("token", 14, 10, 4, 0)
}

func TestTheDialectIsSwitchedAndStays(t *testing.T) {
	p := serve(t).open("").fresh()
	p.burstAt0()
	p.inspect("13")
	token := p.answer("Token bucket")
	response := group(token, "Response of Token bucket")
	p.fields(response, ietfRefusal...)

	// By mouse; the next key means the page again.
	must(t, radio(token, "Epoch").Check())
	p.fields(response, olderRefusal...)
	must(t, expect.Locator(token).ToContainText("Lab time 0 was at "))
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(p.request("12")).ToBeVisible())
	p.fields(response, olderRefusal...)
	reset := response.Locator(".header-field[data-in=epoch]")
	must(t, reset.Focus())
	must(t, expect.Locator(reset.Locator(".why")).ToHaveCSS("opacity", "1"))
	must(t, expect.Locator(reset.Locator(".why")).ToContainText("whole seconds since 1970"))

	// By keyboard; the focus stays on the choice, from request to request too.
	must(t, radio(token, "Epoch").Focus())
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(radio(token, "Seconds left")).ToBeChecked())
	must(t, expect.Locator(radio(token, "Seconds left")).ToBeFocused())
	p.fields(response, olderRefusal...)
	must(t, expect.Locator(response).ToContainText("X-RateLimit-Reset: 1"))
	must(t, expect.Locator(reset).ToBeHidden())

	// With another policy, and after a reload.
	must(t, p.verdict("Sliding log").Press("Enter"))
	log := p.answer("Sliding log")
	must(t, expect.Locator(token).ToBeHidden())
	must(t, expect.Locator(radio(log, "Seconds left")).ToBeChecked())
	p.fields(group(log, "Response of Sliding log"), olderRefusal...)
	must(t, p.request("12").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "Earlier request"}).Press("Enter"))
	must(t, expect.Locator(p.request("11")).ToBeVisible())
	must(t, expect.Locator(log).ToBeVisible())
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Earlier request"})).ToBeFocused())
	_, err := p.Reload()
	must(t, err)
	p.live()
	p.inspect("13")
	must(t, expect.Locator(radio(token, "Seconds left")).ToBeChecked())
	p.fields(response, olderRefusal...)
	must(t, radio(token, "Seconds left").Focus())
	must(t, p.Keyboard().Press("ArrowLeft"))
	p.fields(response, ietfRefusal...)
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.request("13")).ToHaveCount(0))
}

func TestTheInspectorSaysWhenARequestPasses(t *testing.T) {
	p := serve(t).open("").fresh()
	p.burstAt0()
	p.inspect("13")
	for title, want := range map[string]string{
		"Token bucket": "Would have passed at 00:00.100, 100\u00a0ms later.",
		"Leaky bucket": "Would have passed at 00:00.000000001, 1\u00a0ns later.",
		"Fixed window": "Would have passed at 00:01.000, 1\u00a0s later.",
		"In progress":  "Would have passed at 00:00.500, 500\u00a0ms later.",
	} {
		must(t, p.verdict(title).Click())
		must(t, expect.Locator(p.answer(title)).ToContainText(want))
	}
	// By keys the answers are opened one after another.
	must(t, p.verdict("Token bucket").Press("Enter"))
	must(t, p.Keyboard().Press("ArrowDown"))
	must(t, expect.Locator(p.verdict("Leaky bucket")).ToBeFocused())
	must(t, expect.Locator(p.answer("Leaky bucket")).ToBeVisible())
	must(t, p.Keyboard().Press("ArrowUp"))
	must(t, p.Keyboard().Press("ArrowUp"))
	must(t, expect.Locator(p.verdict("Token bucket")).ToBeFocused())
	must(t, expect.Locator(p.answer("Token bucket")).ToBeVisible())
	p.inspect("9")
	must(t, p.verdict("Leaky bucket").Click())
	must(t, expect.Locator(p.answer("Leaky bucket")).ToContainText("Waits 900\u00a0ms, leaves at 00:00.900."))
	p.command("send 1@0s cost=11")
	p.command("step 1ms")
	p.inspect("14")
	must(t, p.verdict("Sliding log").Click())
	must(t, expect.Locator(p.answer("Sliding log")).ToContainText("Costs 11; at most 10 can ever pass at once, whatever the wait. A limit of 11 or more would let it pass, or a cost of 10 or less."))
}

func TestTheRequestIsCopiedAsCurl(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.Context().GrantPermissions([]string{"clipboard-read", "clipboard-write"}))
	p.pause()
	p.command(`send 1@0s key="O'Neil & 漢字" cost=2`)
	p.command("step 1ms")
	p.inspect("0")
	must(t, p.verdict("Sliding log").Click())
	answer := p.answer("Sliding log")
	must(t, radio(answer, "Seconds left").Check())
	target := strings.TrimPrefix(p.room(), "http://")
	target = target[strings.Index(target, "/"):] + "/hit?policy=log&key=O%27Neil+%26+%E6%BC%A2%E5%AD%97&cost=2&dialect=seconds"
	must(t, expect.Locator(group(answer, "Request to Sliding log").Locator(".header-line:visible").First()).
		ToHaveText("GET "+target+" HTTP/1.1", playwright.LocatorAssertionsToHaveTextOptions{UseInnerText: playwright.Bool(true)}))
	must(t, answer.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Copy the curl line for Sliding log"}).Click())
	must(t, expect.Locator(p.Locator("[data-toast]")).ToHaveText("The curl line is copied"))
	line := got[any](t)(p.Evaluate("navigator.clipboard.readText()")).(string)
	origin := strings.TrimSuffix(p.room(), p.room()[strings.Index(p.room(), "/r/"):])
	if want := "curl -i '" + origin + target + "'"; line != want {
		t.Fatalf("copied %s\nwant   %s", line, want)
	}
	if out, err := exec.Command("sh", "-c", line).Output(); err == nil {
		if !strings.Contains(string(out), "X-RateLimit-Remaining: 6") {
			t.Errorf("curl got %s", out)
		}
	} else { // there is no curl here
		resp, err := http.Get(origin + target)
		must(t, err)
		resp.Body.Close()
		if got := resp.Header.Get("X-RateLimit-Remaining"); got != "6" {
			t.Errorf("the endpoint says %q", got)
		}
	}
	p.inspect("1")
	must(t, expect.Locator(p.request("1").Locator(".facts")).ToContainText("O'Neil & 漢字"))
	must(t, expect.Locator(p.request("1").Locator(".facts")).ToContainText("cost2"))
}

func TestWithoutScriptTheDialectsAreLinks(t *testing.T) {
	s := serve(t)
	p := s.open("").fresh()
	p.burstAt0()
	plain := &labPage{t, s.visitor(playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false)})}
	plain.visit(p.room() + "/requests/13")
	link := func(name string) playwright.Locator {
		return plain.GetByRole(*playwright.AriaRoleNavigation, playwright.PageGetByRoleOptions{Name: "Header fields"}).
			GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: name})
	}
	plain.fields(group(plain.answer("Token bucket"), "Response of Token bucket"), ietfRefusal...)
	must(t, link("Epoch").Click())
	plain.fields(group(plain.answer("Token bucket"), "Response of Token bucket"), olderRefusal...)
	must(t, plain.verdict("Sliding log").Click())
	plain.fields(group(plain.answer("Sliding log"), "Response of Sliding log"), olderRefusal...)
	must(t, expect.Locator(link("Epoch")).ToHaveAttribute("aria-current", "true"))
	must(t, plain.GetByRole(*playwright.AriaRoleLink, playwright.PageGetByRoleOptions{Name: "Earlier request"}).Click())
	must(t, expect.Locator(plain.request("12")).ToBeVisible())
	must(t, expect.Locator(plain.answer("Sliding log")).ToBeVisible())
	must(t, link("IETF draft").Click())
	plain.fields(group(plain.answer("Sliding log"), "Response of Sliding log"), ietfRefusal...)
}

func TestTheInspectorByTouch(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: 390, Height: 844}, HasTouch: playwright.Bool(true), IsMobile: playwright.Bool(true),
	}).fresh()
	p.burstAt0()
	must(t, p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "13", Exact: playwright.Bool(true)}).Tap())
	must(t, expect.Locator(p.request("13")).ToBeVisible())
	must(t, p.verdict("Fixed window").Tap())
	fixed := p.answer("Fixed window")
	must(t, expect.Locator(fixed.Locator(".earliest")).ToBeInViewport())
	must(t, radio(fixed, "Epoch").Tap())
	response := group(fixed, "Response of Fixed window")
	p.fields(response, olderRefusal...)
	reset := response.Locator(".header-field[data-in=epoch]")
	must(t, reset.Tap())
	must(t, expect.Locator(reset.Locator(".why")).ToHaveCSS("opacity", "1"))
	for _, small := range []playwright.Locator{radio(fixed, "IETF draft").Locator(".."), p.verdict("GCRA"), reset, response.Locator("summary")} {
		if box := got[*playwright.Rect](t)(small.BoundingBox()); box.Height < 44 {
			t.Errorf("%v is %v px high; expected 44 for a finger", small, box.Height)
		}
	}
	if width := got[any](t)(p.Evaluate("document.documentElement.scrollWidth")); width != 390 {
		t.Errorf("the page is %v px wide on a phone of 390 px", width)
	}
}

func TestAxeFindsNothingOnARequestsPage(t *testing.T) {
	rules, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal("axe-core is missing; `make e2e` sets it up: ", err)
	}
	for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
		s := serve(t)
		p := s.open("", playwright.BrowserNewContextOptions{ColorScheme: scheme}).fresh()
		p.burstAt0()
		p.visit(p.room() + "/requests/13?policy=log&dialect=epoch")
		must(t, p.answer("Sliding log").Locator("summary").Click())
		for _, v := range p.violations(string(rules)) {
			t.Errorf("%s: %s: %s\n%.1500s", *scheme, v.Rule, v.Help, v.Nodes)
		}
	}
}
