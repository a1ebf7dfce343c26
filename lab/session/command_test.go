package session_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/burstlab/burstlab/lab/session"
)

// Every command is written back as it was read, or as on the right of the arrow.
func TestParse(t *testing.T) {
	for _, line := range []string{
		"send 14@0s",
		"send 14@0s; 4/s 1s..3s key=ann cost=2",
		`stream 4/s`,
		`stream 3/1.5s key="two words" cost=2 service=200ms`,
		"stop",
		"hit",
		`hit key="a;b" cost=3 service=1.5s`,
		`policies {"policies":[{"name":"log","algorithm":"sliding-log","limit":5,"per":"1m"}]}`,
		"pause", "resume", "pause \r\n → pause",
		"pace 0.1", "pace 1", "pace 2.5", "pace 100", "pace 1.500 → pace 1.5",
		"step", "step 100ms", "step 90s → step 1m30s",
		"reset",
	} {
		text, want, changed := strings.Cut(line, " → ")
		if !changed {
			want = text
		}
		c, err := session.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if c.String() != want {
			t.Errorf("%q is written back as %q", text, c.String())
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		part   string
	}{
		{"", 0, "expected one of send, stream, stop, policies, pause, resume, pace, step, reset, hit"},
		{"explode", 0, `"explode" is not a command`},
		{"send", 4, "nothing to send"},
		{"send 14@0s; x", 12, ""},
		{"send 1@-1s", 5, "before now"},
		{"stream 0/s", 7, ""},
		{"stream 20000/s", 7, "too fast"},
		{"stream 4/s cost=0", 16, ""},
		{"stream 1@0s", 7, ""},
		{"hit cost=x", 9, ""},
		{"hit every 1s", 4, ""},
		{"pace 0.05", 5, "from 0.1 to 100"},
		{"pace 101", 5, "from 0.1 to 100"},
		{"pace 1.", 5, "at most three decimals"},
		{"pace -1", 5, "not a pace"},
		{"step -1s", 5, "not a step"},
		{"step 25h", 5, "at most 24h"},
		{"stop now", 5, "expected nothing"},
		{"policies {", 9, "expected"},
		{`policies {"policies":[{"name":"é","algorithm":"gcra","limit":1}]}`, 9, ""},
		{`policies {"policies":[{"name":"a","algorithm":"fifo","limit":1}]}`, 45, "fifo"},
		{"send " + strings.Repeat(" ", session.MaxCommand), session.MaxCommand, "too long"},
	} {
		_, err := session.Parse(c.text)
		var at *session.CommandError
		if !errors.As(err, &at) {
			t.Errorf("%.40q: %v, want a CommandError", c.text, err)
			continue
		}
		if at.Offset < c.offset || at.Offset > len(c.text) || !strings.Contains(at.Message, c.part) {
			t.Errorf("%.40q: at %d: %s; want at %d or later: …%s…", c.text, at.Offset, at.Message, c.offset, c.part)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("send 14@0s")
	f.Add(`stream 4/s key="x y"`)
	f.Add("hit cost=2")
	f.Add(`policies {"policies":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := session.Parse(text)
		if err != nil {
			var at *session.CommandError
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(text) {
				t.Fatalf("%q: error %#v", text, err)
			}
			return
		}
		again, err := session.Parse(c.String())
		if err != nil {
			t.Fatalf("%q is written back as %q: %v", text, c, err)
		}
		if diff := cmp.Diff(c, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q and %q differ:\n%s", text, c, diff)
		}
	})
}

func TestEntryJSON(t *testing.T) {
	c, err := session.Parse("send 14@0s key=ann")
	if err != nil {
		t.Fatal(err)
	}
	e := session.Entry{Seq: 7, Stamp: 1234, Command: c}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"seq":7,"stamp":1234,"command":"send 14@0s key=ann"}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var back session.Entry
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, back); diff != "" {
		t.Error(diff)
	}
}
