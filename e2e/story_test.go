//go:build e2e

package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/views"
)

var titles = []string{"Token bucket", "Leaky bucket", "GCRA", "Fixed window", "Sliding log", "Sliding counter", "In progress"}

var policies = []string{"token", "leaky", "gcra", "fixed", "log", "counter", "in-progress"}

func TestThePageOpensWithAllSevenAtWork(t *testing.T) {
	p := serve(t).open("").live()
	for _, title := range titles {
		must(t, expect.Locator(p.region(title)).ToBeVisible())
	}
	// The quiet traffic of the first seconds: six requests, all served.
	for _, policy := range policies {
		p.scores(policy, 6, 6, 0, 0)
	}
}

func TestABurstOf14ByClick(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.burst().Click())
	for _, policy := range policies {
		p.scores(policy, 14, 10, 4, 0)
	}
	// The leaky bucket lets one out at once and the tenth 900 ms later.
	p.reads("leaky", "longest", "900 ms")
	p.reads("token", "longest", "0 ms")
}

func TestABurstOf14ByKeyboard(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.GetByLabel("Requests").Focus())
	must(t, p.Keyboard().Press("Control+A"))
	must(t, p.Keyboard().Type("14"))
	must(t, p.Keyboard().Press("Enter"))
	p.scores("token", 14, 10, 4, 0)
}

func TestARequestIsSeenClosely(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	p.inspect("13")
	article := p.request("13")
	must(t, expect.Locator(article.Locator("[data-verdict=token] .formula")).ToHaveText("tokens 0 < 1: refused"))
	response := article.GetByRole(*playwright.AriaRoleGroup, playwright.LocatorGetByRoleOptions{Name: "Response of Token bucket"})
	must(t, expect.Locator(response).ToContainText("429 Too Many Requests"))
	must(t, expect.Locator(response).ToContainText(`RateLimit: "token";r=0;t=1`))
	must(t, expect.Locator(response).ToContainText("Retry-After: 1"))
	field := response.Locator(".header-field").First()
	must(t, expect.Locator(field.Locator(".why")).ToHaveCSS("opacity", "0"))
	must(t, field.Focus())
	must(t, expect.Locator(field.Locator(".why")).ToHaveCSS("opacity", "1"))
	must(t, expect.Locator(field.Locator(".why")).ToHaveText("Try again in 1 s: the exact wait in whole seconds, rounded up."))
	must(t, article.GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "Earlier request"}).Click())
	must(t, expect.Locator(p.request("12")).ToBeVisible())
}

func TestPauseStepAndPlay(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	p.command("send 1@1s x3 every 1s")
	p.scores("token", 0, 0, 0, 0)
	p.press("Step to the next request")
	p.scores("token", 1, 1, 0, 0)
	for range 10 {
		p.press("Step 100 ms")
	}
	p.scores("token", 2, 2, 0, 0)
	p.press("Play")
	p.scores("token", 3, 3, 0, 0)
}

// Everything that the page says of its keys, with no field in use.
func TestTheKeysDoWhatThePageSays(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	clock := p.Locator("[data-clock]")
	must(t, clock.Click()) // takes the focus from the button
	must(t, p.Keyboard().Press("Space"))
	must(t, p.Keyboard().Press("Space"))
	p.scores("token", 2, 2, 0, 0)
	before := got[string](t)(clock.InnerText())
	must(t, p.Keyboard().Press("Shift+ArrowRight"))
	must(t, expect.Locator(clock).Not().ToHaveText(before))
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(p.request("1")).ToBeVisible())
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(p.request("0")).ToBeVisible())
	must(t, p.Keyboard().Press("ArrowRight"))
	must(t, expect.Locator(p.request("1")).ToBeVisible())
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.request("1")).ToHaveCount(0))
	// In a field the same keys write.
	must(t, p.GetByLabel("Traffic notation").Focus())
	must(t, p.Keyboard().Type("1@0s key=a b"))
	must(t, p.Keyboard().Press("Shift+ArrowRight"))
	must(t, expect.Locator(p.GetByLabel("Traffic notation")).ToHaveValue("1@0s key=a b"))
	p.scores("token", 2, 2, 0, 0)
}

