package traffic_test

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/traffic"
)

func parse(t testing.TB, notation string) traffic.Traffic {
	t.Helper()
	sent, err := traffic.Parse(notation)
	if err != nil {
		t.Fatalf("%s: %v", notation, err)
	}
	return sent
}

// millis is when the requests of a notation come, each written in milliseconds.
func millis(t *testing.T, notation string) []string {
	t.Helper()
	var at []string
	for r := range parse(t, notation).Requests(0) {
		at = append(at, r.At.Millis())
	}
	return at
}

func TestPatternsSendAt(t *testing.T) {
	tests := []struct {
		notation string
		want     []string
	}{
		{"", nil},
		{"3@1s", []string{"1000", "1000", "1000"}},
		{"3@1s every 2ms", []string{"1000", "1002", "1004"}},
		{"1@100ms x3 every 50ms", []string{"100", "150", "200"}},
		{"2@0s every 1ms x2 every 1s", []string{"0", "1", "1000", "1001"}},
		{"2@0s every 1ms x2 every 1ms", []string{"0", "1", "1", "2"}},
		{"3/s 0s..1s", []string{"0", "333.333333", "666.666666"}},
		{"3/s 0s..1.001s", []string{"0", "333.333333", "666.666666", "1000"}},
		{"1/h 5s..5.000000001s", []string{"5000"}},
		{"2/ns 0s..2ns", []string{"0", "0", "0.000001", "0.000001"}},
		// 5 requests are due in 2 s at 0 to 5 a second: t seconds after the
		// beginning 1.25t², so request k comes at √(k/1.25) s.
		{"ramp 0/s..5/s 0s..2s", []string{"0", "894.42719", "1264.911064", "1549.193338", "1788.854381"}},
		{"ramp 5/s..0/s 0s..2s", []string{"0", "211.145618", "450.806661", "735.088935", "1105.572809"}},
		{"edge 2 per 1s at 8s", []string{"7900", "7950", "8000", "8050"}},
		{"edge 2 per 1s at 8s every 1ms", []string{"7998", "7999", "8000", "8001"}},
		{"at 0s 0s 250ms", []string{"0", "0", "250"}},
		{"trace 1s, 2s key=a", []string{"1000", "2000"}},
		{"1@3s; 1@1s; at 0s 2s", []string{"0", "1000", "2000", "3000"}},
	}
	for _, test := range tests {
		t.Run(test.notation, func(t *testing.T) {
			if diff := cmp.Diff(test.want, millis(t, test.notation)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRequestsOfOneInstantKeepTheOrderOfThePatterns(t *testing.T) {
	sent := parse(t, "2@1s key=a; 2@0s x2 every 1s key=b; at 1s 1s key=c; 1/s 0s..2s key=d")
	var keys string
	for r := range sent.Requests(0) {
		keys += r.Key
	}
	if want := "bbdaabbccd"; keys != want {
		t.Errorf("got %s, want %s", keys, want)
	}
}

func TestRequestsAreShifted(t *testing.T) {
	var at []lab.Time
	for r := range parse(t, "at -1s 0s 3s").Requests(10 * sec) {
		at = append(at, r.At)
	}
	if want := []lab.Time{9 * sec, 10 * sec, 13 * sec}; !slices.Equal(at, want) {
		t.Errorf("got %d, want %d", at, want)
	}
}

func TestRequestsCarry(t *testing.T) {
	sent := parse(t, "1@0s; 1@1s key=ann cost=3 service=250ms; trace 2s, 3s cost=2 key=bob")
	want := []lab.Request{
		{At: 0, Key: "default", Cost: 1},
		{At: sec, Key: "ann", Cost: 3, Service: 250 * time.Millisecond},
		{At: 2 * sec, Key: "default", Cost: 1},
		{At: 3 * sec, Key: "bob", Cost: 2},
	}
	if diff := cmp.Diff(want, slices.Collect(sent.Requests(0))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, slices.Collect(sent.Requests(0))); diff != "" {
		t.Errorf("the second time, -want +got:\n%s", diff)
	}
}

func TestSteadyIsTheLessonsStream(t *testing.T) {
	// The lesson computes 12_000 + 1000*i//15 in whole milliseconds; ours are
	// the same instants before that rounding.
	i := int64(0)
	for r := range parse(t, "15/s 12s..16s").Requests(0) {
		if got, want := int64(r.At/ms), 12_000+1000*i/15; got != want {
			t.Errorf("request %d: %d ms, want %d", i, got, want)
		}
		i++
	}
	if i != 60 {
		t.Errorf("%d requests, want 60", i)
	}
}

func TestHugeTrafficCostsNothingUntilItIsSent(t *testing.T) {
	sent := parse(t, "1000000000000@0s; 1000000000000/s 0s..1s; ramp 1/ns..1/ms 0s..10m; random 10000000/h 0s..1h; edge 500000000000 per 24h at 0s")
	if got, want := sent.Count(), int64(1e12+1e12+300_000_300_000+1e7+1e12); got != want {
		t.Errorf("Count = %d, want %d", got, want)
	}
	n := 0
	for range sent.Requests(0) {
		if n++; n == 100_000 {
			return
		}
	}
}

func TestCountSaturates(t *testing.T) {
	endless := traffic.Burst{Requests: math.MaxInt64, Rounds: math.MaxInt64}
	sent := traffic.Traffic{Patterns: []traffic.Pattern{endless, endless}}
	if got := sent.Count(); got != math.MaxInt64 {
		t.Errorf("Count = %d, want the largest number", got)
	}
	if err := sent.Check(); err == nil {
		t.Error("Check accepts it")
	}
}

// Check must hold for what is made by hand and could not have been parsed.
func TestCheck(t *testing.T) {
	second := traffic.Rate{Count: 1, Per: time.Second}
	long := string(make([]byte, traffic.MaxKey+1))
	tests := []struct {
		pattern traffic.Pattern
		want    string
	}{
		{traffic.Burst{}, "pattern 1: count: 0 is out of range; expected a whole number from 1 to 1,000,000,000,000"},
		{traffic.Burst{Requests: 1, At: math.MinInt64}, "pattern 1: time: -2562047h47m16.854775808s is out of range; expected a time from -1281023h53m38.427387903s to 1281023h53m38.427387903s"},
		{traffic.Burst{Requests: 1, Gap: -1}, "pattern 1: every: -1ns is out of range; expected a duration from 0s to 438000h"},
		{traffic.Burst{Requests: 1, Rounds: -1}, "pattern 1: x: -1 is out of range; expected a whole number from 1 to 1,000,000,000,000"},
		{traffic.Burst{Requests: 1, Every: 1}, "pattern 1: x: expected how often the burst comes, because it has a time between rounds"},
		{traffic.Burst{Requests: 1, Rounds: 1, Every: -1}, "pattern 1: x … every: -1ns is out of range; expected a duration from 0s to 438000h"},
		{traffic.Burst{Requests: 1, Each: traffic.Each{Cost: -1}}, "pattern 1: cost: -1 is out of range; expected a whole number from 1 to 1,000,000,000,000"},
		{traffic.Burst{Requests: 1, Each: traffic.Each{Service: -1}}, "pattern 1: service: -1ns is out of range; expected a duration from 0s to 438000h"},
		{traffic.Burst{Requests: 1, Each: traffic.Each{Key: long}}, "pattern 1: key: the key is too long; expected at most 4096 bytes"},
		{traffic.Steady{Rate: traffic.Rate{Count: 1}, To: 1}, "pattern 1: rate: 0s is out of range; expected a duration from 1ns to 438000h"},
		{traffic.Steady{Rate: second, From: math.MinInt64, To: math.MaxInt64}, "pattern 1: from: -2562047h47m16.854775808s is out of range; expected a time from -1281023h53m38.427387903s to 1281023h53m38.427387903s"},
		{traffic.Steady{Rate: second, To: math.MaxInt64}, "pattern 1: to: 2562047h47m16.854775807s is out of range; expected a time from -1281023h53m38.427387903s to 1281023h53m38.427387903s"},
		{traffic.Ramp{First: second, To: 1}, "pattern 1: last rate: 0s is out of range; expected a duration from 1ns to 438000h"},
		{traffic.Random{To: 1}, "pattern 1: rate: 0 is out of range; expected a whole number from 1 to 1,000,000,000,000"},
		{traffic.Edge{Requests: 1}, "pattern 1: per: 0s is out of range; expected a duration from 1ns to 438000h"},
		{traffic.Edge{Requests: 1, Window: 1, Gap: -1}, "pattern 1: every: -1ns is out of range; expected a duration from 1ns to 438000h"},
		{traffic.Times{}, "pattern 1: time: expected at least one time"},
		{traffic.Trace{}, "pattern 1: time: expected at least one request"},
		{traffic.Trace{Rows: []lab.Request{{Cost: 1}}}, "pattern 1: time: the request has no key; expected one, such as default"},
		{traffic.Trace{Rows: []lab.Request{{Key: "a"}}}, "pattern 1: time: cost 0 is out of range: a whole number from 1 to 1,000,000,000,000"},
		{traffic.Trace{Rows: []lab.Request{{Cost: 1, Key: long}}}, "pattern 1: time: the key is too long; expected at most 4096 bytes"},
	}
	for _, test := range tests {
		err := traffic.Traffic{Patterns: []traffic.Pattern{test.pattern}}.Check()
		if err == nil || err.Error() != test.want {
			t.Errorf("%#v:\ngot  %v\nwant %s", test.pattern, err, test.want)
		}
	}
	if err := (traffic.Traffic{Patterns: make([]traffic.Pattern, 1001)}).Check(); err == nil || err.Error() != "1001 patterns; expected at most 1000" {
		t.Errorf("1001 patterns: %v", err)
	}
}

func TestKeysFitTheTableOfKeys(t *testing.T) {
	if traffic.MaxKey != limit.MaxKeyLength {
		t.Errorf("MaxKey = %d, the table of keys holds %d bytes", traffic.MaxKey, limit.MaxKeyLength)
	}
}

func TestNewTraceSortsAndKeepsTies(t *testing.T) {
	got := traffic.NewTrace([]lab.Request{{At: 5, Key: "a"}, {At: 3, Key: "b"}, {At: 5, Key: "c"}, {At: 3, Key: "d"}})
	var keys string
	for _, r := range got.Rows {
		keys += r.Key
	}
	if keys != "bdac" {
		t.Errorf("got %s, want bdac", keys)
	}
}

// The ramp's closed form against counting what is due at each instant.
func TestRampIsTheLastInstantAtWhichAtMostKAreDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := func(name string) traffic.Rate {
			return traffic.Rate{
				Count: rapid.Int64Range(0, lab.MaxCount).Draw(t, name),
				Per:   time.Duration(rapid.Int64Range(1, int64(lab.MaxSpan)).Draw(t, name+" per")),
			}
		}
		r := traffic.Ramp{First: rate("first"), Last: rate("last"), To: lab.Time(rapid.Int64Range(1, int64(lab.MaxTime)).Draw(t, "length"))}
		if r.Check() != nil {
			t.Skip("makes no or too many requests")
		}
		r0 := big.NewRat(r.First.Count, int64(r.First.Per))
		r1 := big.NewRat(r.Last.Count, int64(r.Last.Per))
		slope := new(big.Rat).Sub(r1, r0)
		slope.Quo(slope, big.NewRat(2, 1)).Quo(slope, big.NewRat(int64(r.To), 1))
		due := func(at lab.Time) *big.Rat {
			x := big.NewRat(int64(at), 1)
			sum := new(big.Rat).Mul(slope, x)
			return sum.Add(sum, r0).Mul(sum, x)
		}
		k := int64(0)
		for got := range (traffic.Traffic{Patterns: []traffic.Pattern{r}}).Requests(0) {
			if due(got.At).Cmp(big.NewRat(k, 1)) > 0 || due(got.At+1).Cmp(big.NewRat(k, 1)) <= 0 && got.At+1 < r.To && due(got.At+1).Cmp(due(got.At)) > 0 {
				t.Fatalf("request %d at %d: %s are due then", k, got.At, due(got.At).FloatString(12))
			}
			if k++; k > 50 {
				return
			}
		}
		if want := new(big.Rat).SetInt64(k); due(r.To).Cmp(want) > 0 || due(r.To).Cmp(want.Sub(want, big.NewRat(1, 1))) <= 0 {
			t.Fatalf("%d requests; %s are due", k, due(r.To).FloatString(12))
		}
	})
}

func TestRampBetweenEqualRatesIsSteady(t *testing.T) {
	ramp, steady := millis(t, "ramp 7/s..7/s 0s..9s"), millis(t, "7/s 0s..9s")
	if !slices.Equal(ramp, steady) {
		t.Errorf("ramp %s\nsteady %s", ramp, steady)
	}
}

// The moments of a random pattern are part of links, lessons and logs: they may
// never change.
func TestRandomIsTheSameForever(t *testing.T) {
	got := millis(t, "random 4/s 0s..2s seed=7")
	want := []string{"231.47041", "588.146098", "744.292202", "851.413775", "884.063947", "993.824029", "1036.087424", "1118.321103"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if other := millis(t, "random 4/s 0s..2s seed=8"); slices.Equal(got, other) {
		t.Error("another seed gives the same moments")
	}
}

func TestRandomIsUniformAndClumps(t *testing.T) {
	var buckets [20]int
	var short, n int
	before := lab.Time(-1)
	for r := range parse(t, "random 100/s 0s..1000s seed=1").Requests(0) {
		buckets[r.At/(50*sec)]++
		if before >= 0 && r.At-before < 10*ms {
			short++
		}
		before = r.At
		n++
	}
	for i, got := range buckets {
		// 5,000 expected with a standard deviation of 69.
		if got < 4700 || got > 5300 {
			t.Errorf("%d requests in the %dth 50 s, want about 5000", got, i)
		}
	}
	// In a Poisson process 1 − 1/e of the gaps are shorter than the mean gap.
	if share := short * 1000 / n; share < 622 || share > 642 {
		t.Errorf("%d of %d gaps are shorter than the mean, want about 63.2 %%", short, n)
	}
}

func drawPattern(t *rapid.T) traffic.Pattern {
	count := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(t, name) }
	span := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, name))
	}
	instant := func(name string) lab.Time {
		return lab.Time(rapid.OneOf(
			rapid.Int64Range(-int64(time.Hour), int64(time.Hour)),
			rapid.Int64Range(int64(lab.MinTime), int64(lab.MaxTime)),
		).Draw(t, name))
	}
	rate := func(name string) traffic.Rate { return traffic.Rate{Count: count(name, 1000), Per: 1 + span(name)} }
	each := traffic.Each{
		Key:     rapid.OneOf(rapid.Just(""), rapid.StringN(0, 8, -1)).Draw(t, "key"),
		Cost:    rapid.Int64Range(0, lab.MaxCount).Draw(t, "cost"),
		Service: span("service"),
	}
	from := instant("from")
	to := from.Add(span("length"))
	times := func() []lab.Time {
		at := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lab.Time { return instant("at") }), 1, 20).Draw(t, "times")
		slices.Sort(at)
		return at
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return traffic.Burst{Requests: count("requests", 50), At: from, Gap: span("gap"), Each: each}
	case 1:
		b := traffic.Burst{Requests: count("requests", 50), At: from, Gap: span("gap"), Rounds: count("rounds", 20), Each: each}
		b.Every = time.Duration(b.Requests)*b.Gap + span("every")
		return b
	case 2:
		return traffic.Steady{Rate: rate("rate"), From: from, To: to, Each: each}
	case 3:
		return traffic.Ramp{First: rate("first"), Last: rate("last"), From: from, To: to, Each: each}
	case 4:
		return traffic.Random{Rate: rate("rate"), From: from, To: to, Seed: rapid.Uint64().Draw(t, "seed"), Each: each}
	case 5:
		if rapid.Bool().Draw(t, "edge") {
			window := 1 + span("window")
			return traffic.Edge{Requests: count("requests", 50), Window: window, At: from / lab.Time(window) * lab.Time(window), Gap: span("gap") / 100, Each: each}
		}
		return traffic.Times{At: times(), Each: each}
	}
	var rows []lab.Request
	for _, at := range times() {
		rows = append(rows, lab.Request{At: at, Key: rapid.StringN(1, 8, -1).Draw(t, "key"), Cost: count("cost", lab.MaxCount), Service: span("service")})
	}
	return traffic.Trace{Rows: rows}
}

