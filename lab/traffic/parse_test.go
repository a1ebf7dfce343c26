package traffic_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

const (
	ms   = lab.Time(time.Millisecond)
	sec  = lab.Time(time.Second)
	hour = lab.Time(time.Hour)
)

func TestParse(t *testing.T) {
	second := func(n int64) traffic.Rate { return traffic.Rate{Count: n, Per: time.Second} }
	tests := []struct {
		notation string
		want     []traffic.Pattern
	}{
		{"", nil},
		{" ; ;\n# nothing is sent\n", nil},
		{"14@0s", []traffic.Pattern{traffic.Burst{Requests: 14}}},
		{"14@0", []traffic.Pattern{traffic.Burst{Requests: 14}}},
		{"3@-1.5s", []traffic.Pattern{traffic.Burst{Requests: 3, At: -1500 * ms}}},
		{"1@100ms x10 every 100ms", []traffic.Pattern{
			traffic.Burst{Requests: 1, At: 100 * ms, Rounds: 10, Every: 100 * time.Millisecond},
		}},
		{"30@3s every 2ms key=ann cost=2", []traffic.Pattern{
			traffic.Burst{Requests: 30, At: 3 * sec, Gap: 2 * time.Millisecond, Each: traffic.Each{Key: "ann", Cost: 2}},
		}},
		{"30@3s every 2ms x 5 every 1s", []traffic.Pattern{
			traffic.Burst{Requests: 30, At: 3 * sec, Gap: 2 * time.Millisecond, Rounds: 5, Every: time.Second},
		}},
		{"15/s 12s..16s", []traffic.Pattern{traffic.Steady{Rate: second(15), From: 12 * sec, To: 16 * sec}}},
		{"120/1m 0..1h", []traffic.Pattern{
			traffic.Steady{Rate: traffic.Rate{Count: 120, Per: time.Minute}, To: hour},
		}},
		{"ramp 1/s..20/s 0s..10s", []traffic.Pattern{traffic.Ramp{First: second(1), Last: second(20), To: 10 * sec}}},
		{"random 4/s 0s..20s seed=7", []traffic.Pattern{traffic.Random{Rate: second(4), To: 20 * sec, Seed: 7}}},
		{"random 4/s 0s..20s cost=2 seed=18446744073709551615 key=a", []traffic.Pattern{
			traffic.Random{Rate: second(4), To: 20 * sec, Seed: 1<<64 - 1, Each: traffic.Each{Key: "a", Cost: 2}},
		}},
		{"edge 10 per 1s at 8s", []traffic.Pattern{traffic.Edge{Requests: 10, Window: time.Second, At: 8 * sec}}},
		{"edge 10 per 1s at 8s every 1ms service=1.5s", []traffic.Pattern{traffic.Edge{
			Requests: 10, Window: time.Second, At: 8 * sec, Gap: time.Millisecond,
			Each: traffic.Each{Service: 1500 * time.Millisecond},
		}}},
		{"at 0s 100ms 250ms", []traffic.Pattern{traffic.Times{At: []lab.Time{0, 100 * ms, 250 * ms}}}},
		{"trace 0s, 1s key=bob,\n # the third\n 1s cost=3 service=2s", []traffic.Pattern{traffic.Trace{Rows: []lab.Request{
			{At: 0, Key: "default", Cost: 1},
			{At: sec, Key: "bob", Cost: 1},
			{At: sec, Key: "default", Cost: 3, Service: 2 * time.Second},
		}}}},
		{`1@0s key="two words; and \"more\"\n\xff"`, []traffic.Pattern{
			traffic.Burst{Requests: 1, Each: traffic.Each{Key: "two words; and \"more\"\n\xff"}},
		}},
		{"1@0s key=2001:db8::7; 1@0s key=jos\u00e9@example.org", []traffic.Pattern{
			traffic.Burst{Requests: 1, Each: traffic.Each{Key: "2001:db8::7"}},
			traffic.Burst{Requests: 1, Each: traffic.Each{Key: "jos\u00e9@example.org"}},
		}},
		{"1@0s # one\n2@1s#two\r\n;3@2s", []traffic.Pattern{
			traffic.Burst{Requests: 1}, traffic.Burst{Requests: 2, At: sec}, traffic.Burst{Requests: 3, At: 2 * sec},
		}},
		{"1@0.0000000000025h", []traffic.Pattern{traffic.Burst{Requests: 1, At: 9}}},
		{"1@1h2.50m3us4ns", []traffic.Pattern{traffic.Burst{Requests: 1, At: hour + 150*sec + 3004}}},
	}
	for _, test := range tests {
		t.Run(test.notation, func(t *testing.T) {
			got, err := traffic.Parse(test.notation)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Patterns); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if err := got.Check(); err != nil {
				t.Errorf("Check: %v", err)
			}
		})
	}
}

