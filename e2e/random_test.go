//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Another way through the page, or a longer one:
//
//	make e2e E2EFLAGS="-run TestRandomUse ./e2e -args -use.seed=7 -use.steps=2000"
var (
	useSeed  = flag.Uint64("use.seed", 1, "seed of the random use of the page")
	useSteps = flag.Int("use.steps", 120, "number of things that the random user does")
)

// control is something on the page that can be used now.
type control struct {
	Index int    // among all that the selector finds
	Kind  string // tag, or "field" for what takes text
	Name  string
	// Options are a list's values.
	Options []string
}

// usable is what a person might use, found by what it is: whatever is added to
// the page is used too.
const usable = `button, summary, select, textarea, a[href], input, [tabindex="0"]`

// offered finds what can be used now: seen, not disabled, and neither leading out
// of the room nor, of those that are asked about the machine, copying.
const offered = `() => {
	const inside = document.querySelector("dialog[open]") ?? document;
	const room = location.pathname.split("/").slice(0, 3).join("/");
	return JSON.stringify([...document.querySelectorAll(` + "`" + usable + "`" + `)].map((e, Index) => ({e, Index}))
		.filter(({e}) => inside.contains(e) && e.checkVisibility({visibilityProperty: true}) && !e.disabled && !e.closest(".unseen, .skip"))
		.filter(({e}) => !(e instanceof HTMLAnchorElement) || (!e.hasAttribute("download") && (e.pathname === room || e.pathname.startsWith(room + "/")) && e.origin === location.origin))
		.map(({e, Index}) => ({
			Index,
			Kind: e.matches("textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file])") ? "field" : e.localName,
			Name: (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || e.name || "").trim().replace(/\s+/g, " ").slice(0, 60),
			Options: e instanceof HTMLSelectElement ? [...e.options].filter(o => !o.disabled).map(o => o.value) : [],
		})));
}`

// written is what the random user writes: some of it belongs into any field.
var written = []string{
	"14", "1", "3", "0", "0s", "20ms", "1s", "4/s", "50/s", "ann", "10", "", "many", "-1", "5s", "99999999999999999999",
	"14@0s; 4/s 0s..2s", "3@0s key=ann cost=2", "14@", "edge 10 per 1s at 2s", "ünï \"<b>", "token", "2.5",
}

var pressed = []string{
	"Space", "ArrowLeft", "ArrowRight", "Shift+ArrowRight", "Escape", "d", "Shift+D", "Home", "End", "PageUp", "PageDown",
	"Tab", "Tab", "Tab", "Shift+Tab", "Enter", "?", "+", "-", "0", ",", ".", "b", "w", "Shift+ArrowLeft", "Control+z",
}

// given are commands that somebody else in the room gives.
var given = []string{
	"send 14@0s", "send 6@0s every 30ms key=bob cost=2", "stream 20/s", "stop", "reset", "pause", "resume", "pace 1", "pace 2", "step 100ms",
	`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":5,"per":"1s"},{"name":"leaky","algorithm":"leaky-bucket","limit":4,"per":"1s","queue":4}]}`,
}

var roomAddress = regexp.MustCompile(`/r/[A-Z0-9-]+$`)

// user uses a page at random.
type user struct {
	*labPage
	random *rand.Rand
	wire   *wire
	at     string // the room's address
	missed int    // what could not be used after all, because something covered it or it went away
}

func (u *user) pick(list []string) string { return list[u.random.IntN(len(list))] }

// quick bounds how long one use waits for what it needs.
var quick = playwright.Float(1500)

// step does one thing and says what, and whether by keyboard.
func (u *user) step() (what string, byKeys bool) {
	u.t.Helper()
	switch n := u.random.IntN(100); {
	case n < 55:
		return u.use()
	case n < 75:
		key := u.pick(pressed)
		must(u.t, u.Keyboard().Press(key))
		// Beyond the last control of the page Tab goes to the browser's own.
		return "the key " + key, !strings.HasSuffix(key, "Tab")
	case n < 85:
		return u.onTheTimeLine(), false
	case n < 93:
		command := u.pick(given)
		u.somebody(command)
		return "somebody’s " + command, false
	case n < 97:
		u.cutAndBack(u.wire, nil)
		return "a cut of the line", false
	default:
		_, err := u.Reload()
		must(u.t, err)
		u.live()
		return "a reload", false
	}
}

// use takes a control of the page and uses it as such controls are used.
func (u *user) use() (what string, byKeys bool) {
	u.t.Helper()
	var controls []control
	must(u.t, json.Unmarshal([]byte(got[any](u.t)(u.Evaluate(offered)).(string)), &controls))
	if len(controls) == 0 {
		u.t.Fatal("the page offers nothing that can be used")
	}
	c := controls[u.random.IntN(len(controls))]
	at := u.Locator(usable).Nth(c.Index)
	var err error
	switch {
	case c.Kind == "select":
		_, err = at.SelectOption(playwright.SelectOptionValues{Values: &[]string{u.pick(c.Options)}}, playwright.LocatorSelectOptionOptions{Timeout: quick})
		what = "choosing in"
	case c.Kind == "field":
		text := u.pick(written)
		what = fmt.Sprintf("writing %q into", text)
		if err = at.Fill(text, playwright.LocatorFillOptions{Timeout: quick}); err == nil && u.random.IntN(2) == 0 {
			what, byKeys = what+" and Enter in", true
			err = at.Press("Enter", playwright.LocatorPressOptions{Timeout: quick})
		}
	case u.random.IntN(3) == 0:
		what, byKeys = "Enter on", true
		err = at.Press("Enter", playwright.LocatorPressOptions{Timeout: quick})
	default:
		what = "a click on"
		err = at.Click(playwright.LocatorClickOptions{Timeout: quick})
	}
	what += fmt.Sprintf(" %s %q", c.Kind, c.Name)
	if err != nil {
		u.missed++
		what, byKeys = what+" (in vain)", false
	}
	return what, byKeys
}

