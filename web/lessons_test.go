package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/scenarios/lesson"
	"github.com/burstlab/burstlab/web"
)

func TestLessonsAreAPath(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		list := s.get("/lessons")
		list.want(t, http.StatusOK, "text/html")
		all := lesson.All()
		for i, l := range all {
			list.contains(t, "/lessons/"+l.Name)
			page := s.get("/lessons/" + l.Name)
			page.want(t, http.StatusOK, "text/html")
			page.contains(t, html.EscapeString(l.Goal))
			if i+1 < len(all) {
				page.contains(t, `href="/lessons/`+all[i+1].Name+`" rel="next"`)
			}
			// Nothing is told before it was predicted.
			if strings.Contains(page.body, `class="told`) {
				t.Errorf("%s tells before it was asked", l.Name)
			}
		}
		s.get("/lessons/nothing").want(t, http.StatusNotFound, "application/problem+json")
	})
}

func TestAPredictionIsAnsweredInTheAddress(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		right := s.get("/lessons/token-bucket?a1=1&a1=2&a1=3&a1=4&a1=5&a1=6&a1=7&a1=8&a1=9&a1=10&a1=")
		right.contains(t, "Right.")
		wrong := s.get("/lessons/token-bucket?a1=1&a1=2&a1=&a3=25")
		for _, want := range []string{
			"Not quite: 10 of 14 pass.", "Request 3 at 00:00.000: tokens\u00a08 ≥ 1: allowed", "Not quite: 30.",
			// Each form carries the other answers along.
			`name="a3" value="25"`, `name="a1" value="1,2"`,
		} {
			wrong.contains(t, want)
		}
		// Whatever is no answer is said to be none, and shown as it was written.
		for _, text := range []string{"", "many", `"><script>alert(1)</script>`, strings.Repeat("9", 3000), "\x00", "ä"} {
			a := s.get("/lessons/token-bucket?" + url.Values{"a3": {text}}.Encode())
			a.want(t, http.StatusOK, "text/html")
			a.contains(t, `role="alert">Expected `)
			if strings.Contains(a.body, "<script>alert") {
				t.Error("an answer becomes a script")
			}
		}
		many := "a1=1"
		for i := range 500 {
			many += fmt.Sprintf("&a1=%d", i)
		}
		s.get("/lessons/token-bucket?"+many).want(t, http.StatusOK, "text/html")
	})
}

func TestAScenarioOpensInTheLab(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		a := s.post("/scenarios/window-edge/room", "text/html")
		a.want(t, http.StatusSeeOther, "")
		time.Sleep(3 * time.Second)
		if m := s.moment(a.Header.Get("Location"), "99000000"); len(m.Scores) != 1 || m.Scores[0].C[0] != "20" || m.Scores[0].C[1] != "20" {
			t.Errorf("%+v", m.Scores)
		}
		s.post("/scenarios/nothing/room", "application/json").want(t, http.StatusNotFound, "application/problem+json")
	})
}
