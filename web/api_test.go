package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/web"
)

func TestPoliciesAreReadAndSetAsAFile(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		a := s.get(room + "/policies")
		a.want(t, http.StatusOK, "application/json")
		var file struct {
			Policies []struct{ Name, Algorithm string }
		}
		if err := json.Unmarshal([]byte(a.body), &file); err != nil || len(file.Policies) != 7 {
			t.Fatalf("%d policies, %v", len(file.Policies), err)
		}
		again := s.ask(http.MethodPut, room+"/policies", a.body)
		again.want(t, http.StatusOK, "application/json")
		if again.body != a.body {
			t.Errorf("putting back what was read changed it:\n%s", again.body)
		}
		yaml := s.ask(http.MethodPut, room+"/policies", "policies:\n- name: slow\n  algorithm: gcra\n  limit: 1\n  per: 1m\n  burst: 2\n")
		yaml.want(t, http.StatusOK, "application/json")
		if got := s.get(room + "/hit").Header.Get("RateLimit"); got != `"slow";r=1;t=60` {
			t.Errorf("RateLimit: %s", got)
		}
	})
}

func TestAPolicyFileWithAMistakeIsAnsweredWithItsPlace(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		before := s.get(room + "/policies").body
		a := s.ask(http.MethodPut, room+"/policies", "{\"policies\": [\n {\"name\": \"a\", \"algorithm\": \"gcra\", \"limit\": 1, \"per\": \"1s\", \"brust\": 2}]}")
		a.want(t, http.StatusBadRequest, "application/problem+json")
		var p struct {
			Detail       string
			Line, Column int
		}
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Line != 2 || p.Column == 0 || !strings.Contains(p.Detail, "brust") {
			t.Errorf("%s (%v)", a.body, err)
		}
		for _, body := range []string{"", "{", `{"policies":[]}`, `{"policies":[{"name":"a"}]}`, strings.Repeat("[", 100_000)} {
			if a := s.ask(http.MethodPut, room+"/policies", body); a.StatusCode != http.StatusBadRequest && a.StatusCode != http.StatusConflict {
				t.Errorf("%.20q: %s", body, a.Status)
			}
		}
		// A MiB is let in; what is wrong with it is then said.
		s.ask(http.MethodPut, room+"/policies", strings.Repeat(" ", 1<<20)).want(t, http.StatusBadRequest, "application/problem+json")
		big := s.ask(http.MethodPut, room+"/policies", strings.Repeat(" ", 1<<20+1))
		big.want(t, http.StatusRequestEntityTooLarge, "application/problem+json")
		if after := s.get(room + "/policies").body; after != before {
			t.Error("a file with a mistake changed the policies")
		}
	})
}

func TestDecisionsAreLinesAsReplayPrintsThem(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 11@0s")
		s.command(room, "send 1@0s cost=11")
		a := s.get(room + "/decisions")
		a.want(t, http.StatusOK, "application/jsonl")
		lines := strings.Split(strings.TrimSpace(a.body), "\n")
		if len(lines) != 12*7 {
			t.Fatalf("%d lines; expected 84", len(lines))
		}
		for i, want := range map[int]string{
			0:      `{"i":0,"policy":"token","decision":"allow","wait_ms":0,"remaining":9,"retry_after_ms":0,"reset_ms":100}`,
			8:      `{"i":1,"policy":"leaky","decision":"delay","wait_ms":100,"remaining":8,"retry_after_ms":0,"reset_ms":1}`,
			70:     `{"i":10,"policy":"token","decision":"refuse","wait_ms":0,"remaining":0,"retry_after_ms":100,"reset_ms":100}`,
			11 * 7: `{"i":11,"policy":"token","decision":"never","wait_ms":0,"remaining":0,"reset_ms":100}`,
		} {
			if lines[i] != want {
				t.Errorf("line %d:\n%s\nexpected\n%s", i, lines[i], want)
			}
		}
		if got := s.get(room + "/decisions?from=11").body; got != strings.Join(lines[77:], "\n")+"\n" {
			t.Errorf("from 11: %s", got)
		}
		s.get(room+"/decisions?from=x").want(t, http.StatusBadRequest, "application/problem+json")
	})
}

