package lessontrace_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic/lessontrace"
)

// The counts, first and last times are the lessons'; the sums are of the times
// in milliseconds, one a line, as CPython 3.11 gives them.
func TestTracesAreTheLessons(t *testing.T) {
	tests := []struct {
		name        string
		trace       []lab.Request
		sent        int
		first, last string
		sum         string
	}{
		{"bursty", lessontrace.Bursty(lessontrace.BurstySeed), 202, "166", "19888", "6258dbbaa53ecc75"},
		{"gaps", lessontrace.Gaps(), 5000, "20", "253206", "fc932c68bd66a863"},
		{"steady 1x", lessontrace.Steady(1), 5964, "276", "3599664", "3fb3e5cbbe9c78d8"},
		{"steady 2x", lessontrace.Steady(2), 12036, "58", "3599753", "5b5ef1618b0cb42d"},
		{"bursty 1x", lessontrace.Bursts(1), 5589, "2202", "3599947", "ba91901615078160"},
		{"bursty 2x", lessontrace.Bursts(2), 11629, "464", "3596379", "9cada385fabcd616"},
		{"edge pattern", lessontrace.EdgePattern(), 6000, "59900", "3599400", "bdb883af4eb97af4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if len(test.trace) != test.sent {
				t.Fatalf("%d requests, want %d", len(test.trace), test.sent)
			}
			var at []string
			for i, r := range test.trace {
				at = append(at, r.At.Millis())
				if err := r.Check(); err != nil || r.Key != "default" || r.Cost != 1 || r.Service != 0 {
					t.Fatalf("request %d is %+v (%v)", i, r, err)
				}
			}
			if !slices.IsSortedFunc(test.trace, func(a, b lab.Request) int { return int(a.At - b.At) }) {
				t.Error("the times are not in order")
			}
			if first, last := at[0], at[len(at)-1]; first != test.first || last != test.last {
				t.Errorf("from %s to %s ms, want from %s to %s", first, last, test.first, test.last)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(at, "\n"))))[:16]; sum != test.sum {
				t.Errorf("the times' sum is %s, want %s", sum, test.sum)
			}
		})
	}
}
