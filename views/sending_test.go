package views

import (
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/traffic"
)

// words splits a line as a POSIX shell does, as far as the line has only bare
// characters, single quotes and backslashes outside them (POSIX.1-2024, 2.2).
func words(t *testing.T, line string) []string {
	t.Helper()
	var out []string
	var word strings.Builder
	started := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			if started {
				out = append(out, word.String())
				word.Reset()
				started = false
			}
			continue
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				t.Fatalf("a quote has no end: %s", line)
			}
			word.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case strings.IndexByte("|&;<>()$`\"*?[#~=%!{}\n\t", c) >= 0:
			t.Fatalf("the shell means something else by %q at %d: %s", c, i, line)
		default:
			word.WriteByte(c)
		}
		started = true
	}
	if started {
		out = append(out, word.String())
	}
	return out
}

// Keys that shells, addresses and curl itself have other uses for.
var oddKeys = []string{
	traffic.DefaultKey, "ann", "a b", " ", "+", "a+b c", "O'Neil", "''", `"quoted"`, `back\slash`, `\'`, "$HOME", "`id`", "$(id)", "!!",
	"100%", "%41", "a&cost=9", "a=b", "a;b", "a#b?c", "a/b", "[1-3]{a,b}", "*", "~", "ü", "漢字", "😀", "e\u0301", "\u202e", "\u00a0",
	"\x00", "\x01\x1b[31m", "\n", "a\r\nb\t", "\x7f", strings.Repeat("k", traffic.MaxKey), strings.Repeat("ü", traffic.MaxKey/2),
	strings.Repeat("'", traffic.MaxKey),
}

// TestACurlLineSendsTheSameRequest: what a shell makes of the line, and the
// server of the address, is the request.
func TestACurlLineSendsTheSameRequest(t *testing.T) {
	policies := []string{"token", "O'Neil & [sons]; $1 \"x\" \\ %41+"}
	sh, _ := exec.LookPath("sh")
	for n, key := range oddKeys {
		r := lab.Request{Key: key, Cost: int64(n%3 + 1), Service: time.Duration(n%2) * 1500 * time.Millisecond}
		p := lab.Policy{Name: policies[n%len(policies)], Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second}
		s := sendingOf(RoomInfo{Name: "MANGO-42", Origin: "http://o'neil.test:8080"}, p, r)
		for _, d := range response.Dialects {
			line := s.Line(d)
			got := words(t, line)
			if len(got) != 3 || got[0] != "curl" || got[1] != "-i" {
				t.Fatalf("%q: a shell makes %q of the line", lab.Clip(key), got)
			}
			if sh != "" {
				out, err := exec.Command(sh, "-c", "curl() { printf '%s\\n' \"$@\"; }; "+line).CombinedOutput()
				if want := "-i\n" + got[2] + "\n"; err != nil || string(out) != want {
					t.Fatalf("%q: sh says %q, %v; want %q", lab.Clip(key), out, err, want)
				}
			}
			address, err := url.Parse(got[2])
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(address.RequestURI(), "[]{}' \"") || strings.ContainsFunc(got[2], func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				t.Errorf("%q: %s has signs in it that curl or a wire would change", lab.Clip(key), got[2])
			}
			if want := s.Target + asking(d); address.RequestURI() != want || address.Host != "o'neil.test:8080" {
				t.Errorf("%q: the line asks for %s, the request says %s", lab.Clip(key), address.RequestURI(), want)
			}
			query, err := url.ParseQuery(address.RawQuery)
			if err != nil {
				t.Fatal(err)
			}
			want := url.Values{"policy": {p.Name}}
			for name, value := range map[string]string{"key": key, "cost": Count(r.Cost), "service": lab.FormatSpan(r.Service), "dialect": d.String()} {
				usual := map[string]string{"key": traffic.DefaultKey, "cost": "1", "service": "0s", "dialect": "ietf"}[name]
				if value != usual {
					want.Set(name, value)
				}
			}
			if query.Encode() != want.Encode() {
				t.Errorf("%q: the query says %v, want %v", lab.Clip(key), query, want)
			}
		}
	}
}

func TestAKeyThatIsNoTextIsSaidToBe(t *testing.T) {
	s := sendingOf(RoomInfo{Name: "m", Origin: "http://h"}, lab.Policy{Name: "p"}, lab.Request{Key: "a\xff", Cost: 1})
	if !strings.Contains(s.Missing, "no UTF-8") || s.Curl != "" || s.Target != "" {
		t.Errorf("got %+v", s)
	}
}

func TestKeysAreShownSoThatTheyCanBeRead(t *testing.T) {
	for key, want := range map[string]string{
		"ann": "ann", "a b": "a b", "ü 漢字": "ü 漢字", `say "x"`: `say "x"`,
		" a": `" a"`, "a\n": `"a\n"`, "a\tb": `"a\tb"`, "a\x00": `"a\x00"`, "\xff": `"\xff"`, "a\u00a0b": `"a\u00a0b"`, "\u202ea": `"\u202ea"`,
	} {
		if got := keyWords(key); got != want {
			t.Errorf("%q is shown as %s, want %s", key, got, want)
		}
	}
}

// TestSendingSaysWhatIsInIt: the words on the target name what stands there, and
// nothing else.
func TestSendingSaysWhatIsInIt(t *testing.T) {
	p := lab.Policy{Name: "p", Algorithm: lab.Concurrency, Limit: 1}
	plainly := sendingOf(RoomInfo{Name: "m", Origin: "https://h:1"}, p, lab.Request{Key: traffic.DefaultKey, Cost: 1})
	full := sendingOf(RoomInfo{Name: "m", Origin: "https://h:1"}, p, lab.Request{Key: "ann", Cost: 2000, Service: 1})
	for _, name := range []string{"(key)", "(cost)", "(service)"} {
		if strings.Contains(plainly.Why, name) || !strings.Contains(full.Why, name) {
			t.Errorf("%s: %q and %q", name, plainly.Why, full.Why)
		}
	}
	if plainly.Target != "/r/m/hit?policy=p" || full.Target != "/r/m/hit?policy=p&key=ann&cost=2000&service=1ns" {
		t.Errorf("%s and %s", plainly.Target, full.Target)
	}
	if !slices.ContainsFunc(full.Header, func(l HeaderLine) bool { return l.String() == "Host: h:1" }) {
		t.Errorf("header %v", full.Header)
	}
}