func TestParseSaysWhereAndWhat(t *testing.T) {
	tests := []struct {
		notation string
		want     string // line:column offset message
	}{
		{"hello", `1:1 0 "hello" is no pattern; expected a pattern, such as 14@0s, 15/s 12s..16s, ramp, random, edge, at or trace`},
		{"14", `1:3 2 expected "@" and a time, or "/" and a span, after 14: 14@0s or 15/s 12s..16s`},
		{"14@", `1:4 3 found the end; expected a time such as 0s, 250ms or 1m30s`},
		{"14@\n", `1:4 3 found the end of the line; expected a time such as 0s, 250ms or 1m30s`},
		{"14@5", `1:4 3 "5" has a number without a unit; expected h, m, s, ms, us or ns`},
		{"14@5s2", `1:4 3 "5s2" has a number without a unit; expected h, m, s, ms, us or ns`},
		{"14@5d", `1:4 3 "5d" has a unit that is none of h, m, s, ms, us and ns`},
		{"14@1.0000000001s", `1:4 3 "1.0000000001s" is not a whole number of nanoseconds; expected fewer decimals`},
		{"14@0.33333333333333333333h", `1:4 3 "0.33333333333333333333h" is not a whole number of nanoseconds; expected fewer decimals`},
		{"14@9999999999s", `1:4 3 "9999999999s" is out of range; expected at most 2562047h`},
		{"14@-1281024h", `1:4 3 -1281024h is out of range; expected a time from -1281023h53m38.427387903s to 1281023h53m38.427387903s`},
		{"14@99999999999999999999999999999999999999999999999999h", `1:4 3 "9999999999999999999999999999999999999999…" is out of range; expected at most 2562047h`},
		{"0@0s", `1:1 0 0 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{"1000000000001@0s", `1:1 0 1000000000001 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{"1@0s x", `1:7 6 found the end; expected a whole number from 1 to 1,000,000,000,000`},
		{"1@0s x10", `1:9 8 found the end; expected "every" and the time from one round to the next, such as "x10 every 100ms"`},
		{"1@0s x10 key=a", `1:10 9 found "key"; expected "every" and the time from one round to the next, such as "x10 every 100ms"`},
		{"30@3s every 2ms x5 every 57ms", `1:26 25 the burst itself takes 58ms; expected at least that from one round to the next`},
		{"2@0s every 438001h", `1:12 11 438001h is out of range; expected at most 438000h`},
		{"9@0s every 438000h", `1:12 11 the last request would come after 1281023h53m38.427387903s, the last time that the engine's clock holds`},
		{"1@0s x9 every 438000h", `1:15 14 the last request would come after 1281023h53m38.427387903s, the last time that the engine's clock holds`},
		{"1000000000000@0s x2 every 0s", `1:1 0 the pattern makes too many requests; expected at most 1,000,000,000,000`},
		{"1@0s key=a every 2ms", `1:12 11 found "every"; expected key=, cost=, service= or ";" and the next pattern`},
		{"1@0s 2@0s", `1:6 5 found "2"; expected key=, cost=, service=, "x" and a number of rounds, "every" or ";" and the next pattern`},
		{"1@0s key=a key=b", `1:12 11 key= stands here twice; expected it once`},
		{"1@0s key=", `1:10 9 found the end; expected a key, in quotes where it has other characters than letters, digits and -_.:/@+%*~`},
		{`1@0s key=""`, `1:10 9 found "\""; expected a key, in quotes where it has other characters than letters, digits and -_.:/@+%*~`},
		{`1@0s key="a`, `1:10 9 the quoted key has no end on this line or a wrong escape; expected it as Go quotes text`},
		{"1@0s key=" + strings.Repeat("k", 4097), `1:10 9 the key is too long; expected at most 4096 bytes`},
		{"1@0s cost=0", `1:11 10 0 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{"1@0s cost=1.5", `1:12 11 found "."; expected key=, cost=, service= or ";" and the next pattern`},
		{"1@0s service=-1s", `1:14 13 found "-"; expected a duration such as 0s, 250ms or 1m30s`},
		{"1@0s service=900000h", `1:14 13 900000h is out of range; expected at most 438000h`},
		{"1@0s seed=3", `1:6 5 only a random pattern has a seed`},
		{"1@0s key a", `1:10 9 found "a"; expected "=" after key`},
		{"15/ 0s..1s", `1:5 4 0s is out of range; expected a duration of at least 1ns`},
		{"15/0s 0s..1s", `1:4 3 0s is out of range; expected a duration of at least 1ns`},
		{"15/second 0s..1s", `1:4 3 found "second"; expected a unit or a duration: s, 100ms, 24h`},
		{"0/s 0s..1s", `1:1 0 0 is out of range; expected a whole number from 1 to 1,000,000,000,000`},
		{"15/s 16s", `1:9 8 found the end; expected ".." and the end of the interval, such as "12s..16s"`},
		{"15/s 16s..12s", `1:11 10 12s is not after 16s; expected an interval's end after its beginning`},
		{"1000/ns 0s..1h", `1:1 0 the pattern makes too many requests; expected at most 1,000,000,000,000`},
		{"ramp 1/s 0s..1s", `1:10 9 found "0s"; expected ".." and the last rate, such as "1/s..20/s"`},
		{"ramp 0/s..0/s 0s..1s", `1:11 10 both rates are 0; expected one of them to be at least 1`},
		{"random 10/us 0s..1h", `1:8 7 the pattern makes too many requests; expected at most 10,000,000`},
		{"random 5000000/s 0s..1s; 1@0s; random 5000000/s 0s..1s;\nrandom 1/s 0s..1s", `2:8 63 with this one the random patterns make too many requests; expected at most 10,000,000 in all`},
		{"random 1/s 0s..1s seed=-1", `1:24 23 expected the seed, a whole number from 0 to 18446744073709551615`},
		{"edge 10 at 8s", `1:9 8 found "at"; expected "per" and the window's length, such as "edge 10 per 1s at 8s"`},
		{"edge 10 per 1s at 8.5s", `1:19 18 8.5s is not where a window of 1s ends; expected a multiple of 1s`},
		{"edge 10 per 1s at 8s every 101ms", `1:6 5 10 requests 101ms apart are longer than the window of 1s; expected them to fit into it`},
		{"edge 10 per 1s at 8s every 0s", `1:28 27 expected at least 1ns between two requests`},
		{"edge 10 per 9ns at 0s", `1:6 5 10 requests 1ns apart are longer than the window of 9ns; expected them to fit into it`},
		{"at", `1:3 2 found the end; expected a time such as 0s, 250ms or 1m30s`},
		{"at 1s 2s 1.5s", `1:10 9 1.5s is earlier than 2s before it; expected times in order`},
		{"trace 2s, 1s", `1:11 10 1s is earlier than 2s before it; expected times in order`},
		{"trace 2s 3s", `1:10 9 found "3s"; expected key=, cost=, service=, "," and the next request or ";" and the next pattern`},
		{"trace 2s,", `1:10 9 found the end; expected a time such as 0s, 250ms or 1m30s`},
		{"1@0s\n 1@0s key=\u00e9\u00e9\u00e9 !", `2:15 22 found "!"; expected key=, cost=, service= or ";" and the next pattern`},
		{strings.Repeat("1@0s;", 1001), `1:5001 5000 too many patterns; expected at most 1000`},
		{strings.Repeat(" ", traffic.MaxNotation+1), `1:65537 65536 the notation is too long; expected at most 65536 bytes`},
		{"at" + strings.Repeat(" 90s", 16000), `1:64003 64002 the notation is too long once its times are written in full; expected at most 65536 bytes`},
	}
	for _, test := range tests {
		t.Run(test.notation[:min(len(test.notation), 40)], func(t *testing.T) {
			_, err := traffic.Parse(test.notation)
			var syntax *traffic.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %v, want a *SyntaxError", err)
			}
			got := fmt.Sprintf("%d:%d %d %s", syntax.Line, syntax.Column, syntax.Offset, syntax.Message)
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestStringWritesTheNotation(t *testing.T) {
	for _, notation := range []string{
		"14@0s; 1@100ms x10 every 100ms; 15/s 12s..16s; 30@3s every 2ms key=ann cost=2",
		"ramp 1/s..20/m 0s..10s; random 4/1.5s -5s..20s seed=7 key=\"\\xff\" service=1m30s",
		"edge 10 per 24h at 48h every 1ms; at 0s 100ms 250ms cost=1; trace 0s, 1s key=bob, 1s cost=3 service=1ns",
	} {
		parsed, err := traffic.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.String(); got != notation {
			t.Errorf("got  %s\nwant %s", got, notation)
		}
		text, err := parsed.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back traffic.Traffic
		if err := back.UnmarshalText(text); err != nil || !reflect.DeepEqual(back, parsed) {
			t.Errorf("UnmarshalText(%s) = %v, %v", text, back, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"14@0s; 1@100ms x10 every 100ms; 15/s 12s..16s; 30@3s every 2ms key=ann cost=2",
		"ramp 1/s..20/s 0s..10s; random 4/1.5h 0s..20s seed=7",
		"edge 10 per 1s at 8s every 3us; at 0s 100ms 250ms key=\"a b\\x00\"",
		"trace -1s, 1s key=bob,\n1s cost=3 service=2h # end", "edge 9 per 9ns at -18ns", "1@0.0000000000025h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, notation string) {
		parsed, err := traffic.Parse(notation)
		if err != nil {
			var syntax *traffic.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(notation) || syntax.Line < 1 || syntax.Column < 1 {
				t.Fatalf("no place: %#v", err)
			}
			return
		}
		if err := parsed.Check(); err != nil {
			t.Fatalf("Parse gave what Check refuses: %v", err)
		}
		again, err := traffic.Parse(parsed.String())
		if err != nil {
			t.Fatalf("%s: %v", parsed, err)
		}
		if !reflect.DeepEqual(parsed, again) {
			t.Fatalf("%s became %s", parsed, again)
		}
		checkRequests(t, parsed, 2000)
	})
}

// checkRequests checks that the traffic's requests are in order, within its
// span and as many as it says; of a large traffic only the first most.
func checkRequests(t interface {
	Helper()
	Fatalf(string, ...any)
}, sent traffic.Traffic, most int64) {
	t.Helper()
	first, last := sent.Span()
	n, before := int64(0), first
	for r := range sent.Requests(0) {
		if r.At < before || r.At > last {
			t.Fatalf("%s: request %d comes at %d; the one before at %d, the span is %d to %d", sent, n, r.At, before, first, last)
		}
		if err := r.Check(); err != nil {
			t.Fatalf("%s: request %d: %v", sent, n, err)
		}
		if before = r.At; n == most {
			return
		}
		n++
	}
	if n != sent.Count() {
		t.Fatalf("%s: %d requests, Count says %d", sent, n, sent.Count())
	}
}

// A key does not keep the notation in memory from which it was read.
func TestKeysAreCopies(t *testing.T) {
	for _, text := range []string{"1@0s key=ann", `1@0s key="ann b"`} {
		text := strings.Clone(text)
		read, err := traffic.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		key := read.Patterns[0].(traffic.Burst).Key
		start := uintptr(unsafe.Pointer(unsafe.StringData(text)))
		if at := uintptr(unsafe.Pointer(unsafe.StringData(key))); at >= start && at < start+uintptr(len(text)) {
			t.Errorf("%s: the key is a part of the text", text)
		}
	}
}

// TestParsePlaces: where a pattern is said to stand, that pattern stands, and
// between them there are none.
func TestParsePlaces(t *testing.T) {
	patterns := []string{
		"14@0s", "30@3s every 2ms key=ann cost=2", `1@1ms key="a; # b"`, "2@0s x3 every 1s", "15/s 1s .. 2s  service=5ms",
		"ramp 1/s..20/s 0s..10s", "random 4/s 0s..2s seed=7", "edge 10 per 1s at 8s", "at 0s 100ms 250ms",
	}
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		var want []string
		for range rapid.IntRange(0, 6).Draw(rt, "patterns") {
			text.WriteString(rapid.SampledFrom([]string{"", " ", "\n", "# note; 3@1s\n", ";", " ; \t"}).Draw(rt, "before"))
			p := rapid.SampledFrom(patterns).Draw(rt, "pattern")
			want = append(want, p)
			text.WriteString(p)
			text.WriteString(rapid.SampledFrom([]string{";", " ;", "\n", " # note\n", "  \n"}).Draw(rt, "after"))
		}
		all, places, err := traffic.ParsePlaces(text.String())
		if err != nil {
			rt.Fatal(err)
		}
		var got []string
		for i, p := range places {
			got = append(got, text.String()[p.Start:p.End])
			alone, err := traffic.Parse(got[i])
			if err != nil || len(alone.Patterns) != 1 || alone.String() != all.Patterns[i].String() {
				rt.Fatalf("%q: %v, %v", got[i], alone, err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%q:\n%s", text.String(), diff)
		}
	})
}
