//go:build e2e

package e2e

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/lab/traffic"
)

// key is a row of the table by key.
func (p *labPage) key(name string) playwright.Locator {
	row := p.GetByRole(*playwright.AriaRoleRow).Filter(playwright.LocatorFilterOptions{
		Has: p.GetByRole(*playwright.AriaRoleRowheader, playwright.PageGetByRoleOptions{Name: name, Exact: playwright.Bool(true)}),
	})
	return p.Locator("[data-keys], main.alone").Locator(row)
}

// tallies waits until a key's row says how many requests were sent, served and
// refused.
func (p *labPage) tallies(key, sent, served, refused string) {
	p.t.Helper()
	for cell, want := range map[string]string{"sent": sent, "served": served, "refused": refused} {
		if err := expect.Locator(p.key(key).Locator(`[data-cell="` + cell + `"]`)).ToHaveText(want); err != nil {
			p.t.Errorf("%s %s: %v", key, cell, err)
		}
	}
}

func TestTheScoreByKeyIsLiveWhileItIsOpen(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	p.command("send 14@0s key=ann; 3@0s key=bob cost=4")
	fold := p.region("By key")
	must(t, expect.Locator(fold.Locator("summary")).ToContainText("2 keys"))
	must(t, expect.Locator(fold.GetByRole(*playwright.AriaRoleTable)).ToHaveCount(0))
	must(t, fold.Locator("summary").Click())
	p.tallies("ann", "14", "10", "4")
	p.tallies("bob", "3", "2", "1")
	must(t, expect.Locator(fold).ToContainText("All 17 requests that this policy has decided."))
	// More comes while somebody reads in it by keyboard.
	table := fold.GetByRole(*playwright.AriaRoleGroup, playwright.LocatorGetByRoleOptions{Name: "Score of Token bucket by key"})
	must(t, table.Focus())
	p.command("send 2@0s key=ann; 1@0s key=cy")
	p.tallies("ann", "16", "10", "6")
	p.tallies("cy", "1", "1", "0")
	must(t, expect.Locator(table).ToBeFocused())
	// Another policy's numbers.
	_, err := fold.GetByLabel("Numbers of").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("In progress")})
	must(t, err)
	must(t, expect.Locator(fold.GetByRole(*playwright.AriaRoleGroup, playwright.LocatorGetByRoleOptions{Name: "Score of In progress by key"})).ToBeVisible())
	p.tallies("bob", "3", "3", "0")
	// The policies change: the fold stays open, and the choice stays.
	p.command(`policies {"policies":[{"name":"in-progress","algorithm":"concurrency","limit":10},{"name":"log","algorithm":"sliding-log","limit":1,"per":"1s"}]}`)
	must(t, expect.Locator(p.region("Sliding log").Locator("[data-level]")).ToContainText("of 1"))
	must(t, expect.Locator(fold.GetByLabel("Numbers of")).ToHaveValue("in-progress"))
	p.tallies("ann", "16", "16", "0")
	p.press("Reset")
	must(t, expect.Locator(fold).ToContainText("No request yet."))
	// As a page, which works without script.
	p.command("send 2@0s key=dee")
	_, err = fold.GetByLabel("Numbers of").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("Sliding log")})
	must(t, err)
	must(t, fold.GetByRole(*playwright.AriaRoleLink).Click())
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleHeading, playwright.PageGetByRoleOptions{Name: "Score of Sliding log by key"})).ToBeVisible())
	p.tallies("dee", "2", "1", "1")
}

func TestTheScoreByKeyRestsWhileItIsClosed(t *testing.T) {
	p := serve(t).open("").fresh()
	fetched := make(chan string, 100)
	p.OnRequest(func(r playwright.Request) {
		if strings.Contains(r.URL(), "/keys") {
			fetched <- r.URL()
		}
	})
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	fold := p.region("By key")
	must(t, fold.Locator("summary").Press("Enter"))
	p.tallies("default", "14", "10", "4")
	must(t, fold.Locator("summary").Press("Enter"))
	must(t, expect.Locator(fold.GetByLabel("Numbers of")).ToBeHidden())
	n := len(fetched)
	must(t, p.burst().Click())
	p.reads("fixed", "sent", "28")
	if len(fetched) != n || n == 0 {
		t.Errorf("%d fetches while it was open, %d after", n, len(fetched)-n)
	}
}

