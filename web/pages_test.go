package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/web"
)

func TestAVisitorGetsARoomOfTheirOwn(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		first, second := s.get("/"), s.get("/")
		for _, a := range []answer{first, second} {
			if a.StatusCode != http.StatusSeeOther || !regexp.MustCompile(`^/r/[A-Z]+-\w{4}-\w{4}$`).MatchString(a.Header.Get("Location")) {
				t.Fatalf("GET /: %s to %q", a.Status, a.Header.Get("Location"))
			}
		}
		if first.Header.Get("Location") == second.Header.Get("Location") {
			t.Error("two visitors got the same room")
		}
		page := s.get(first.Header.Get("Location"), "Accept", "text/html")
		page.want(t, http.StatusOK, "text/html")
		for _, want := range []string{"Token bucket", "Leaky bucket", "GCRA", "Fixed window", "Sliding log", "Sliding counter"} {
			page.contains(t, want)
		}
	})
}

func TestTheFirstPaintHoldsWhatHasHappened(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.get("/").Header.Get("Location")
		after(10 * time.Second)
		s.command(room, "send 14@0s")
		page := s.get(room, "Accept", "text/html")
		page.contains(t, `"seq":`)
		page.contains(t, `/r/`)
		if n := strings.Count(s.get(room+"/decisions").body, "\n"); n != 20*7 {
			t.Errorf("%d decisions; expected those of 6 quiet requests and a burst of 14, by 7 policies", n)
		}
	})
}

func TestFormsWorkWithoutScript(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for _, test := range []struct {
			name, path string
			fields     []string
			status     int
			want       string // on the page
		}{
			{"a burst", "/commands", []string{"command", "send {count}@0s every {gap}", "count", "14", "gap", "0ms"}, http.StatusSeeOther, ""},
			{"a refused command", "/commands", []string{"command", "resume"}, http.StatusUnprocessableEntity, "not paused"},
			{"traffic with a mistake", "/commands", []string{"command", "send {notation}", "notation", "14@@0s"}, http.StatusUnprocessableEntity, "14@@0s"},
			{"no command", "/commands", nil, http.StatusUnprocessableEntity, "no command"},
			{"a policy", "/policies", []string{"do", "set", "policy", "log", "name", "log", "algorithm", "sliding-log", "limit", "5", "per", "1s"}, http.StatusSeeOther, ""},
			{"a policy with a mistake", "/policies", []string{"do", "set", "policy", "log", "name", "log", "algorithm", "sliding-log", "limit", "0", "per", "1s"}, http.StatusUnprocessableEntity, "out of range"},
			{"an unknown deed", "/policies", []string{"do", "xyz", "policy", "log"}, http.StatusUnprocessableEntity, "xyz"},
			{"a scenario that is not there", "/preset", []string{"name", "nobody"}, http.StatusUnprocessableEntity, "no scenario"},
		} {
			a := s.post(room+test.path, "text/html", test.fields...)
			if a.StatusCode != test.status || test.status == http.StatusSeeOther && a.Header.Get("Location") != room {
				t.Errorf("%s: %s to %q; expected %d", test.name, a.Status, a.Header.Get("Location"), test.status)
			}
			a.contains(t, test.want)
		}
		s.get(room+"/policies").contains(t, `"limit": 5`)
	})
}

func TestAScriptGetsTheSameWithoutThePage(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		a := s.post(room+"/policies", "application/json", "do", "set", "policy", "log", "name", "log", "algorithm", "sliding-log", "limit", "x", "per", "1s")
		a.want(t, http.StatusUnprocessableEntity, "application/problem+json")
		a.contains(t, `"field":"limit"`)
		a.contains(t, `is not a whole number`)
	})
}

func TestARequestCanBeSeenClosely(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 14@0s")
		page := s.get(room+"/requests/13", "Accept", "text/html")
		page.want(t, http.StatusOK, "text/html")
		page.contains(t, "<!doctype html>")
		page.contains(t, "429 Too Many Requests")
		fragment := s.get(room+"/requests/13", "Accept", "text/html-fragment")
		fragment.want(t, http.StatusOK, "text/html")
		if strings.Contains(fragment.body, "<html") {
			t.Error("the fragment is a whole page")
		}
		s.get(room+"/requests/14", "Accept", "text/html").want(t, http.StatusNotFound, "text/html")
		s.get(room+"/requests/-1").want(t, http.StatusBadRequest, "application/problem+json")
	})
}

func TestThePictureOfThePast(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 14@0s")
		after(time.Second)
		a := s.get(room + "/levels")
		a.want(t, http.StatusOK, "application/json")
		a.contains(t, `"at":[0,`)
		a.contains(t, `"v":[1000,0,0,0,0,0,0,0,1000,1000,1000,1000,1000,0,`) // just before the burst, and just after
		for _, from := range []string{"-1", "x", "9999999999999999999", "1.5"} {
			s.get(room+"/levels?from="+from).want(t, http.StatusBadRequest, "application/problem+json")
		}
		s.get(room+"/levels?from=9999999999").want(t, http.StatusOK, "application/json")
	})
}

