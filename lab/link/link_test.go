package link_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/link"
	"github.com/burstlab/burstlab/lab/session"
)

var two = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10, Initial: lab.InitialEmpty},
	{Name: "login <per> account & address", Algorithm: lab.SlidingLog, Limit: 3, Per: time.Minute},
}

func parse(t testing.TB, text string) session.Command {
	t.Helper()
	c, err := session.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var commands = []string{
	"send 14@0s", "send random 20/s 0s..3s seed=7; 1@1ns key=\"a b\"", "stream 9/s key=ann", "stop", "hit key=bob cost=3 service=90ms",
	`policies {"policies":[{"name":"b","algorithm":"leaky-bucket","limit":3,"per":"700ms","queue":4}]}`,
}

// What is written is read again, whatever it is.
func TestLinkRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := session.Recording{Policies: two, Pace: session.Tempo(rapid.Int64Range(100, 100_000).Draw(rt, "pace"))}
		for range rapid.IntRange(0, 30).Draw(rt, "commands") {
			r.End += lab.Time(rapid.Int64Range(0, 5e9).Draw(rt, "after"))
			r.Given = append(r.Given, session.Given{At: r.End, Command: parse(t, rapid.SampledFrom(commands).Draw(rt, "command"))})
		}
		l := link.Link{Recording: r, Cursor: lab.Time(rapid.Int64Range(0, int64(r.End)).Draw(rt, "cursor"))}
		text, err := l.Write()
		if err != nil {
			rt.Fatal(err)
		}
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			rt.Fatalf("%q does not stand in an address as it is", text)
		}
		again, err := link.Read(text)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := fmt.Sprint(again), fmt.Sprint(l); got != want {
			rt.Fatalf("read\n%s\nwant\n%s", got, want)
		}
	})
}