func TestAReaderByKeyboardIsLedToThePanelAndBack(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	must(t, p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "13", Exact: playwright.Bool(true)}).Press("Enter"))
	must(t, expect.Locator(p.request("13")).ToBeVisible())
	must(t, p.Keyboard().Press("Tab"))
	must(t, expect.Locator(p.request("13").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "Earlier request"})).ToBeFocused())
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleSlider, playwright.PageGetByRoleOptions{Name: "Chosen request"})).ToBeFocused())
}

func TestThePageSaysWhatItShowsAndWhatNot(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	levels := p.Locator("[data-levels]")
	must(t, expect.Locator(levels).ToBeHidden())
	p.command("send 3@0s key=ann; 1@1ms")
	p.command("step 10ms")
	must(t, expect.Locator(levels).ToHaveText("levels of key ann"))
	missed := p.Locator("[data-missed]")
	must(t, expect.Locator(missed).ToBeHidden())
	// The first of them comes alone; the others are more than a frame holds.
	p.command("send 5000@0s every 1ms")
	p.command("step 10s")
	must(t, expect.Locator(missed).ToHaveText("2,999 older requests are no longer shown"))
	p.press("Reset")
	must(t, expect.Locator(levels).ToBeHidden())
	must(t, expect.Locator(missed).ToBeHidden())
}

func TestAMistakeInTheComposerIsToldAtItsField(t *testing.T) {
	p := serve(t).open("").fresh()
	for _, c := range []struct{ label, text, press, want string }{
		{"Requests", "abc", "Send a burst", "Requests: “abc”; expected a whole number, such as 14"},
		{"Requests", "", "Send a burst", "Requests is empty; expected a whole number, such as 14"},
		{"One every", "5", "Send a burst", "One every: “5”; expected a time, such as 0s or 20ms"},
		{"Steady rate", "20", "Start", "Steady rate: “20”; expected a rate, such as 4/s"},
	} {
		input := p.GetByLabel(c.label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)})
		usual := got[string](t)(input.InputValue())
		must(t, input.Fill(c.text))
		must(t, p.Locator("button[data-send]").Filter(playwright.LocatorFilterOptions{HasText: c.press}).Click())
		must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleAlert)).ToHaveText(c.want))
		must(t, expect.Locator(input).ToBeFocused())
		must(t, expect.Locator(input).ToHaveAttribute("aria-invalid", "true"))
		must(t, input.Fill(usual))
	}
	must(t, p.burst().Click())
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleAlert)).ToHaveCount(0))
	p.scores("token", 14, 10, 4, 0)
}

func TestThePageSaysWhatItWaitsForAndJumpsThere(t *testing.T) {
	p := serve(t).open("").fresh()
	p.command("send 2@1h; 1@2h")
	ahead := p.Locator("[data-ahead]")
	must(t, expect.Locator(ahead).ToHaveText(regexp.MustCompile(`^3.requests to come, the next at 1:00:\d\d\.\d{3}$`)))
	p.press("Jump there")
	p.scores("token", 2, 2, 0, 0)
	must(t, expect.Locator(ahead).ToHaveText(regexp.MustCompile(`^1.request to come, the next at 2:00:\d\d\.\d{3}$`)))
	p.press("Jump there")
	p.scores("token", 3, 3, 0, 0)
	must(t, expect.Locator(ahead).ToBeHidden())
}

// A click must not keep the keys of the page from whoever goes on by keyboard.
func TestTheKeysWorkAfterAClick(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	must(t, p.Keyboard().Press("Space"))
	p.reads("fixed", "sent", "15")
	p.inspect("13")
	must(t, expect.Locator(p.request("13")).ToBeVisible())
	must(t, p.Keyboard().Press("ArrowLeft"))
	must(t, expect.Locator(p.request("12")).ToBeVisible())
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(p.request("12")).ToHaveCount(0))
}

