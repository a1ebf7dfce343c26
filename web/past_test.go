package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/web"
)

// moment is the part of a moment that the tests read.
type moment struct {
	Now    int64
	Meters []struct{ Words string }
	Scores []struct{ C []string }
}

// afterTwoBursts is a room with a burst of 14 at 1 s and one at 3 s, at 4 s.
func (s *site) afterTwoBursts() string {
	s.t.Helper()
	room := s.room()
	for range 2 {
		time.Sleep(time.Second)
		s.post(room+"/commands", "application/json", "command", "send 14@0s").want(s.t, http.StatusNoContent, "")
		time.Sleep(time.Second)
	}
	return room
}

func (s *site) moment(room, at string) moment {
	s.t.Helper()
	a := s.get(room + "/moment?at=" + at)
	a.want(s.t, http.StatusOK, "application/json")
	var m moment
	if err := json.Unmarshal([]byte(a.body), &m); err != nil {
		s.t.Fatal(err)
	}
	return m
}

func TestThePastIsShownAndChangesNothing(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.afterTwoBursts()
		for at, want := range map[string][2]string{"500000": {"0", "10 of 10"}, "1000000": {"14", "0 of 10"}, "2500000": {"14", "10 of 10"}, "99000000": {"28", "10 of 10"}} {
			if m := s.moment(room, at); m.Scores[0].C[0] != want[0] || m.Meters[0].Words != want[1] {
				t.Errorf("at %s: %s sent, %s; want %v", at, m.Scores[0].C[0], m.Meters[0].Words, want)
			}
		}
		page := s.get(room+"?at=1000000", "Accept", "text/html")
		page.want(t, http.StatusOK, "text/html")
		for _, want := range []string{"<strong data-past-clock>00:01.000</strong>", `href="` + room + `?at=999999" data-back`, `"looking":1000000`, `<noscript><input type="hidden" name="at" value="1000000">`} {
			if !strings.Contains(page.body, want) {
				t.Errorf("the page of the past lacks %s", want)
			}
		}
		if now := s.get(room, "Accept", "text/html"); !strings.Contains(now.body, `"looking":-1`) || strings.Contains(now.body, `name="at" value="1`) {
			t.Error("the page of now looks back")
		}
		for _, wrong := range []string{"", "-1", "x", "1.5", "99999999999999999999"} {
			a := s.get(room + "/moment?at=" + wrong)
			a.want(t, http.StatusBadRequest, "application/problem+json")
			if !strings.Contains(a.body, "whole microseconds") {
				t.Errorf("at %q: %s", wrong, a.body)
			}
		}
	})
}

func TestACopyOfThePastStandsStillThere(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.afterTwoBursts()
		a := s.post(room+"/fork", "text/html", "at", "2500000")
		a.want(t, http.StatusSeeOther, "")
		fork := a.Header.Get("Location")
		time.Sleep(time.Minute)
		if m := s.moment(fork, "99000000"); m.Now != 2_500_000 || m.Scores[0].C[0] != "14" {
			t.Errorf("at %d µs, %s sent", m.Now, m.Scores[0].C[0])
		}
		if m := s.moment(room, "99000000"); m.Scores[0].C[0] != "28" {
			t.Errorf("the original has %s", m.Scores[0].C[0])
		}
		if page := s.get(fork); !strings.Contains(page.body, "the same up to 00:02.500") {
			t.Error("the copy does not say what it was made from")
		}
	})
}