// What a room has seen can be replayed: the trace and the policies give the same
// decisions.
func TestARoomsTraceGivesItsDecisions(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.get(room + "/hit?" + url.Values{"key": {"a \"b\", \n=c\r\n"}, "cost": {"3"}, "service": {"1.5ms"}}.Encode())
		s.command(room, "send 14@0s every 7ms key=ann service=30ms; 1@1s cost=99")
		after(1500 * time.Millisecond)
		a := s.get(room + "/trace")
		a.want(t, http.StatusOK, "text/csv")
		policies, err := policyfile.Read("policies", []byte(s.get(room+"/policies").body))
		if err != nil {
			t.Fatal(err)
		}
		b, err := bench.New(policies, bench.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var lines []byte
		rows := traffic.NewCSV("trace", strings.NewReader(a.body))
		for n := uint64(0); ; n++ {
			r, err := rows.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			decisions, err := b.Decide(r)
			if err != nil {
				t.Fatal(err)
			}
			for i := range decisions {
				lines = lab.AppendLine(lines, n, policies[i].Name, &decisions[i])
			}
		}
		if got := s.get(room + "/decisions").body; got != string(lines) || strings.Count(got, "\n") != 16*7 {
			t.Errorf("the room decided\n%s\nits trace gives\n%s", got, lines)
		}
		if empty := s.get(s.room() + "/trace").body; empty != "at_ms,key,cost,service_ms\n" {
			t.Errorf("nothing has come, and the trace is %q", empty)
		}
	})
}

func TestDecisionsSayWhichAreNoLongerKept(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 50000@0s")
		a := s.get(room + "/decisions")
		var first, next int
		fmt.Sscan(a.Header.Get("Burstlab-First-Request"), &first)
		fmt.Sscan(a.Header.Get("Burstlab-Next-Request"), &next)
		if first < 20_000 || next != 50_000 || strings.Count(a.body, "\n") != 7*(next-first) {
			t.Errorf("%d lines from %d to %d", strings.Count(a.body, "\n"), first, next)
		}
		if want := fmt.Sprintf(`{"i":%d,"policy":"token"`, first); !strings.HasPrefix(a.body, want) {
			t.Errorf("begins with %.60s; expected %s", a.body, want)
		}
		a = s.get(room + "/decisions?from=60000")
		if first, next := a.Header.Get("Burstlab-First-Request"), a.Header.Get("Burstlab-Next-Request"); first != "50000" || next != "50000" || a.body != "" {
			t.Errorf("from a request to come: from %s to %s, %d bytes; expected none, from 50000 on", first, next, len(a.body))
		}
	})
}

func TestAForkGoesItsOwnWay(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 14@0s")
		a := s.ask(http.MethodPost, room+"/fork", "")
		fork := a.Header.Get("Location")
		if a.StatusCode != http.StatusSeeOther || fork == room || !strings.HasPrefix(fork, "/r/") {
			t.Fatalf("%s to %q", a.Status, fork)
		}
		before := s.get(room + "/decisions").body
		if got := s.get(fork + "/decisions").body; got != before {
			t.Errorf("the fork begins with\n%s\nexpected\n%s", got, before)
		}
		s.command(fork, "send 1@0s")
		if got := s.get(fork + "/decisions").body; got == before || !strings.HasPrefix(got, before) {
			t.Errorf("the fork goes on with\n%s", got)
		}
		if got := s.get(room + "/decisions").body; got != before {
			t.Error("what happens in the fork happens in its original")
		}
	})
}

// A room that holds all that it may tells a real request so, and says how many
// others it could not decide.
func TestAFullRoomSaysSo(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.ask(http.MethodPut, room+"/policies", `{"policies":[{"name":"log","algorithm":"sliding-log","limit":1000000,"per":"24h"}]}`).
			want(t, http.StatusOK, "application/json")
		s.command(room, "send 99999@0s")
		s.get(room+"/hit").want(t, http.StatusOK, "")
		a := s.get(room + "/hit")
		a.want(t, http.StatusServiceUnavailable, "application/problem+json")
		a.contains(t, "as many entries as it can")
		s.command(room, "send 3@0s")
		if lines := strings.Count(s.get(room+"/decisions?from=99999").body, "\n"); lines != 1 {
			t.Errorf("%d decisions after request 99,998; expected 1", lines)
		}
	})
}

func TestNotationIsCheckedWhileItIsWritten(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for text, want := range map[string]string{
			"14@0s; 4/s 1s..3s":            `"ok":true,"count":22`,
			"14@0s; 4/s 1s.3s":             `"ok":false`,
			"":                             `"ok":`,
			strings.Repeat("1@0s;", 20000): `"ok":false`,
		} {
			a := s.ask(http.MethodPost, room+"/notation", text, "Content-Type", "text/plain")
			a.want(t, http.StatusOK, "application/json")
			a.contains(t, want)
		}
	})
}

func TestAScenarioIsPlayedFromTheStart(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		after(5 * time.Second)
		page := s.get(room, "Accept", "text/html").body
		_, after, found := strings.Cut(page, `name="name" value="`)
		name, _, _ := strings.Cut(after, `"`)
		if !found {
			t.Fatal("the page offers no scenario")
		}
		a := s.post(room+"/preset", "text/html", "name", name)
		if a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %s", name, a.Status)
		}
		if s.get(room+"/policies").body == "" || s.get(room+"/decisions").Header.Get("Burstlab-First-Request") != "0" {
			t.Errorf("%s was not played from the start", name)
		}
	})
}