func TestErrorsArePagesForPeopleAndProblemsForPrograms(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		for _, path := range []string{"/r/MANGO-0000-0000", "/nowhere", "/static/0000/js/main.js"} {
			s.get(path, "Accept", "text/html,application/xhtml+xml").want(t, http.StatusNotFound, "text/html")
			problem := s.get(path)
			problem.want(t, http.StatusNotFound, "application/problem+json")
			problem.contains(t, `"detail":"`)
		}
		s.ask(http.MethodDelete, "/r", "").want(t, http.StatusMethodNotAllowed, "application/problem+json")
	})
}

func TestEveryResponseIsGuarded(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for _, path := range []string{room, "/nowhere", room + "/policies", "/healthz"} {
			h := s.get(path).Header
			csp := h.Get("Content-Security-Policy")
			if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self'") || strings.Contains(csp, "unsafe") {
				t.Errorf("%s: Content-Security-Policy: %s", path, csp)
			}
			if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Robots-Tag") != "noindex" {
				t.Errorf("%s: %v", path, h)
			}
		}
		page := s.get(room, "Accept", "text/html").body
		if regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=`).MatchString(page) {
			t.Error("the page has an inline style or handler, which the policy forbids")
		}
	})
}

func TestFilesAreKeptForGoodAtTheAddressOfTheirContent(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		page := s.get(s.room(), "Accept", "text/html").body
		address := regexp.MustCompile(`/static/[0-9a-f]+/js/main\.js`).FindString(page)
		script := s.get(address)
		script.want(t, http.StatusOK, "text/javascript")
		if cache := script.Header.Get("Cache-Control"); !strings.Contains(cache, "immutable") {
			t.Errorf("Cache-Control: %s", cache)
		}
		for _, name := range []string{"", "nothing.js", "..%2f..%2fgo.mod", "js"} {
			s.get(strings.TrimSuffix(address, "js/main.js")+name).want(t, http.StatusNotFound, "application/problem+json")
		}
	})
}

func TestAnotherSiteCannotUseAVisitorsBrowser(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		a := s.ask(http.MethodPost, room+"/commands", "command=reset",
			"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://elsewhere.test", "Sec-Fetch-Site", "cross-site")
		if a.StatusCode != http.StatusForbidden {
			t.Errorf("a form from elsewhere: %s", a.Status)
		}
	})
}

func TestHealthMetricsAndRobots(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 14@0s")
		s.get("/healthz").want(t, http.StatusOK, "text/plain")
		s.get("/robots.txt").contains(t, "Disallow: /")
		metrics := s.get("/metrics")
		metrics.want(t, http.StatusOK, "text/plain")
		metrics.contains(t, "burstlab_rooms 1\n")
		metrics.contains(t, "burstlab_viewers 0\n")
		metrics.contains(t, "burstlab_requests_decided_total 14\n")
		metrics.contains(t, `burstlab_refused_total{allowance="rooms"} 0`)
	})
}

// A client gets only what it says that it understands.
func TestOnlyGzipThatIsAskedFor(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		script := static.Prefix() + "/js/main.js"
		for said, want := range map[string]string{
			"gzip": "gzip", "gzip, deflate, br": "gzip", "br;q=1, GZIP; q=0.5": "gzip", "*": "gzip", "identity": "",
			"gzip;q=0": "", "gzip; q=0.000, identity": "", "*;q=0": "", "br, *;q=0": "", "gzip;q=0, *": "", "notgzip": "",
		} {
			for _, path := range []string{room, script} {
				if got := s.get(path, "Accept-Encoding", said).Header.Get("Content-Encoding"); got != want {
					t.Errorf("%s to a client that says %q is encoded as %q; expected %q", path, said, got, want)
				}
			}
		}
	})
}

// Whatever can be got can be asked about, but what makes a room.
func TestHeads(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for _, path := range []string{"/healthz", "/robots.txt", static.Prefix() + "/css/lab.css", room, room + "/decisions.csv", room + "/keys"} {
			a := s.ask(http.MethodHead, path, "")
			if a.StatusCode != http.StatusOK || a.body != "" {
				t.Errorf("HEAD %s: %s, %d bytes", path, a.Status, len(a.body))
			}
		}
		if a := s.ask(http.MethodHead, "/", ""); a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("HEAD /: %s", a.Status)
		}
	})
}

// What another site makes a browser send is refused, and not at the visitor's
// expense.
func TestAnotherSiteUsesUpNobodysAllowance(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		for range 100 {
			if a := s.ask(http.MethodPost, "/r", "", "Sec-Fetch-Site", "cross-site", "Origin", "https://elsewhere.test"); a.StatusCode != http.StatusForbidden {
				t.Fatalf("got %s", a.Status)
			}
		}
		s.room()
	})
}