// switched waits until the switch stands so.
func (p *labPage) switched(on string) playwright.Locator {
	p.t.Helper()
	s := p.GetByRole("switch", playwright.PageGetByRoleOptions{Name: "Same budget"})
	must(p.t, expect.Locator(s).ToHaveAttribute("aria-checked", on))
	return s
}

// setLimit sets a policy's limit in its form.
func (p *labPage) setLimit(title, limit string) {
	p.t.Helper()
	must(p.t, p.region(title).Locator("summary").Click())
	form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of " + title})
	must(p.t, form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Fill(limit))
	must(p.t, form.GetByRole(*playwright.AriaRoleButton, playwright.LocatorGetByRoleOptions{Name: "Apply"}).Click())
}

func TestOneBudgetByMouse(t *testing.T) {
	s := serve(t)
	p := s.open("").fresh()
	p.switched("true")
	p.setLimit("Sliding log", "5")
	for _, title := range []string{"Fixed window", "Sliding log", "Sliding counter"} {
		must(t, expect.Locator(p.region(title).Locator("[data-level]")).ToContainText("of 5"))
	}
	must(t, expect.Locator(p.region("In progress").Locator("[data-level]")).ToContainText("of 10"))
	// A new policy starts with it.
	must(t, p.Locator(".add > summary").Click())
	add := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Add a policy"})
	must(t, expect.Locator(add.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)})).ToHaveValue("5"))
	// Off: one is set alone, and budgets differ for everybody.
	must(t, p.switched("true").Click())
	p.switched("false")
	p.setLimit("Sliding log", "3")
	must(t, expect.Locator(p.region("Sliding log").Locator("[data-level]")).ToContainText("of 3"))
	must(t, expect.Locator(p.region("Fixed window").Locator("[data-level]")).ToContainText("of 5"))
	other := s.open(p.room()).live()
	other.switched("false")
	// On: all get the first one's, and that can be undone.
	must(t, p.switched("false").Click())
	p.switched("true")
	other.switched("true")
	must(t, expect.Locator(p.region("Sliding log").Locator("[data-level]")).ToContainText("of 5"))
	p.press("Undo")
	must(t, expect.Locator(p.region("Sliding log").Locator("[data-level]")).ToContainText("of 3"))
	p.switched("false")
	other.switched("false")
	must(t, expect.Locator(p.button("Undo")).ToHaveCount(0))
}

func TestOneBudgetByKeyboard(t *testing.T) {
	p := serve(t).open("").fresh()
	must(t, p.switched("true").Focus())
	must(t, p.Keyboard().Press("Space"))
	must(t, expect.Locator(p.switched("false")).ToBeFocused())
	must(t, p.Keyboard().Press("Enter"))
	must(t, expect.Locator(p.switched("true")).ToBeFocused())
	p.scores("token", 0, 0, 0, 0) // the space was the switch's own
}

func TestThePolicysSentenceFollowsItsNumbers(t *testing.T) {
	p := serve(t).open("").fresh()
	lane := p.region("Fixed window")
	must(t, expect.Locator(lane.Locator("summary")).ToHaveAttribute("aria-label",
		regexp.MustCompile(`^Limits of Fixed window: 10 in each window of 1.s; across the edge of two windows up to 20 in any second$`)))
	must(t, lane.Locator("summary").Click())
	form := p.GetByRole(*playwright.AriaRoleForm, playwright.PageGetByRoleOptions{Name: "Limits of Fixed window"})
	said := form.GetByRole(*playwright.AriaRoleStatus)
	must(t, expect.Locator(said).ToContainText("up to 20 in any second"))
	must(t, form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Fill("12"))
	must(t, expect.Locator(said).ToContainText("up to 24 in any second"))
	_, err := form.GetByLabel("Windows start").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("at a first request")})
	must(t, err)
	must(t, expect.Locator(said).ToContainText("up to 23 in any second"))
	must(t, form.GetByLabel("Limit", playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)}).Fill("many"))
	must(t, expect.Locator(said).ToContainText(`Limit: "many" is not a whole number`))
	// Nothing has been set yet.
	must(t, expect.Locator(lane.Locator("[data-level]")).ToContainText("of 10"))
}

