//go:build e2e

package e2e

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// differences reads the same things from the page as it stands and from the page
// that the server gives at that moment, until they are equal or three seconds are
// over, and says what differs. Lab time has to stand still.
//
// The table of decisions rests while the focus is in it, and a page that came
// back may hold fewer requests than the server shows.
const differences = `async () => {
	const text = e => (e?.textContent ?? "").replace(/\s+/g, "");
	const all = (page, selector, f) => [...page.querySelectorAll(selector)].map(f).join("; ");
	const read = (page, decisions) => ({
		policies: all(page, "[data-lane]", e => e.dataset.lane + ": " + text(e.querySelector(".limits summary"))),
		levels: all(page, "[data-level]", text),
		next: all(page, "[data-next]", text),
		scores: all(page, "[data-score]", e => e.dataset.score + " " + all(e, "[data-cell]", c => c.dataset.cell + "=" + text(c))),
		clock: text(page.querySelector("[data-clock]")),
		paused: !page.querySelector("[data-resume]").hidden,
		stream: text(page.querySelector("[data-rate]")),
		ahead: text(page.querySelector("[data-ahead]")),
		undecided: text(page.querySelector("[data-undecided]")),
		decisions: decisions ? all(page, "[data-decisions] tr", text) : "",
	});
	let found = [];
	for (const until = performance.now() + 3000; performance.now() < until;) {
		const answer = await fetch(location.pathname + location.search, {headers: {Accept: "text/html"}});
		if (!answer.ok) return "the server answers " + answer.status;
		const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
		await new Promise(done => requestAnimationFrame(done));
		const resting = document.querySelector("[data-decisions]").contains(document.activeElement);
		const is = read(document, !resting), should = read(fresh, !resting);
		found = Object.keys(is).filter(k => String(is[k]) !== String(should[k])).map(k => k + ": the page says\n\t" + is[k] + "\nand the server\n\t" + should[k]);
		if (found.length === 0) return "";
		await new Promise(done => setTimeout(done, 50));
	}
	return found.join("\n");
}`

// runs says whether the server lets lab time run; the page may not have heard yet.
const runs = `async () => {
	const answer = await fetch(location.pathname, {headers: {Accept: "text/html"}});
	return !new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-pause]").hidden;
}`

// agrees fails the test when the page does not come to say what the server says.
// A room that runs is stopped for as long as that takes.
func (p *labPage) agrees(after string) {
	p.t.Helper()
	stopped := false
	var found any
	// What was done last may still be on its way and let the room run again.
	for range 3 {
		if got[any](p.t)(p.Evaluate(runs)) == true {
			p.somebody("pause")
			stopped = true
		}
		if found = got[any](p.t)(p.Evaluate(differences)); found == "" {
			break
		}
	}
	if found != "" {
		p.t.Errorf("after %s: %v", after, found)
	}
	if stopped {
		p.somebody("resume")
		must(p.t, expect.Locator(p.Locator("[data-pause]")).ToBeVisible())
	}
}

// somebody gives a command that the room may find impossible just now.
func (p *labPage) somebody(text string) {
	p.t.Helper()
	resp, err := http.PostForm(p.room()+"/commands", url.Values{"command": {text}})
	must(p.t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusConflict {
		p.t.Fatalf("command %q: %s", text, resp.Status)
	}
}

// wire stands between a page and its server and can cut the line.
type wire struct {
	mu    sync.Mutex
	lines []playwright.WebSocketRoute
}

// wired puts a wire between; it has to be there before the page is visited.
func (p *labPage) wired() *wire {
	p.t.Helper()
	w := &wire{}
	must(p.t, p.RouteWebSocket("**/socket**", func(route playwright.WebSocketRoute) {
		if _, err := route.ConnectToServer(); err != nil {
			p.t.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.lines = append(w.lines, route)
	}))
	return w
}

// cut closes the connection that is open.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.lines); n > 0 {
		w.lines[n-1].Close()
	}
}

