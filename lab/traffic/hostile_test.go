package traffic_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab/traffic"
)

// What a stranger may send is read, and a traffic of it opened, in about 10 ms
// at most. What grows with the square of the length, or with the requests that a
// few bytes stand for, takes much longer than the bound.
func TestHostileTextIsCheap(t *testing.T) {
	const bound = 250 * time.Millisecond
	cheap := func(name string, do func()) {
		t.Helper()
		// A busy machine may be slow once, not three times.
		least := time.Hour
		for try := 0; try < 3 && least > bound; try++ {
			start := time.Now()
			do()
			least = min(least, time.Since(start))
		}
		if least > bound {
			t.Errorf("%.40q takes %v, want less than %v", name, least, bound)
		}
	}
	repeated := func(begin, again, end string) string {
		return begin + strings.Repeat(again, (traffic.MaxNotation-len(begin)-len(end))/len(again)) + end
	}
	for _, text := range []string{
		repeated("", ";", ""), repeated("", " ", ""), repeated("", "\n", ""), repeated("", "#\n", ""), repeated("#", "#", ""), repeated("", "é", ""),
		repeated("", "1", ""), repeated("1@", "1", ""), repeated("1@", "1h", ""), repeated("1@", "0s", ""), repeated("1@0.", "0", "s"), repeated("1@", "0.1", "s"),
		repeated("", "1@0s\n", ""), repeated("", "1@0s;", ""), repeated("1@0s key=", "k", ""), repeated("1@0s key=\"", "\\xff", "\""), repeated("1@0s", " key=a", ""), repeated("1@0s key=\"", "k", ""),
		repeated("at", " 0s", ""), repeated("at 0s", " 9s 0s", ""), repeated("at", " 1281023h53m38s", ""), repeated("at 0s", " -1s", ""),
		repeated("trace 0s", ",0s", ""), repeated("trace 0s", ", 0s key=\"\" cost=1 service=0s", ""), repeated("trace 0s", ",\n", " 0s"), repeated("trace 1s", ",1s", ",0s"),
		strings.Repeat("ramp 1/s..9/s 0s..1h;", 1000), strings.Repeat("ramp 999999999/h..1000000000/438000h -1h..1h;", 1000), strings.Repeat("999983/h 0s..438000h\n", 1000),
		"random 1000000/s 0s..10s", strings.Repeat("random 1000000/s 0s..10s;", 1000), strings.Repeat("random 10000/s 0s..1s;", 1000), strings.Repeat("edge 9 per 1s at 0s;", 1000),
		strings.Repeat("1000000000@0s every 1ns x1000 every 1s;", 1000),
	} {
		cheap(text, func() {
			sent, err := traffic.Parse(text)
			if err == nil {
				traffic.NewSource(sent, 0).Clone()
			}
		})
	}
	for _, text := range []string{
		repeated("", ",", "\n"), repeated("\"at_ms\"", ",", "\n"), repeated("at_ms\n\"1\"", ",", "\n"), repeated("at_ms,key,cost,service_ms\n", ",", "\n"), repeated("at_ms,key\n\"1\",\"", "\"\"", "\"\n"),
		repeated("at_ms,key\n1,\"", "\n", ""), repeated("at_ms,key\n1,\"", "é", ""), repeated("at_ms\n", "1\n", ""), repeated("at_ms\n", "\n", ""), repeated("", "\n", ""), repeated("at_ms\n", "1", "\n"),
		repeated("", "[", "\n"), repeated("{", "\"at_ms\":1,", "\n"), repeated("{\"key\":\"", "\\ud83d\\ude00", "\"}\n"), repeated("{\"", "é", "\":1}\n"), repeated("{\"at_ms\":", "1", "}\n"), repeated("", "{\"at_ms\":1}\n", ""), repeated("", "{\"at_ms\":1}", ""),
		repeated("{\"at_ms\":1,\"key\":", "[", "\n"), repeated("", " ", "\n"),
	} {
		for _, open := range []func(string, io.Reader) traffic.TraceReader{
			func(name string, in io.Reader) traffic.TraceReader { return traffic.NewCSV(name, in) },
			func(name string, in io.Reader) traffic.TraceReader { return traffic.NewJSONL(name, in) },
		} {
			cheap(text, func() {
				for r := open("t", strings.NewReader(text)); ; {
					if _, err := r.Read(); err != nil {
						return
					}
				}
			})
		}
	}
}