func TestThePastIsChangedInACopy(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.afterTwoBursts()
		follow := func(a answer) string {
			t.Helper()
			a.want(t, http.StatusCreated, "application/json")
			var made struct{ Address string }
			if err := json.Unmarshal([]byte(a.body), &made); err != nil || made.Address == room {
				t.Fatalf("%s: %v", a.body, err)
			}
			return made.Address
		}
		// A larger bucket before the second burst.
		larger := follow(s.post(room+"/policies", "application/json", "at", "2500000", "do", "set", "policy", "token",
			"name", "token", "algorithm", "token-bucket", "limit", "10", "per", "1s", "burst", "12"))
		if m := s.moment(larger, "99000000"); m.Now != 4_000_000 || m.Scores[0].C[1] != "12" || m.Scores[1].C[0] != "28" {
			t.Errorf("%d µs: %v", m.Now, m.Scores)
		}
		compared := s.get(larger + "/compare")
		compared.want(t, http.StatusOK, "text/html")
		for _, want := range []string{"<s>10</s> → <b>12</b>", `data-inspect="24">24</a> passed here, refused there`, "14\u00a0requests in common"} {
			if !strings.Contains(compared.body, want) {
				t.Errorf("the comparison lacks %s", want)
			}
		}
		// Three more requests.
		more := follow(s.post(room+"/commands", "application/json", "at", "2500000", "command", "send 3@0s"))
		if m := s.moment(more, "99000000"); m.Scores[0].C[0] != "31" {
			t.Errorf("%s sent", m.Scores[0].C[0])
		}
		// Without script a form leads to the copy.
		s.post(room+"/commands", "text/html", "at", "2500000", "command", "send 3@0s").want(t, http.StatusSeeOther, "")
		// The clock of the past cannot be changed, and mistakes are told.
		for _, c := range []struct{ command, want string }{
			{"pause", "not by its clock"}, {"reset", "not by its clock"}, {"send 14@", "expected a time"}, {"stop", "no stream is running"},
		} {
			a := s.post(room+"/commands", "application/json", "at", "2500000", "command", c.command)
			if a.StatusCode < 400 || a.StatusCode >= 500 || !strings.Contains(a.body, c.want) {
				t.Errorf("%s: %s %s", c.command, a.Status, a.body)
			}
		}
		if a := s.post(room+"/policies", "application/json", "at", "2500000", "do", "set", "policy", "token", "name", "token", "algorithm", "token-bucket", "limit", "0", "per", "1s", "burst", "12"); a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.body, `"field":"limit"`) {
			t.Errorf("%s %s", a.Status, a.body)
		}
		if a := s.get(room + "/compare"); a.StatusCode != http.StatusOK || strings.Contains(a.body, "Compared") {
			t.Errorf("a room that began by itself is compared: %s", a.body)
		}
		// A reset begins anew: there is nothing to compare any more.
		s.post(larger+"/commands", "application/json", "command", "reset").want(t, http.StatusNoContent, "")
		if a := s.get(larger + "/compare"); strings.Contains(a.body, "Compared") {
			t.Error("a room that was reset is still compared")
		}
	})
}

// A copy made now is compared with an original that goes on as well.
func TestACopyIsComparedWithItsOriginalAsItGoesOn(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.post(room+"/commands", "application/json", "command", "stream 20/s").want(t, http.StatusNoContent, "")
		time.Sleep(1010 * time.Millisecond) // between two requests
		fork := s.post(room+"/fork", "text/html").Header.Get("Location")
		s.post(fork+"/policies", "application/json", "do", "set", "policy", "token",
			"name", "token", "algorithm", "token-bucket", "limit", "20", "per", "1s", "burst", "20").want(t, http.StatusNoContent, "")
		time.Sleep(time.Second)
		for _, want := range []string{"the same up to 00:01.010", "had 20\u00a0requests in common since", "<s>10</s> → <b>20</b>"} {
			if a := s.get(fork + "/compare"); !strings.Contains(a.body, want) {
				t.Errorf("the comparison lacks %s", want)
			}
		}
		// Requests of one alone are told of, and one that was reset is what it was.
		s.post(room+"/commands", "application/json", "command", "send 3@0s").want(t, http.StatusNoContent, "")
		time.Sleep(time.Second)
		if a := s.get(fork + "/compare"); !strings.Contains(a.body, "had 40\u00a0requests in common since; 3\u00a0came only there") {
			t.Errorf("%s", a.body)
		}
		s.post(room+"/commands", "application/json", "command", "reset").want(t, http.StatusNoContent, "")
		time.Sleep(time.Second)
		if a := s.get(fork + "/compare"); !strings.Contains(a.body, "had 0\u00a0requests in common since") {
			t.Errorf("%s", a.body)
		}
	})
}

