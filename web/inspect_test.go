package web_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/web"
)

// TestTheCurlLineOfAnInspectionSendsItAgain: the target that a request's page shows
// makes the endpoint get the very same request.
func TestTheCurlLineOfAnInspectionSendsItAgain(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		number := 0
		for _, key := range []string{
			"ann", "O'Neil & sons", `"x" \ $HOME`, "ü 漢字 😀", "\x00\x1b\r\n", "100%+[a]{b}?#;=", strings.Repeat("ü", traffic.MaxKey/2),
		} {
			s.command(room, "hit key="+strconv.Quote(key)+" cost=2 service=1500ms")
			page := fmt.Sprintf("%s/requests/%d?policy=log&dialect=epoch", room, number)
			sent := s.get(page, "Accept", "text/html-fragment")
			lines := regexp.MustCompile(`data-copy="([^"]*)"`).FindAllStringSubmatch(sent.body, -1)
			at := slices.IndexFunc(lines, func(m []string) bool { return strings.Contains(m[1], "policy=log&amp;") })
			if at < 0 {
				t.Fatalf("%q: no line among %d", lab.Clip(key), len(lines))
			}
			address, quoted := strings.CutPrefix(html.UnescapeString(lines[at][1]), "curl -i 'http://burstlab.test")
			target, ended := strings.CutSuffix(address, "'")
			if !quoted || !ended || strings.Contains(target, "'") {
				t.Fatalf("%q: the line is %.200s", lab.Clip(key), lines[at][1])
			}
			if a := s.get(target); a.Header.Get("X-RateLimit-Remaining") == "" {
				t.Errorf("%q: %s %v", lab.Clip(key), a.Status, a.Header)
			}
			again := s.get(fmt.Sprintf("%s/requests/%d", room, number+1), "Accept", "text/html-fragment")
			facts := func(a answer) string {
				_, rest, _ := strings.Cut(a.body, "<dt>key</dt>")
				facts, _, _ := strings.Cut(rest, "</dl>")
				return facts
			}
			if facts(sent) == "" || facts(again) != facts(sent) {
				t.Errorf("%q: sent %.300s\nagain %.300s", lab.Clip(key), facts(sent), facts(again))
			}
			number += 2
			s.command(room, "step 10s")
		}
	})
}

// TestAnInspectionIsAskedForByPolicyAndDialect: what the address names is shown,
// and what it names wrongly is said.
func TestAnInspectionIsAskedForByPolicyAndDialect(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "hit")
		for _, accept := range []string{"text/html", "text/html-fragment"} {
			a := s.get(room+"/requests/0?policy=log&dialect=epoch", "Accept", accept)
			a.want(t, http.StatusOK, "text/html")
			a.contains(t, `data-dialect="epoch"`)
			a.contains(t, `data-said="log" aria-label="Answer of Sliding log">`)
			a.contains(t, `data-said="token" aria-label="Answer of Token bucket" hidden>`)
		}
		a := s.get(room + "/requests/0?dialect=both")
		a.want(t, http.StatusBadRequest, "application/problem+json")
		a.contains(t, `dialect: \"both\" is not a dialect; expected ietf, seconds or epoch`)
		a = s.get(room + "/requests/0?policy=other")
		a.want(t, http.StatusBadRequest, "application/problem+json")
		a.contains(t, `"policies":["token","leaky","gcra"`)
	})
}

// TestAnInspectionTellsTheInstantThatTheEndpointTold: while lab time runs as real
// time does, also after a reset, an inspection's response is the one that the
// endpoint gave.
func TestAnInspectionTellsTheInstantThatTheEndpointTold(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for n, wait := range []time.Duration{1700 * time.Millisecond, 5 * time.Minute} {
			after(wait)
			if n > 0 {
				s.command(room, "reset")
				after(300 * time.Millisecond)
			}
			told := s.get(room + "/hit?policy=fixed&dialect=epoch").Header.Get("X-RateLimit-Reset")
			a := s.get(room+"/requests/0?policy=fixed&dialect=epoch", "Accept", "text/html-fragment")
			a.contains(t, "<b>X-RateLimit-Reset:</b> "+told+"</p>")
			if want := time.Now().Unix() + 1; told != strconv.FormatInt(want, 10) && told != strconv.FormatInt(want+1, 10) {
				t.Errorf("the endpoint told %s at %d", told, time.Now().Unix())
			}
		}
	})
}
