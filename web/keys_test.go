package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/web"
)

func TestScoresByKey(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		empty := s.get(room+"/keys", "Accept", "text/html")
		empty.want(t, http.StatusOK, "text/html")
		empty.contains(t, "No request yet.")
		s.command(room, "send 14@0s key=ann; 3@0s key=bob cost=4; 1@0s key=\"<b>\"")
		page := s.get(room+"/keys?policy=log", "Accept", "text/html")
		page.contains(t, "<!doctype html>")
		page.contains(t, "Score of Sliding log by key")
		page.contains(t, `value="log" selected`)
		page.contains(t, "&lt;b&gt;")
		page.contains(t, "All 18\u00a0requests that this policy has decided.")
		part := s.get(room+"/keys?policy=log", "Accept", "text/html-fragment")
		part.want(t, http.StatusOK, "text/html")
		if strings.Contains(part.body, "<html") {
			t.Error("the part is a whole page")
		}
		// ann sent 14, of which 10 were served; bob 3 of cost 4, of which 2 were.
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(strings.ReplaceAll(part.body, "</td>", " "), "")
		for _, want := range []string{"ann14 10 4 0 10 in", "bob3 2 1 0 8 in", "1\u00a0s"} {
			if !strings.Contains(text, want) {
				t.Errorf("the table has no %q: %s", want, text)
			}
		}
		// Whoever asks for a policy that is gone sees the first.
		s.get(room+"/keys?policy=gone", "Accept", "text/html").contains(t, "Score of Token bucket by key")
	})
}

// A class that has the table open is served by one count; nobody is left behind.
func TestManyRequestsAreCountedOnceForAll(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		decided := func(query string) string {
			_, rest, _ := strings.Cut(s.get(room+"/keys"+query, "Accept", "text/html-fragment").body, `data-keys-decided="`)
			n, _, _ := strings.Cut(rest, `"`)
			return n
		}
		s.command(room, "send 3@0s")
		s.command(room, "send 1@0s")
		if n := decided(""); n != "4" {
			t.Errorf("few requests: %s are counted; expected 4", n)
		}
		s.command(room, "send 9996@0s")
		if n := decided(""); n != "10000" {
			t.Errorf("many requests: %s are counted; expected 10,000", n)
		}
		s.command(room, "send 1@0s")
		for _, query := range []string{"", "?policy=token", "?policy=gone"} {
			if n := decided(query); n != "10000" {
				t.Errorf("%q, just after: %s are counted; expected the same count", query, n)
			}
		}
		if n := decided("?policy=log"); n != "10001" {
			t.Errorf("of another policy %s are counted; expected 10,001", n)
		}
		after(250 * time.Millisecond)
		if n := decided(""); n != "10001" {
			t.Errorf("a moment later: %s are counted; expected 10,001", n)
		}
	})
}

func TestOneBudgetWithoutScript(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		page := s.get(room, "Accept", "text/html")
		page.contains(t, `aria-checked="true"`)
		// Off: nothing changes but what the page's forms do.
		off := s.post(room+"/policies", "text/html", "do", "own", "was", "10 1s token")
		if got := off.Header.Get("Location"); off.StatusCode != http.StatusSeeOther || got != room+"?budget=own#budget" {
			t.Fatalf("%s to %s", off.Status, got)
		}
		s.get(room+"?budget=own", "Accept", "text/html").contains(t, `aria-checked="false"`)
		s.get(room, "Accept", "text/html").contains(t, `aria-checked="true"`)
		s.post(room+"/policies", "text/html", "do", "set", "policy", "log", "name", "log", "algorithm", "sliding-log", "limit", "5", "per", "1m")
		before := s.get(room + "/policies").body
		page = s.get(room, "Accept", "text/html")
		page.contains(t, `aria-checked="false"`)
		page.contains(t, `name="was" value="5 1m log"`)
		on := s.post(room+"/policies", "text/html", "do", "share", "was", "10 1s token", "was", "5 1m log")
		back := on.Header.Get("Location")
		if on.StatusCode != http.StatusSeeOther || !strings.HasPrefix(back, room+"?was=") {
			t.Fatalf("%s to %s", on.Status, back)
		}
		if strings.Contains(s.get(room+"/policies").body, "1m") {
			t.Error("the budgets still differ")
		}
		page = s.get(strings.TrimSuffix(back, "#budget"), "Accept", "text/html")
		page.contains(t, `value="restore"`)
		s.post(room+"/policies", "text/html", "do", "restore", "was", "10 1s token", "was", "5 1m log")
		if got := s.get(room + "/policies").body; got != before {
			t.Errorf("undone is\n%s\nexpected\n%s", got, before)
		}
		for _, was := range []string{"", "5", "x 1s log", "5 soon log", "0 1s log"} {
			if a := s.post(room+"/policies", "text/html", "do", "restore", "was", was); a.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%q: %s", was, a.Status)
			}
			s.get(room+"?was="+strings.ReplaceAll(was, " ", "+"), "Accept", "text/html").want(t, http.StatusOK, "text/html")
		}
	})
}

func TestAPolicyIsToldInASentenceBeforeItIsSet(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		before := s.get(room + "/policies").body
		a := s.post(room+"/policies/sentence", "application/json", "policy", "log", "algorithm", "fixed-window", "name", "", "limit", "12", "per", "1 s")
		a.want(t, http.StatusOK, "text/plain")
		if want := "12 in each window of 1\u00a0s; across the edge of two windows up to 24 in any second"; a.body != want {
			t.Errorf("%q; expected %q", a.body, want)
		}
		for field, form := range map[string][]string{
			"limit":     {"algorithm", "gcra", "limit", "0", "per", "1s", "burst", "1"},
			"per":       {"algorithm", "gcra", "limit", "1", "per", "soon", "burst", "1"},
			"burst":     {"algorithm", "gcra", "limit", "1", "per", "24h", "burst", "1000000000000"},
			"algorithm": {"algorithm", "magic", "limit", "1"},
		} {
			a := s.post(room+"/policies/sentence", "application/json", form...)
			a.want(t, http.StatusUnprocessableEntity, "application/problem+json")
			a.contains(t, `"field":"`+field+`"`)
		}
		if s.get(room+"/policies").body != before {
			t.Error("asking has changed the policies")
		}
	})
}
