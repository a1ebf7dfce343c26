package views

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
)

// plain replaces no-break spaces, so that tables can be read.
func plain(s string) string { return strings.ReplaceAll(s, space, " ") }

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "−1,000", math.MaxInt64: "9,223,372,036,854,775,807",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q; expected %q", n, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{1, "1 ns"},
		{1001, "2 µs"},
		{time.Millisecond + 1, "2 ms"},
		{9_999*time.Millisecond + 1, "10 s"},
		{24*time.Hour - 1, "1 d"},
		{-time.Second, "−1 s"},
	} {
		if got := plain(Span(c.d)); got != c.want {
			t.Errorf("Span(%v) = %q; expected %q", c.d, got, c.want)
		}
	}
}

// The browser's code is held to the same table.
func TestSpanByTheTable(t *testing.T) {
	data, err := os.ReadFile("testdata/spans.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]any
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		us, want := time.Duration(row[0].(float64)), row[1].(string)
		if got := plain(Span(us * time.Microsecond)); got != want {
			t.Errorf("Span(%d µs) = %q; expected %q", us, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	for at, want := range map[lab.Time]string{
		0: "00:00.000", 12_340_999_999: "00:12.340", lab.Time(time.Hour): "1:00:00.000", -1_500_000_000: "−00:01.500",
	} {
		if got := Clock(at); got != want {
			t.Errorf("Clock(%d) = %q; expected %q", at, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"leaky", "Leaky bucket"}, {"leaky-2", "Leaky bucket 2"}, {"leaky-12", "Leaky bucket 12"},
		{"leaky-bucket", "leaky-bucket"}, {"leaky-02", "leaky-02"}, {"leaky-1", "leaky-1"}, {"leaky-", "leaky-"},
		{"Leaky bucket", "Leaky bucket"}, {"token", "token"}, {"outbox", "outbox"},
	} {
		if got := Title(lab.Policy{Name: c.name, Algorithm: lab.LeakyBucket}); got != c.want {
			t.Errorf("a leaky bucket called %q has the title %q; expected %q", c.name, got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		p    lab.Policy
		want string
	}{
		{lab.Policy{Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10}, "10 at once, then 1 per 100 ms"},
		{lab.Policy{Algorithm: lab.TokenBucket, Limit: 7, Per: time.Second, Burst: 3, Initial: lab.InitialEmpty}, "starts empty, 7 per 1 s, up to 3"},
		{lab.Policy{Algorithm: lab.GCRA, Limit: 1, Per: 24 * time.Hour, Burst: 1}, "1 at once, then 1 per 1 d"},
		{lab.Policy{Algorithm: lab.GCRA, Limit: 1_000_000, Per: time.Second, Burst: 50}, "50 at once, then 1,000,000 per 1 s"},
		{lab.Policy{Algorithm: lab.LeakyBucket, Limit: 2, Per: time.Second, Queue: 4, First: lab.FirstAfterGap}, "leaks 1 per 500 ms, holds 4, first after a gap"},
		{lab.Policy{Algorithm: lab.FixedWindow, Limit: 999_983, Per: 24 * time.Hour}, "999,983 in each 1 d window"},
		{lab.Policy{Algorithm: lab.SlidingLog, Limit: 100, Per: time.Minute}, "100 in any 1 min"},
		{lab.Policy{Algorithm: lab.SlidingCounter, Limit: 10, Per: time.Second}, "about 10 in any 1 s"},
		{lab.Policy{Algorithm: lab.Concurrency, Limit: 5}, "5 in progress at once"},
	} {
		if got := plain(Summary(c.p)); got != c.want {
			t.Errorf("Summary(%+v) = %q; expected %q", c.p, got, c.want)
		}
	}
	for _, a := range lab.Algorithms {
		if Summary(lab.Policy{Algorithm: a, Limit: 1, Per: time.Second, Burst: 1, Queue: 1}) == "" || AlgorithmWord(a) == string(a) {
			t.Errorf("%s has no summary or no name of its own", a)
		}
	}
}

// Whoever waits as long as the page says has waited long enough: the words of a
// wait never stand for a shorter one.
func TestSpanNeverSaysLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(lab.MaxSpan)).Draw(t, "d") >> rapid.IntRange(0, 60).Draw(t, "shift"))
		if said := spanOf(t, Span(d)); said.Cmp(new(big.Rat).SetInt64(int64(d))) < 0 {
			t.Fatalf("Span(%d ns) = %q says less", d, Span(d))
		}
	})
}

// spanOf reads the words of a length of time, in nanoseconds.
func spanOf(t *rapid.T, words string) *big.Rat {
	units := map[string]time.Duration{
		"ns": 1, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	said := new(big.Rat)
	fields := strings.Fields(strings.ReplaceAll(plain(words), ",", ""))
	for i := 0; i < len(fields); i += 2 {
		n, ok := new(big.Rat).SetString(fields[i])
		if !ok {
			t.Fatalf("%q holds no number", words)
		}
		said.Add(said, n.Mul(n, new(big.Rat).SetInt64(int64(units[fields[i+1]]))))
	}
	return said
}

func TestDecimalsNeverLookExactWhenTheyAreNot(t *testing.T) {
	for _, c := range []struct {
		x    *big.Rat
		want string
	}{
		{big.NewRat(9995, 1000), "9.995"},
		{big.NewRat(1, 3), "0.333…"},
		{big.NewRat(9_999_999, 1_000_000), "9.999…"},
		{big.NewRat(-1, 2), "−0.5"},
		{big.NewRat(12_345, 1), "12,345"},
		{big.NewRat(1, 1_000_000), "0.000…"},
	} {
		if got := decimals(c.x, 3); got != c.want {
			t.Errorf("decimals(%v) = %q; expected %q", c.x, got, c.want)
		}
	}
}
