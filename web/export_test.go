package web_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/web"
)

// hostile are keys that a spreadsheet would take for formulas, and that a file
// has to quote.
var hostile = []string{"=1+1", "+1", "-1", "@a", "\tx", "\rx", "'x", "plain", `a "b", ` + "\n=c", "ключ", "</script>"}

// fill sends a request of each hostile key, and one that can never pass.
func (s *site) fill(room string) {
	s.t.Helper()
	for _, key := range hostile {
		s.get(room + "/hit?" + url.Values{"key": {key}, "cost": {"3"}, "service": {"1.5ms"}}.Encode())
		after(7 * time.Millisecond)
	}
	s.command(room, "send 14@0s key=ann; 1@0s cost=99")
}

func TestDecisionsInThreeFormatsSayTheSame(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.fill(room)
		type decision struct {
			I                int
			Policy, Decision string
			WaitMS           int  `json:"wait_ms"`
			Remaining        int  `json:"remaining"`
			RetryAfterMS     *int `json:"retry_after_ms"`
			ResetMS          int  `json:"reset_ms"`
		}
		var lines, list []decision
		a := s.get(room + "/decisions")
		a.want(t, http.StatusOK, "application/jsonl")
		for text := range strings.Lines(a.body) {
			var d decision
			if err := json.Unmarshal([]byte(text), &d); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, d)
		}
		a = s.get(room + "/decisions.json")
		a.want(t, http.StatusOK, "application/json")
		if err := json.Unmarshal([]byte(a.body), &list); err != nil {
			t.Fatal(err)
		}
		n := (len(hostile) + 15) * 7
		if len(lines) != n || len(list) != n {
			t.Fatalf("%d lines and a list of %d; expected %d", len(lines), len(list), n)
		}
		a = s.get(room + "/decisions.csv")
		a.want(t, http.StatusOK, "text/csv")
		rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		if err != nil || len(rows) != n+1 {
			t.Fatalf("%d rows, %v; expected %d", len(rows), err, n+1)
		}
		for i, row := range rows[1:] {
			retry := ""
			if lines[i].RetryAfterMS != nil {
				retry = strconv.Itoa(*lines[i].RetryAfterMS)
			}
			d := lines[i]
			want := []string{strconv.Itoa(d.I), d.Policy, d.Decision, strconv.Itoa(d.WaitMS), strconv.Itoa(d.Remaining), retry, strconv.Itoa(d.ResetMS)}
			got := slices.Concat(row[:1], row[5:])
			if !slices.Equal(got, want) {
				t.Fatalf("row %d: %q; expected %q", i, got, want)
			}
			if fmt.Sprint(list[i].I, list[i].Policy, list[i].Decision, list[i].WaitMS, list[i].RetryAfterMS == nil) != fmt.Sprint(d.I, d.Policy, d.Decision, d.WaitMS, d.RetryAfterMS == nil) {
				t.Fatalf("item %d: %+v; expected %+v", i, list[i], d)
			}
			if d.I >= len(hostile) {
				continue
			}
			// A spreadsheet sees no formula, and the key is still in it.
			key := row[2]
			if strings.ContainsAny(key[:1], "=+-@\t\r") {
				t.Errorf("the key %q would be taken for a formula", key)
			}
			// A reader of CSV takes a line's end of two characters for one.
			if want := strings.ReplaceAll(hostile[d.I], "\r\n", "\n"); strings.TrimPrefix(key, "'") != want && key != want {
				t.Errorf("the key %q is written as %q", want, key)
			}
			if row[3] != "3" || row[4] != "1.5" {
				t.Errorf("row %d: cost %s, service %s", i, row[3], row[4])
			}
		}
	})
}

func TestRequestsInTwoFormatsSayTheSame(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.fill(room)
		a := s.get(room + "/trace.json")
		a.want(t, http.StatusOK, "application/json")
		var list []struct {
			I         int
			AtMS      json.Number `json:"at_ms"`
			Key       string
			Cost      int64
			ServiceMS json.Number `json:"service_ms"`
		}
		if err := json.Unmarshal([]byte(a.body), &list); err != nil || len(list) != len(hostile)+15 {
			t.Fatalf("%d requests, %v", len(list), err)
		}
		// The reader of `burstlab replay`.
		rows := traffic.NewCSV("trace", strings.NewReader(s.get(room+"/trace").body))
		for i, r := range list {
			q, err := rows.Read()
			if err != nil {
				t.Fatal(err)
			}
			if r.I != i || r.AtMS.String() != q.At.Millis() || r.Key != q.Key || r.Cost != q.Cost || (i < len(hostile)) != (r.ServiceMS == "1.5") {
				t.Errorf("request %d: %+v in JSON, %+v in CSV", i, r, q)
			}
			if i < len(hostile) && r.Key != hostile[i] {
				t.Errorf("request %d has the key %q; expected %q as it was sent", i, r.Key, hostile[i])
			}
		}
		if _, err := rows.Read(); err != io.EOF {
			t.Errorf("after the last row: %v", err)
		}
	})
}