// countPosts runs before the page's own scripts: posts tells how many forms are
// on their way. What has made a room leads there, and stays on its way until then.
const countPosts = `{
	const own = window.fetch;
	let n = 0;
	window.posts = () => n;
	window.fetch = async (...asked) => {
		const post = asked[1]?.method === "POST";
		if (post) n++;
		let made = false;
		try {
			const answer = await own(...asked);
			made = answer.status === 201;
			return answer;
		} finally {
			if (post && !made) n--;
		}
	};
}`

// settle waits until what was done has come to its end, on this page or another.
func (u *user) settle() {
	u.t.Helper()
	const over = `async () => {
		for (const until = performance.now() + 5000; window.posts() > 0 && performance.now() < until;) await new Promise(done => setTimeout(done, 10));
	}`
	var err error
	for range 5 {
		if _, err = u.Evaluate(over); err == nil || !strings.Contains(err.Error(), "context was destroyed") {
			break
		}
		if err = u.WaitForLoadState(); err != nil {
			break
		}
	}
	must(u.t, err)
}

// onTheTimeLine clicks, drags or turns the wheel there.
func (u *user) onTheTimeLine() string {
	u.t.Helper()
	box, err := u.Locator("[data-track=lane]").First().BoundingBox()
	must(u.t, err)
	if box == nil {
		return "nothing"
	}
	x := func() float64 { return box.X + box.Width*u.random.Float64() }
	y := box.Y + box.Height*u.random.Float64()
	must(u.t, u.Mouse().Move(x(), y))
	switch u.random.IntN(4) {
	case 0:
		must(u.t, u.Mouse().Wheel(400*(u.random.Float64()-0.5), 0))
		return "a sideways wheel"
	case 1:
		must(u.t, u.Keyboard().Down("Control"))
		must(u.t, u.Mouse().Wheel(0, []float64{-100, 100}[u.random.IntN(2)]))
		must(u.t, u.Keyboard().Up("Control"))
		return "a zoom by wheel"
	case 2:
		must(u.t, u.Mouse().Down())
		must(u.t, u.Mouse().Move(x(), y))
		must(u.t, u.Mouse().Up())
		return "a drag"
	default:
		must(u.t, u.Mouse().Down())
		must(u.t, u.Mouse().Up())
		return "a click on the time line"
	}
}

// Whatever is done with the page, in whatever order: it says what the server
// says, complains of nothing, keeps to its width and does not lose who uses it by
// keyboard.
func TestRandomUse(t *testing.T) {
	t.Logf("seed %d, %d steps", *useSeed, *useSteps)
	s := serve(t)
	p := &labPage{t, s.visitor()}
	u := &user{labPage: p, random: rand.New(rand.NewPCG(*useSeed, 0)), wire: p.wired()}
	must(t, p.AddInitScript(playwright.Script{Content: playwright.String(countPosts)}))
	p.visit(s.url)
	p.fresh()
	u.at = p.room()
	var past []string
	for i := range *useSteps {
		focused := u.focus()
		// A page that is loaded anew has no focus yet, and has lost this mark.
		_, err := u.Evaluate("() => { window.marked = true; }")
		must(t, err)
		what, byKeys := u.step()
		u.settle()
		past = append(past, fmt.Sprintf("%d. %s", i+1, what))
		// Copies of the room are rooms as well.
		if room := u.room(); roomAddress.MatchString(room) {
			if room != u.at {
				past[i] += ", which leads to another room"
				u.at = room
				u.live()
			}
		} else {
			u.visit(u.at)
		}
		if got[any](t)(u.Evaluate("() => window.marked === true")) != true {
			u.live()
			byKeys = false
		}
		u.agrees(what)
		size := got[any](t)(u.Evaluate("[document.documentElement.scrollWidth, innerWidth]")).([]any)
		if size[0] != size[1] {
			t.Errorf("the page is %v px wide in a window of %v px", size[0], size[1])
		}
		if now := u.focus(); byKeys && focused != "" && now == "" {
			t.Errorf("the focus was on %s and is nowhere", focused)
		}
		if t.Failed() {
			t.Fatalf("after these steps, with the seed %d:\n%s", *useSeed, strings.Join(past[max(0, len(past)-12):], "\n"))
		}
	}
	if u.missed > *useSteps/4 {
		t.Errorf("%d of %d steps could not be done:\n%s", u.missed, *useSteps, strings.Join(slices.DeleteFunc(past, func(s string) bool { return !strings.Contains(s, "in vain") }), "\n"))
	}
}

// focus describes what has the focus; it is empty when nothing has.
func (u *user) focus() string {
	u.t.Helper()
	return got[any](u.t)(u.Evaluate(`() => {
		const e = document.activeElement;
		return !e || e === document.body || e === document.documentElement ? "" : e.outerHTML.slice(0, 160);
	}`)).(string)
}