func TestWhatTheRoomKeepsIsDownloaded(t *testing.T) {
	p := serve(t).open("").fresh()
	p.pause()
	p.command(`send 13@0s key="=1+1"; 1@0s cost=11`)
	p.scores("token", 14, 10, 3, 1)
	name := p.room()[strings.LastIndex(p.room(), "/")+1:]
	download := func(link, file string) string {
		t.Helper()
		must(t, p.Locator(".download > summary").Press("Enter"))
		d := got[playwright.Download](t)(p.ExpectDownload(func() error {
			return p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: link}).Click()
		}))
		if d.SuggestedFilename() != name+"-"+file {
			t.Errorf("%s is kept as %s; expected %s-%s", link, d.SuggestedFilename(), name, file)
		}
		return string(got[[]byte](t)(os.ReadFile(got[string](t)(d.Path()))))
	}
	rows := traffic.NewCSV("trace", strings.NewReader(download("Requests as CSV", "requests.csv")))
	n := 0
	for ; ; n++ {
		r, err := rows.Read()
		if err == io.EOF {
			break
		}
		must(t, err)
		if n == 0 && r.Key != "=1+1" {
			t.Errorf("the first request has the key %q", r.Key)
		}
	}
	var requests, decisions []map[string]any
	must(t, json.Unmarshal([]byte(download("Requests as JSON", "requests.json")), &requests))
	must(t, json.Unmarshal([]byte(download("Decisions as JSON for", "decisions.json")), &decisions))
	table := got[[][]string](t)(csv.NewReader(strings.NewReader(download("Decisions as CSV", "decisions.csv"))).ReadAll())
	lines := strings.Count(download("Decisions as JSONL", "decisions.jsonl"), "\n")
	scores := got[[][]string](t)(csv.NewReader(strings.NewReader(download("Scores as CSV", "scores.csv"))).ReadAll())
	if n != 14 || len(requests) != 14 || len(decisions) != 14*7 || len(table) != 1+14*7 || lines != 14*7 || len(scores) != 8 {
		t.Errorf("%d and %d requests, %d, %d and %d decisions, %d scores", n, len(requests), len(decisions), len(table)-1, lines, len(scores)-1)
	}
	if table[1][2] != "'=1+1" {
		t.Errorf("the key stands in the table as %q", table[1][2])
	}
	// The menu goes away when something was chosen, and with Escape.
	menu := p.region("Decisions").GetByRole(*playwright.AriaRoleLink, playwright.LocatorGetByRoleOptions{Name: "Scores as CSV"})
	must(t, expect.Locator(menu).ToBeHidden())
	must(t, p.Locator(".download > summary").Press("Enter"))
	must(t, expect.Locator(menu).ToBeVisible())
	must(t, p.Keyboard().Press("Tab"))
	must(t, p.Keyboard().Press("Escape"))
	must(t, expect.Locator(menu).ToBeHidden())
	must(t, expect.Locator(p.Locator(".download > summary")).ToBeFocused())
}

func TestNumbersWithoutScript(t *testing.T) {
	p := serve(t).open("", playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false)})
	p.press("Pause")
	p.press("Reset")
	room := p.room()
	must(t, p.burst().Click())
	p.scores("token", 14, 10, 4, 0)
	must(t, p.region("By key").Locator("summary").Click())
	must(t, p.region("By key").GetByRole(*playwright.AriaRoleLink).Click())
	p.tallies("default", "14", "10", "4")
	_, err := p.GetByLabel("Numbers of").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("In progress")})
	must(t, err)
	p.press("Show")
	must(t, expect.Locator(p.GetByRole(*playwright.AriaRoleHeading, playwright.PageGetByRoleOptions{Name: "Score of In progress by key"})).ToBeVisible())
	p.visit(room)
	must(t, p.switched("true").Click())
	must(t, p.switched("false").Click())
	p.switched("true")
}