func TestFilesHaveTheRoomsNameAndEmptyOnesAreWhole(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		name := strings.TrimPrefix(room, "/r/")
		for path, want := range map[string][2]string{
			"trace":          {"requests.csv", "at_ms,key,cost,service_ms\n"},
			"trace.json":     {"requests.json", "[\n\n]\n"},
			"decisions":      {"decisions.jsonl", ""},
			"decisions.json": {"decisions.json", "[\n\n]\n"},
			"decisions.csv":  {"decisions.csv", "i,at_ms,key,cost,service_ms,policy,decision,wait_ms,remaining,retry_after_ms,reset_ms\n"},
		} {
			a := s.get(room + "/" + path)
			if got := a.Header.Get("Content-Disposition"); got != `attachment; filename="`+name+"-"+want[0]+`"` || a.body != want[1] {
				t.Errorf("%s: %s, %q", path, got, a.body)
			}
			s.get(room+"/"+path+"?from=x").want(t, http.StatusBadRequest, "application/problem+json")
		}
	})
}

func TestScoresAsAFile(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.ask(http.MethodPut, room+"/policies", `{"policies":[{"name":"=cmd","algorithm":"leaky-bucket","limit":10,"per":"1s","queue":10},{"name":"log","algorithm":"sliding-log","limit":5,"per":"1500ms"}]}`).
			want(t, http.StatusOK, "application/json")
		s.command(room, "send 14@0s; 1@0s cost=11")
		a := s.get(room + "/scores.csv")
		a.want(t, http.StatusOK, "text/csv")
		rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%q, %v", rows, err)
		}
		for i, want := range []string{
			"'=cmd leaky-bucket 15 1 9 4 1 10 yes 1000 400 900 900 1 1",
			"log sliding-log 15 5 0 9 1 5 yes 1500 0 0 0 2 2",
		} {
			if got := strings.Join(rows[i+1][:15], " "); got != want {
				t.Errorf("row %d: %s; expected %s", i, got, want)
			}
		}
	})
}

// A whole that is read slowly stays readable whatever the room does meanwhile.
func TestAFileIsWholeWhileTheRoomGoesOn(t *testing.T) {
	for _, c := range []struct {
		about, command string
		whole          bool
	}{
		{"more comes", "send 3000@0s", true},
		{"policies change", `policies {"policies":[{"name":"only","algorithm":"sliding-log","limit":5,"per":"1s"}]}`, true},
		{"the room is emptied", "reset", false},
		{"what was there is given up", "send 90000@0s", false},
	} {
		t.Run(c.about, func(t *testing.T) {
			visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
				room := s.room()
				s.command(room, "send 20000@0s key=before")
				resp, err := s.client.Get("http://burstlab.test" + room + "/trace.json")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				start := make([]byte, 1000)
				if _, err := io.ReadFull(resp.Body, start); err != nil {
					t.Fatal(err)
				}
				s.command(room, c.command)
				if strings.Contains(c.command, "reset") { // the numbers begin anew
					s.command(room, "send 20000@0s key=after")
				}
				rest, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				var list []struct {
					I   int
					Key string
				}
				if err := json.Unmarshal(append(start, rest...), &list); err != nil {
					t.Fatal(err)
				}
				for i, r := range list {
					if r.I != i || r.Key != "before" {
						t.Fatalf("item %d is request %d of key %s", i, r.I, r.Key)
					}
				}
				if whole := len(list) == 20_000; whole != c.whole {
					t.Errorf("%d requests", len(list))
				}
			})
		})
	}
}

// Nobody takes a half for the whole.
func TestAFileOfARoomThatEndsBreaksOff(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "send 20000@0s")
		resp, err := s.client.Get("http://burstlab.test" + room + "/decisions.csv")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		start := make([]byte, 1000)
		if _, err := io.ReadFull(resp.Body, start); err != nil {
			t.Fatal(err)
		}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.stop()
		}()
		defer func() { <-stopped }()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the rest was read with %v; expected an unexpected end", err)
		}
	})
}