func TestDifferencesAreCountedAndJumpedThrough(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	// Of a burst of 14 the leaky bucket delays nine that the others let through, and
	// the limit on requests in progress passes four, which take no time, that the
	// others refuse.
	p.command("send 1@0s; 14@1s; 1@3s")
	p.command("step 4s")
	must(t, expect.Locator(p.Locator("[data-differing]")).ToHaveText("13"))
	p.press("Later difference") // none chosen: the first
	must(t, expect.Locator(p.request("2")).ToBeVisible())
	must(t, p.Keyboard().Press("Escape"))
	p.press("Earlier difference") // none chosen: the newest
	must(t, expect.Locator(p.request("14")).ToBeVisible())
	must(t, expect.Locator(p.Locator("[data-announce]")).ToContainText("Request 14 at"))
	must(t, p.Keyboard().Press("Shift+D"))
	must(t, expect.Locator(p.request("13")).ToBeVisible())
	must(t, p.Keyboard().Press("d"))
	must(t, expect.Locator(p.request("14")).ToBeVisible())
	must(t, p.Keyboard().Press("d"))
	must(t, expect.Locator(p.Locator("[data-announce]")).ToHaveText("The policies agree on all later requests."))
	must(t, expect.Locator(p.request("14")).ToBeVisible())
}

func TestTheKeysAreShown(t *testing.T) {
	p := serve(t).open("").fresh()
	dialog := p.GetByRole(*playwright.AriaRoleDialog, playwright.PageGetByRoleOptions{Name: "Keys"})
	must(t, p.Keyboard().Press("Shift+?"))
	must(t, expect.Locator(dialog).ToContainText("sends one request"))
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(dialog).ToBeHidden())
	p.press("Keys")
	must(t, expect.Locator(dialog).ToBeVisible())
	must(t, dialog.GetByRole(*playwright.AriaRoleButton).Click())
	must(t, expect.Locator(dialog).ToBeHidden())
	p.scores("token", 0, 0, 0, 0)
}

func TestTheTimeLineIsZoomedAndMovedByWheel(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	span, follow := p.Locator("[data-span]"), p.button("Follow")
	track := p.Locator("[data-track=lane]").First()
	must(t, track.Hover())
	must(t, p.Keyboard().Down("Control"))
	must(t, p.Mouse().Wheel(0, -100))
	must(t, expect.Locator(span).ToHaveText("7.79 s"))
	must(t, p.Mouse().Wheel(0, 100))
	must(t, p.Mouse().Wheel(0, 100))
	must(t, expect.Locator(span).ToHaveText("12.8 s"))
	must(t, p.Keyboard().Up("Control"))
	must(t, expect.Locator(follow).ToHaveAttribute("aria-pressed", "true"))
	must(t, p.Mouse().Wheel(120, 0))
	must(t, expect.Locator(follow).ToHaveAttribute("aria-pressed", "false"))
	must(t, follow.Click())
	must(t, expect.Locator(follow).ToHaveAttribute("aria-pressed", "true"))
}

func TestTheLineForATerminalNamesAPolicy(t *testing.T) {
	p := serve(t).open("").fresh()
	terminal := p.Locator("#curl")
	must(t, expect.Locator(terminal.Locator("code:visible").First()).ToContainText("policy=token"))
	_, err := p.GetByLabel("Answered by").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("Sliding log")})
	must(t, err)
	must(t, expect.Locator(terminal.Locator("code:visible").First()).ToContainText("policy=log"))
	// The policies change, and the line stays.
	p.command(`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":3,"per":"1s"},{"name":"other","algorithm":"gcra","limit":3,"per":"1s","burst":3}]}`)
	must(t, expect.Locator(p.region("other")).ToBeVisible())
	must(t, expect.Locator(terminal.Locator("code:visible").First()).ToContainText("policy=log"))
}