// Changing the past must not take more work than the server can spare.
func TestThePastIsChangedWithinBounds(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for range 30 {
			s.post(room+"/commands", "application/json", "command", "step 24h").want(t, http.StatusNoContent, "")
		}
		a := s.post(room+"/commands", "application/json", "at", "0", "command", "stream 10000/s")
		if a.StatusCode != http.StatusUnprocessableEntity && a.StatusCode != http.StatusConflict || !strings.Contains(a.body, "expected at most 1,000,000") {
			t.Errorf("%s: %s", a.Status, a.body)
		}
		// What is still to come cannot be changed as if it were past.
		a = s.post(room+"/commands", "application/json", "at", "9000000000000", "command", "hit")
		if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.body, "that has passed") {
			t.Errorf("%s: %s", a.Status, a.body)
		}
	})
}

func TestALinkReproducesARoom(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.afterTwoBursts()
		s.post(room+"/commands", "application/json", "command", "stream 100/s key=ann", "command", "pace 2").want(t, http.StatusNoContent, "")
		time.Sleep(time.Second)
		a := s.get(room+"/link?at=1000000", "Accept", "application/json")
		a.want(t, http.StatusOK, "application/json")
		var made struct{ Link string }
		if err := json.Unmarshal([]byte(a.body), &made); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(made.Link)
		if err != nil || u.Host != "burstlab.test" || u.Path != "/open" {
			t.Fatalf("%s: %v", made.Link, err)
		}
		before, trace := s.get(room+"/decisions").body, s.get(room+"/trace").body
		opened := s.get(u.RequestURI())
		opened.want(t, http.StatusSeeOther, "")
		again, query, _ := strings.Cut(opened.Header.Get("Location"), "?")
		if query != "at=1000000" {
			t.Errorf("the room opens with %q", query)
		}
		time.Sleep(10 * time.Second) // it stands still
		if got := s.get(again + "/decisions").body; got != before || len(got) < 1000 {
			t.Errorf("the room decides otherwise: %d bytes, want %d", len(got), len(before))
		}
		if got := s.get(again + "/trace").body; got != trace || !strings.Contains(got, "ann") {
			t.Errorf("the room got other requests: %d bytes, want %d", len(got), len(trace))
		}
		page := s.get(again).body
		for _, want := range []string{`"pace":"2"`, `"paused":true`, `"stream":"100/s"`} {
			if !strings.Contains(page, want) {
				t.Errorf("the room is not as it was: no %s", want)
			}
		}
		// As a page, for who has no script.
		if page := s.get(room+"/link", "Accept", "text/html"); !strings.Contains(page.body, "/open?lab=2.") {
			t.Error("the page does not show the link")
		}
		// One that is broken explains itself, and makes no room.
		for link, want := range map[string]string{
			"/open":                                "this is not a link of Burstlab",
			"/open?lab=9.abc":                      "version 9",
			u.RequestURI()[:len(u.RequestURI())-9]: "cut off or damaged",
		} {
			a := s.get(link)
			a.want(t, http.StatusBadRequest, "application/problem+json")
			if !strings.Contains(a.body, want) {
				t.Errorf("%s: %s, want %s", link, a.body, want)
			}
		}
	})
}

func TestARoomTooLongForALinkSaysSo(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.post(room+"/commands", "application/json", "command", "send 99999@0s").want(t, http.StatusNoContent, "")
		s.post(room+"/commands", "application/json", "command", "send 99999@0s").want(t, http.StatusNoContent, "")
		time.Sleep(10 * time.Second)
		s.post(room+"/commands", "application/json", "command", "send 99999@0s").want(t, http.StatusNoContent, "")
		a := s.get(room+"/link", "Accept", "application/json")
		a.want(t, http.StatusConflict, "application/problem+json")
		if !strings.Contains(a.body, "too long for a link") {
			t.Errorf("%s", a.body)
		}
	})
}