// cutAndBack cuts the line, lets something happen meanwhile, and waits until the
// page has come back.
func (p *labPage) cutAndBack(w *wire, meanwhile func()) {
	p.t.Helper()
	words := p.Locator("[data-connection-words]")
	lost := got[playwright.JSHandle](p.t)(p.EvaluateHandle(`() => {
		const seen = {back: false, lost: false};
		const words = document.querySelector("[data-connection-words]");
		new MutationObserver(() => {
			if (words.textContent !== "live") seen.lost = true;
			else if (seen.lost) seen.back = true;
		}).observe(words, {childList: true, characterData: true, subtree: true});
		return seen;
	}`))
	w.cut()
	if meanwhile != nil {
		meanwhile()
	}
	_, err := p.Evaluate(`async seen => {
		for (const until = performance.now() + 10000; !seen.back; ) {
			if (performance.now() > until) throw new Error("The page has not come back.");
			await new Promise(done => setTimeout(done, 20));
		}
	}`, lost)
	must(p.t, err)
	must(p.t, expect.Locator(words).ToHaveText("live"))
}

// The line is cut in the middle of everything: afterwards the page says what the
// server says, and what was being done goes on.
func TestTheLineIsCutInTheMiddleOf(t *testing.T) {
	s := serve(t)
	p := &labPage{t, s.visitor()}
	w := p.wired()
	p.visit(s.url)
	p.fresh()
	part := func(name string, f func(p *labPage)) {
		t.Run(name, func(t *testing.T) {
			p := &labPage{t, p.Page}
			f(p)
			p.agrees(name)
		})
	}
	part("a stream", func(p *labPage) {
		p.command("stream 200/s")
		must(p.t, expect.Locator(p.Locator("[data-rate]")).ToHaveText("200/s"))
		p.cutAndBack(w, func() { p.command("send 5@0s key=ann") })
		p.command("stop")
	})
	part("a pause", func(p *labPage) {
		p.pause()
		p.cutAndBack(w, func() {
			p.command("send 14@0s; 3@1s")
			p.command("step 500ms")
		})
		must(p.t, expect.Locator(p.button("Play")).ToBeVisible())
	})
	part("a half-filled form, whose policy others change", func(p *labPage) {
		lane := p.region("Sliding log")
		must(p.t, lane.Locator("summary").First().Click())
		form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of Sliding log"})
		limit := form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)})
		must(p.t, limit.Fill("37"))
		p.cutAndBack(w, func() {
			p.command(`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":5,"per":"1s"},{"name":"token","algorithm":"token-bucket","limit":4,"per":"1s","burst":4}]}`)
		})
		must(p.t, expect.Locator(p.Locator("[data-lane]")).ToHaveCount(2))
		must(p.t, expect.Locator(limit).ToHaveValue("37"))
		must(p.t, expect.Locator(limit).ToBeFocused())
		must(p.t, limit.Press("Enter"))
		must(p.t, expect.Locator(lane.Locator("[data-level]")).ToContainText("of 37"))
	})
	part("a notation that is being written", func(p *labPage) {
		box := p.GetByLabel("Traffic notation")
		must(p.t, box.Fill("2@0s; 1@"))
		p.cutAndBack(w, func() { p.command("send 1@0s") })
		must(p.t, expect.Locator(box).ToBeFocused())
		must(p.t, p.Keyboard().Type("10ms"))
		must(p.t, expect.Locator(box).ToHaveValue("2@0s; 1@10ms"))
		must(p.t, box.Fill(""))
	})
	part("reading of a request", func(p *labPage) {
		p.command("reset")
		p.command("send 9@0s")
		p.reads("token", "sent", "9")
		p.inspect("7")
		must(p.t, expect.Locator(p.request("7")).ToBeVisible())
		p.cutAndBack(w, func() { p.command("send 2@0s") })
		must(p.t, expect.Locator(p.request("7")).ToBeVisible())
		must(p.t, p.Keyboard().Press("ArrowLeft"))
		must(p.t, expect.Locator(p.request("6")).ToBeVisible())
		must(p.t, p.Keyboard().Press("Escape"))
	})
	part("an answer to a command", func(p *labPage) {
		// The command may have come through or not; the page tells which by its
		// numbers.
		must(p.t, p.burst().Click())
		p.cutAndBack(w, nil)
	})
	part("a reset by others", func(p *labPage) {
		p.cutAndBack(w, func() { p.command("reset") })
		p.scores("token", 0, 0, 0, 0)
	})
}