// pack makes a link of any content.
func pack(content string) string {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return "2." + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

const policy = `{"policies":[{"name":"a","algorithm":"gcra","limit":1,"per":"1s","burst":1}]}`

func TestBrokenLinksExplainThemselves(t *testing.T) {
	good := pack(`{"p":` + policy + `,"c":[[5,"send 1@0s"]],"e":9,"x":1000,"u":7}`)
	if l, err := link.Read(good); err != nil || l.Cursor != 7 || l.Recording.Given[0].At != 5 {
		t.Fatalf("%v: %v", l, err)
	}
	for text, want := range map[string]string{
		"":                             `this is not a link of Burstlab; expected its text to begin with "2."`,
		"hello":                        "this is not a link of Burstlab",
		"1.abc":                        "the link is of version 1; this Burstlab reads version 2",
		"01.abc":                       "this is not a link of Burstlab",
		"2.":                           "the link is cut off or damaged: its beginning is not as expected",
		good[:22]:                      "the link is cut off or damaged: its end is missing",
		good + "AAAA":                  "the link is cut off or damaged: something stands after its end",
		"2.a b":                        "expected letters, digits, - and _",
		good[:len(good)-5]:             "the link is cut off or damaged",
		strings.Repeat("1", 8001):      "the link is too long: 8,001 characters; expected at most 8,000",
		pack("{}"):                     "the link’s policies: ",
		pack("[]"):                     "what it holds is not as expected",
		pack(`{"p":{},"z":1}`):         "what it holds is not as expected",
		pack(strings.Repeat(" ", 2e6)): "the link holds too much: expected at most 1,048,576 bytes",
		pack(`{"p":` + policy + `,"c":[[5,"send 1@0s",3]],"e":9,"x":1000,"u":7}`):                                   "what it holds is not as expected",
		pack(`{"p":` + policy + `,"c":[[5]],"e":9,"x":1000,"u":7}`):                                                 "what it holds is not as expected",
		pack(`{"p":` + policy + `,"c":[[5,"send 1@"]],"e":9,"x":1000,"u":7}`):                                       "command 1 of the link: found the end; expected a time",
		pack(`{"p":` + policy + `,"c":[[5,"reset"]],"e":9,"x":1000,"u":7}`):                                         `command 1 of the link is "reset"; expected what sends or sets policies`,
		pack(`{"p":` + policy + `,"c":[[10,"send 1@0s"]],"e":9,"x":1000,"u":7}`):                                    "command 1 of the link is given 10 ns after the one before",
		pack(`{"p":` + policy + `,"c":[[-1,"send 1@0s"]],"e":9,"x":1000,"u":7}`):                                    "command 1 of the link is given -1 ns",
		pack(`{"p":` + policy + `,"e":-9,"x":1000,"u":0}`):                                                          "the link ends at -0.000009 ms",
		pack(`{"p":` + policy + `,"e":9,"x":1000,"u":10}`):                                                          "the link looks at 0.00001 ms",
		pack(`{"p":` + policy + `,"e":9,"x":1,"u":0}`):                                                              "the link’s pace is 0.001; expected 0.1 to 100",
		pack(`{"p":` + policy + `,"c":[[0,"stream 10000/s"]],"e":1000000000000000000,"x":1000,"u":0}`):              "the link makes up to 10,000,000,000,001 requests; expected at most 200,000",
		pack(`{"p":` + policy + `,"c":[[0,"send 100000@0s"],[0,"send 100001@0s"]],"e":1000000000,"x":1000,"u":0}`):  "the link makes up to 200,001 requests",
		pack(`{"p":` + policy + `,"c":[` + strings.Repeat(`[0,"hit"],`, 5000) + `[0,"hit"]],"e":9,"x":1000,"u":0}`): "the link holds 5,001 commands; expected at most 5,000",
	} {
		if _, err := link.Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestSessionsTooLongForALink(t *testing.T) {
	given := func(n int, text func(int) string) (r session.Recording) {
		r = session.Recording{Policies: two, Pace: session.RealTempo, End: 1e12}
		for i := range n {
			r.Given = append(r.Given, session.Given{Command: parse(t, text(i))})
		}
		return r
	}
	for want, r := range map[string]session.Recording{
		"up to 200,001 requests; a link reproduces at most 200,000": given(3, func(i int) string { return fmt.Sprintf("send %d@0s", 66_667) }),
		"5,001 commands; a link holds at most 5,000":                given(5001, func(int) string { return "hit" }),
		"characters; a link has at most 8,000":                      given(900, func(i int) string { return fmt.Sprintf("hit key=%x", i*i*7919+i) + fmt.Sprint(i*i*i*31) }),
	} {
		if _, err := (link.Link{Recording: r}).Write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pack(`{"p":` + policy + `,"c":[[5,"send 1@0s"]],"e":9,"x":1000,"u":7}`))
	f.Add("1.abc")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := link.Read(text)
		if err != nil {
			return
		}
		again, err := l.Write()
		if err != nil {
			t.Skip() // written at more length than it was read in
		}
		if back, err := link.Read(again); err != nil || fmt.Sprint(back) != fmt.Sprint(l) {
			t.Errorf("%v: %v", back, err)
		}
	})
}

// A link in which anything has been changed is not taken for another session.
func TestEveryChangedLetterIsFound(t *testing.T) {
	good := pack(`{"p":` + policy + `,"c":[[5,"send 14@0s"],[900,"send 4/s 0s..6s key=ann"]],"e":9000,"x":1000,"u":7}`)
	l, err := link.Read(good)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(l)
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := 2; i < len(good); i++ {
		for _, letter := range letters {
			if text := good[:i] + string(letter) + good[i+1:]; text != good {
				// The last bits before the checksum may mean nothing.
				if l, err := link.Read(text); err == nil && fmt.Sprint(l) != want {
					t.Fatalf("letter %d made %c: read as %v", i, letter, l)
				}
			}
		}
		if _, err := link.Read(good[:i]); err == nil {
			t.Fatalf("cut after %d letters: read as if nothing had happened", i)
		}
	}
}