func TestAnyTraffic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sent traffic.Traffic
		for range rapid.IntRange(0, 5).Draw(t, "patterns") {
			if p := drawPattern(t); p.Check() == nil && p.Count() <= 10_000 {
				sent.Patterns = append(sent.Patterns, p)
			}
		}
		if err := sent.Check(); err != nil {
			t.Fatal(err)
		}
		checkRequests(t, sent, math.MaxInt64)
		back, err := traffic.Parse(sent.String())
		if err != nil {
			t.Fatalf("%s: %v", sent, err)
		}
		if !reflect.DeepEqual(back, sent) {
			t.Fatalf("%s became %s", sent, back)
		}
	})
}

func BenchmarkRequests(b *testing.B) {
	for _, bench := range []struct{ name, notation string }{
		{"burst", "1000000000@0s every 1us"},
		{"steady", "1000000/s 0s..1000s"},
		{"ramp", "ramp 1/s..1000000/s 0s..1000s"},
		{"random", "random 1000000/s 0s..10s"},
		{"four", "1000000000@0s every 1us; 1000000/s 0s..1000s; random 1000000/s 0s..10s; 999983/s 0s..1000s"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for range parse(b, bench.notation).Requests(0) {
				if n++; n == b.N {
					break
				}
			}
		})
	}
}
