package lab_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
)

func TestAppendLine(t *testing.T) {
	var printable []byte
	for c := byte(' '); c <= '~'; c++ {
		printable = append(printable, c)
	}
	const longest = time.Duration(1<<63 - 1)
	for _, test := range []struct {
		i      uint64
		policy string
		d      lab.Decision
		want   string
	}{
		{0, "api", lab.Decision{Remaining: 9, Reset: 100 * time.Millisecond, At: 7, Clamped: true},
			`{"i":0,"policy":"api","decision":"allow","wait_ms":0,"remaining":9,"retry_after_ms":0,"reset_ms":100}`},
		{1, "api", lab.Decision{Verdict: lab.Delay, Wait: time.Millisecond + 1, Remaining: 1, Reset: 1},
			`{"i":1,"policy":"api","decision":"delay","wait_ms":2,"remaining":1,"retry_after_ms":0,"reset_ms":1}`},
		{1<<64 - 1, "api", lab.Decision{Verdict: lab.Refuse, RetryAfter: 2*time.Millisecond - 1, Reset: time.Millisecond},
			`{"i":18446744073709551615,"policy":"api","decision":"refuse","wait_ms":0,"remaining":0,"retry_after_ms":2,"reset_ms":1}`},
		{2, `the "big" \ one`, lab.Decision{Verdict: lab.Never, Remaining: lab.MaxCount, RetryAfter: 5, Reset: longest},
			`{"i":2,"policy":"the \"big\" \\ one","decision":"never","wait_ms":0,"remaining":1000000000000,"reset_ms":9223372036855}`},
		{3, string(printable), lab.Decision{}, ""},
	} {
		got := string(lab.AppendLine([]byte("before\n"), test.i, test.policy, &test.d))
		if want := "before\n" + test.want + "\n"; test.want != "" && got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		var read struct{ Policy, Decision string }
		if err := json.Unmarshal([]byte(got)[len("before\n"):], &read); err != nil || read.Policy != test.policy || read.Decision != test.d.Verdict.String() {
			t.Errorf("%s: read as %+v (%v)", got, read, err)
		}
	}
}