func TestTheNotationIsCheckedWhileItIsWritten(t *testing.T) {
	p := serve(t).open("").fresh()
	box := p.GetByLabel("Traffic notation")
	note := p.Locator("#notation-note")
	must(t, box.Fill("14@0s; 4/s 1s.3s"))
	must(t, expect.Locator(note).ToContainText("Column"))
	must(t, box.Fill("14@0s; 4/s 1s..3s"))
	must(t, expect.Locator(note).ToContainText("22 requests"))
	p.press("Send")
	p.scores("token", 22, 18, 4, 0)
}

func TestALimitIsChangedOnThePage(t *testing.T) {
	p := serve(t).open("").fresh()
	lane := p.region("Sliding log")
	must(t, lane.Locator("summary").Click())
	form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of Sliding log"})
	limit := form.GetByLabel("Limit")
	must(t, limit.Fill("0"))
	must(t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Apply"}).Click())
	must(t, expect.Locator(form).ToContainText("out of range"))
	must(t, limit.Fill("3"))
	must(t, form.GetByLabel("Same budget for all policies").Uncheck())
	must(t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Apply"}).Click())
	must(t, expect.Locator(lane.Locator("[data-level]")).ToContainText("of 3"))
	must(t, p.burst().Click())
	p.scores("log", 14, 3, 11, 0)
	p.scores("token", 14, 10, 4, 0)
}

func TestPoliciesAreMovedAndShareABudget(t *testing.T) {
	p := serve(t).open("").fresh()
	open := func(title string) playwright.Locator {
		must(t, p.region(title).Locator("summary").Click())
		return p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of " + title})
	}
	form := open("Leaky bucket")
	must(t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Move Leaky bucket up"}).Click())
	must(t, expect.Locator(p.Locator("[data-lane]").First()).ToHaveAttribute("data-lane", "leaky"))
	form = open("GCRA")
	must(t, form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Fill("3"))
	must(t, form.GetByLabel("Same budget for all policies").Check())
	must(t, form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Press("Enter"))
	for _, title := range []string{"Fixed window", "Sliding log"} {
		must(t, expect.Locator(p.region(title).Locator("[data-level]")).ToContainText("of 3"))
	}
	must(t, expect.Locator(p.region("In progress").Locator("[data-level]")).ToContainText("of 10"))
}

func TestTwoBrowsersInOneRoomSeeTheSame(t *testing.T) {
	s := serve(t)
	teacher := s.open("").fresh()
	other := got[playwright.Browser](t)(launch())
	t.Cleanup(func() { other.Close() })
	student := &labPage{t, s.visitorIn(other)}
	student.visit(teacher.room())
	student.live()
	for _, p := range []*labPage{teacher, student} {
		must(t, expect.Locator(p.Locator("[data-viewers]")).ToHaveText("2 here"))
	}
	must(t, teacher.burst().Click())
	must(t, student.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: "Send one"}).Click())
	for _, p := range []*labPage{teacher, student} {
		must(t, expect.Locator(p.score("fixed", "sent")).ToHaveText("15"))
	}
	teacher.pause()
	must(t, expect.Locator(student.button("Play")).ToBeVisible())
	for _, policy := range policies {
		for _, cell := range []string{"sent", "served", "refused", "busiest", "longest"} {
			want := got[string](t)(teacher.score(policy, cell).InnerText())
			if err := expect.Locator(student.score(policy, cell)).ToHaveText(want); err != nil {
				t.Errorf("%s %s: %v", policy, cell, err)
			}
		}
	}
}

func TestAReloadInMidRunShowsWhereThingsStand(t *testing.T) {
	p := serve(t).open("").fresh()
	p.command("send 10/s 0s..10s")
	must(t, expect.Locator(p.score("token", "sent")).ToHaveText(regexp.MustCompile(`^[1-9]\d$`)))
	room := p.room()
	_, err := p.Reload()
	must(t, err)
	if p.room() != room {
		t.Errorf("a reload led to %s; expected %s", p.room(), room)
	}
	p.live()
	p.scores("token", 100, 100, 0, 0)
}

func TestALostConnectionIsTakenUpAgain(t *testing.T) {
	s := serve(t)
	p := &labPage{t, s.visitor()}
	// The test stands between page and server, and can cut the line.
	sockets := make(chan playwright.WebSocketRoute, 16)
	must(t, p.RouteWebSocket("**/socket**", func(route playwright.WebSocketRoute) {
		if _, err := route.ConnectToServer(); err != nil {
			t.Error(err)
		}
		sockets <- route
	}))
	p.visit(s.url)
	p.fresh()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	(<-sockets).Close()
	p.command("send 1@0s")
	(<-sockets).OnClose(func(*int, *string) {}) // the page has come back
	p.live()
	must(t, expect.Locator(p.score("fixed", "sent")).ToHaveText("15"))
	must(t, p.burst().Click())
	must(t, expect.Locator(p.score("fixed", "sent")).ToHaveText("29"))
}

func TestAnEndedRoomSaysSoAndOffersAnother(t *testing.T) {
	s := serve(t)
	p := &labPage{t, s.visitor()}
	p.losing()
	p.visit(s.url)
	words := p.Locator("[data-state-words=gone]")
	must(t, expect.Locator(words).ToContainText("This room has ended."))
	for _, name := range []string{"Pause", "Reset", "Send"} {
		must(t, expect.Locator(p.button(name)).ToBeDisabled())
	}
	must(t, expect.Locator(p.Locator("[data-share]")).ToHaveAttribute("inert", ""))
	must(t, p.Keyboard().Press("Space"))
	must(t, p.UnrouteAll())
	room := p.room()
	must(t, words.GetByRole(*playwright.AriaRoleLink).Click())
	if p.live(); p.room() == room {
		t.Errorf("the new room is the one that has ended")
	}
}

func TestTheEndpointBesideAnOpenPage(t *testing.T) {
	p := serve(t).open("").fresh()
	line := got[string](t)(p.Locator("[data-curl=token]").First().InnerText())
	_, address, found := strings.Cut(line, "'")
	address, _, _ = strings.Cut(address, "'")
	if !found || !strings.HasPrefix(line, "curl -i ") {
		t.Fatalf("the curl line is %q", line)
	}
	var statuses []int
	for range 14 {
		resp, err := http.Get(address)
		must(t, err)
		resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
	}
	if statuses[0] != http.StatusOK || statuses[13] != http.StatusTooManyRequests {
		t.Errorf("statuses %v; expected 200 first and 429 last", statuses)
	}
	must(t, expect.Locator(p.score("token", "sent")).ToHaveText("14"))
	refused := 0
	for _, status := range statuses {
		if status == http.StatusTooManyRequests {
			refused++
		}
	}
	must(t, expect.Locator(p.score("token", "refused")).ToHaveText(views.Count(int64(refused))))
}

func TestThePageWorksWithoutScript(t *testing.T) {
	s := serve(t)
	p := s.open("", playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false)})
	p.press("Pause")
	p.press("Reset")
	for _, useless := range []string{"Share", "Follow", "Zoom in"} {
		must(t, expect.Locator(p.button(useless)).ToHaveCount(0))
	}
	must(t, expect.Locator(p.GetByLabel("Theme")).ToBeHidden())
	must(t, expect.Locator(p.Locator("#curl code:visible").Filter(playwright.LocatorFilterOptions{HasText: "curl"})).ToHaveCount(len(policies)))
	// What was written stands there again when it is refused.
	count := p.GetByLabel("Requests", playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)})
	must(t, count.Fill("many"))
	must(t, p.burst().Click())
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleAlert).First()).ToContainText("many"))
	must(t, expect.Locator(count).ToHaveValue("many"))
	must(t, count.Fill("14"))
	must(t, p.burst().Click())
	for _, policy := range policies {
		p.scores(policy, 14, 10, 4, 0)
	}
	must(t, expect.Locator(p.region("Decisions").GetByRole(*playwright.AriaRoleRow)).ToHaveCount(15))
	p.inspect("13")
	must(t, expect.Locator(p.Locator("body")).ToContainText("429 Too Many Requests"))
}
