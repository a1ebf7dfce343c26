package response_test

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

var one = lab.Request{Key: "ann", Cost: 1}

func token(limit int64, per time.Duration, burst int64) lab.Policy {
	return lab.Policy{Name: "token", Algorithm: lab.TokenBucket, Limit: limit, Per: per, Burst: burst}
}

func window(a lab.Algorithm, limit int64, per time.Duration) lab.Policy {
	return lab.Policy{Name: "per-key", Algorithm: a, Limit: limit, Per: per}
}

func TestFields(t *testing.T) {
	fiveInTen := window(lab.SlidingLog, 5, 10*time.Second)
	allow := lab.Decision{Verdict: lab.Allow, Remaining: 4, Reset: 9500 * time.Millisecond}
	for _, test := range []struct {
		name     string
		policy   lab.Policy
		request  lab.Request
		decision lab.Decision
		options  response.Options
		want     []string
	}{
		{
			"allowed", fiveInTen, one, allow, response.Options{},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "per-key";q=5;w=10`, `RateLimit: "per-key";r=4;t=10`},
		},
		{
			"delayed", lab.Policy{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 5, Per: time.Second, Queue: 10}, one,
			lab.Decision{Verdict: lab.Delay, Wait: 200 * time.Millisecond, Remaining: 8, Reset: 1}, response.Options{},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "leaky";q=10;w=2`, `RateLimit: "leaky";r=8;t=1`},
		},
		{
			"the whole quota is there: no t", token(5, time.Second, 10), one,
			lab.Decision{Verdict: lab.Allow, Remaining: 10}, response.Options{},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "token";q=10;w=2`, `RateLimit: "token";r=10`},
		},
		{
			"refused: waits round up to whole seconds", fiveInTen, one,
			lab.Decision{Verdict: lab.Refuse, RetryAfter: 6_000_000_001, Reset: 6_000_000_000}, response.Options{},
			[]string{
				`HTTP/1.1 429 Too Many Requests`, `Retry-After: 7`, `RateLimit-Policy: "per-key";q=5;w=10`, `RateLimit: "per-key";r=0;t=6`,
				`Cache-Control: no-store`, `Content-Type: application/problem+json`,
			},
		},
		{
			"never: no Retry-After", fiveInTen, lab.Request{Cost: 6}, lab.Decision{Verdict: lab.Never, Remaining: 5}, response.Options{},
			[]string{
				`HTTP/1.1 429 Too Many Requests`, `RateLimit-Policy: "per-key";q=5;w=10`, `RateLimit: "per-key";r=5`,
				`Cache-Control: no-store`, `Content-Type: application/problem+json`,
			},
		},
		{
			"in progress: its own unit, no window", lab.Policy{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 60}, one,
			lab.Decision{Verdict: lab.Allow, Remaining: 59, Reset: 3 * time.Second}, response.Options{},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "in-progress";q=60;qu="concurrent-requests"`, `RateLimit: "in-progress";r=59;t=3`},
		},
		{
			"the key, where asked for", fiveInTen, one, allow, response.Options{PartitionKey: true},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "per-key";q=5;w=10;pk=:YW5u:`, `RateLimit: "per-key";r=4;t=10;pk=:YW5u:`},
		},
		{
			"a name with quotes", lab.Policy{Name: `a "b" \c`, Algorithm: lab.SlidingLog, Limit: 5, Per: time.Second}, one, allow, response.Options{},
			[]string{`HTTP/1.1 200 OK`, `RateLimit-Policy: "a \"b\" \\c";q=5;w=1`, `RateLimit: "a \"b\" \\c";r=4;t=10`},
		},
		{
			"clamped: waits count from the request's own time", fiveInTen, lab.Request{At: lab.Time(2 * time.Second), Cost: 1},
			lab.Decision{Verdict: lab.Refuse, Clamped: true, At: lab.Time(5 * time.Second), RetryAfter: 1500 * time.Millisecond, Reset: 500 * time.Millisecond},
			response.Options{},
			[]string{
				`HTTP/1.1 429 Too Many Requests`, `Retry-After: 5`, `RateLimit-Policy: "per-key";q=5;w=10`, `RateLimit: "per-key";r=0;t=4`,
				`Cache-Control: no-store`, `Content-Type: application/problem+json`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := response.Of(test.policy, test.request, test.decision, test.options)
			if diff := cmp.Diff(test.want, lines(r)); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

func lines(r response.Response) []string {
	got := []string{r.StatusLine()}
	for _, f := range r.Fields() {
		got = append(got, f.String())
	}
	return got
}

// TestWindow: w is whole seconds of 1 or more, or left out.
func TestWindow(t *testing.T) {
	leaky := func(limit int64, per time.Duration, queue int64) lab.Policy {
		return lab.Policy{Name: "p", Algorithm: lab.LeakyBucket, Limit: limit, Per: per, Queue: queue}
	}
	gcra := func(limit int64, per time.Duration, burst int64) lab.Policy {
		return lab.Policy{Name: "p", Algorithm: lab.GCRA, Limit: limit, Per: per, Burst: burst}
	}
	none := int64(0)
	for _, test := range []struct {
		policy lab.Policy
		want   int64
	}{
		{window(lab.FixedWindow, 5, time.Second), 1},
		{window(lab.SlidingLog, 1000, 24*time.Hour), 86400},
		{window(lab.SlidingCounter, 5, 1500*time.Millisecond), none},
		{window(lab.FixedWindow, 5, time.Millisecond), none},
		{window(lab.SlidingLog, 5, time.Second+1), none},
		{token(5, time.Second, 10), 2},
		{token(3, time.Second, 10), 4},        // 3.33 s
		{token(1_000_000, time.Second, 1), 1}, // 1 µs
		{gcra(999_983, 24*time.Hour, 999_983), 86400},
		{gcra(999_983, 24*time.Hour, 999_984), 86401}, // 86,400.09 s
		{leaky(2, time.Second, 4), 2},
		{leaky(7, time.Second, 9), 2}, // 1.29 s
		{leaky(lab.MaxCount, lab.MaxSpan, lab.MaxCount), int64(lab.MaxSpan / time.Second)},
		{lab.Policy{Name: "p", Algorithm: lab.Concurrency, Limit: 60}, none},
	} {
		if err := test.policy.Check(); err != nil {
			t.Fatal(err)
		}
		got, ok := param(t, response.Of(test.policy, one, lab.Decision{}, response.Options{}), response.RateLimitPolicy, "w")
		if ok != (test.want != none) || ok && got != test.want {
			t.Errorf("%+v: w = %v (there: %v), want %v", test.policy, got, ok, test.want)
		}
	}
}

// param reads a parameter of a RateLimit field as a client would.
func param(t interface{ Fatalf(string, ...any) }, r response.Response, field, name string) (any, bool) {
	list, err := httpsfv.UnmarshalList(r.Header.Values(field))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %q does not parse as one item: %v", field, r.Header.Values(field), err)
	}
	return list[0].(httpsfv.Item).Params.Get(name)
}

func TestProblem(t *testing.T) {
	log := window(lab.SlidingLog, 5, 10*time.Second)
	for _, test := range []struct {
		name     string
		response response.Response
		want     map[string]any
	}{
		{
			"refused",
			response.Of(log, one, lab.Decision{Verdict: lab.Refuse, RetryAfter: 6_900_000_001, Reset: 6_900_000_001}, response.Options{}),
			map[string]any{
				"type":              "https://iana.org/assignments/http-problem-types#quota-exceeded",
				"title":             "Request cannot be satisfied as assigned quota has been exceeded",
				"status":            429.0,
				"detail":            `This request costs 1. Policy "per-key" allows 5 per 10s, and 0 of it is left. The request would pass in 6901 ms if nothing else came.`,
				"violated-policies": []any{"per-key"},
			},
		},
		{
			"never",
			response.Of(token(5, time.Second, 10), lab.Request{Cost: 11}, lab.Decision{Verdict: lab.Never, Remaining: 10}, response.Options{}),
			map[string]any{
				"type":              "https://iana.org/assignments/http-problem-types#quota-exceeded",
				"title":             "Request cannot be satisfied as assigned quota has been exceeded",
				"status":            429.0,
				"detail":            `This request costs 11. Policy "token" allows 10 at once and 5 per 1s after that, so a request that costs more than 10 can never pass, however long it waits.`,
				"violated-policies": []any{"token"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got map[string]any
			if err := json.Unmarshal(test.response.Body, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWire: the text is a response that net/http reads back, and what Send
// puts on a connection says the same with the same spelling.
func TestWire(t *testing.T) {
	r := response.Of(window(lab.SlidingLog, 5, 10*time.Second), one,
		lab.Decision{Verdict: lab.Refuse, RetryAfter: 7 * time.Second, Reset: 7 * time.Second}, response.Options{PartitionKey: true})
	wire := r.Wire()
	if got := r.Wire(); got != wire {
		t.Errorf("Wire twice:\n%s\n%s", wire, got)
	}
	head, body, _ := strings.Cut(wire, "\r\n\r\n")
	want := `HTTP/1.1 429 Too Many Requests
Retry-After: 7
RateLimit-Policy: "per-key";q=5;w=10;pk=:YW5u:
RateLimit: "per-key";r=0;t=7;pk=:YW5u:
Cache-Control: no-store
Content-Type: application/problem+json
Content-Length: 369`
	if diff := cmp.Diff(want, strings.ReplaceAll(head, "\r\n", "\n")); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	if body != string(r.Body) {
		t.Errorf("body = %q, want %q", body, r.Body)
	}

	read, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Body.Close()
	sent := httptest.NewRecorder()
	if err := r.Send(sent); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		if sent.Header()[name] == nil {
			t.Errorf("Send spells %q otherwise: %v", name, sent.Header())
		}
	}
	if read.StatusCode != r.Status || sent.Code != r.Status {
		t.Errorf("status read %d, sent %d, want %d", read.StatusCode, sent.Code, r.Status)
	}
	read.Header.Del("Content-Length")
	if diff := cmp.Diff(r.Header, read.Header); diff != "" {
		t.Errorf("header read from Wire (-want +got):\n%s", diff)
	}
	for _, from := range []io.Reader{read.Body, sent.Body} {
		if b, err := io.ReadAll(from); err != nil || string(b) != string(r.Body) {
			t.Errorf("body = %q, %v, want %q", b, err, r.Body)
		}
	}
}

func TestOtherFieldsFollowByName(t *testing.T) {
	r := response.Of(window(lab.SlidingLog, 5, time.Second), one, lab.Decision{Verdict: lab.Never}, response.Options{})
	r.Header.Set("X-B", "2")
	r.Header.Add("X-A", "1")
	r.Header.Add("X-A", "3")
	want := []string{
		`HTTP/1.1 429 Too Many Requests`, `RateLimit-Policy: "per-key";q=5;w=1`, `RateLimit: "per-key";r=0`,
		`Cache-Control: no-store`, `Content-Type: application/problem+json`, `X-A: 1`, `X-A: 3`, `X-B: 2`,
	}
	if diff := cmp.Diff(want, lines(r)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestOfNeedsACheckedPolicy: a name that no header can carry is a broken
// invariant, not a response without the field.
func TestOfNeedsACheckedPolicy(t *testing.T) {
	defer func() {
		if got := recover(); got == nil || !strings.Contains(got.(string), `policy "é"`) {
			t.Errorf("recovered %v, want a panic that names the policy", got)
		}
	}()
	response.Of(lab.Policy{Name: "é", Algorithm: lab.Concurrency, Limit: 1}, one, lab.Decision{}, response.Options{})
}

// TestWindowIsExact compares w with big rationals over all policies.
func TestWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policies(lab.TokenBucket, lab.GCRA, lab.LeakyBucket).Draw(t, "policy")
		ns := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(p.Most()), big.NewInt(int64(p.Per))), big.NewInt(p.Limit))
		s := ns.Quo(ns, big.NewRat(int64(time.Second), 1))
		want, rest := new(big.Int).DivMod(s.Num(), s.Denom(), new(big.Int))
		if rest.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		got, _ := param(t, response.Of(p, one, lab.Decision{}, response.Options{}), response.RateLimitPolicy, "w")
		if got != want.Int64() || want.Int64() < 1 {
			t.Fatalf("w = %v, want %v", got, want)
		}
	})
}

// TestNumbersFit: whatever is decided, both fields parse and hold numbers of at
// most 15 digits that are not below 0.
func TestNumbersFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policies(lab.Algorithms...).Draw(t, "policy")
		d := lab.Decision{
			Verdict:    rapid.SampledFrom([]lab.Verdict{lab.Allow, lab.Delay, lab.Refuse, lab.Never}).Draw(t, "verdict"),
			Clamped:    rapid.Bool().Draw(t, "clamped"),
			At:         lab.Time(rapid.Int64Range(0, int64(lab.MaxTime)).Draw(t, "at")),
			Remaining:  rapid.Int64Range(0, math.MaxInt64).Draw(t, "remaining"),
			RetryAfter: time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "retry after")),
			Reset:      time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "reset")),
		}
		r := lab.Request{At: lab.Time(rapid.Int64Range(int64(lab.MinTime), int64(d.At)).Draw(t, "sent")), Key: rapid.String().Draw(t, "key"), Cost: 1}
		resp := response.Of(p, r, d, response.Options{PartitionKey: true})
		for _, f := range []struct{ field, param string }{
			{response.RateLimitPolicy, "q"}, {response.RateLimitPolicy, "w"}, {response.RateLimit, "r"}, {response.RateLimit, "t"},
		} {
			v, ok := param(t, resp, f.field, f.param)
			if n, isInt := v.(int64); ok && (!isInt || n < 0 || n > 999_999_999_999_999) {
				t.Fatalf("%s: %s = %v is not a whole number of at most 15 digits", f.field, f.param, v)
			}
		}
		if _, ok := param(t, resp, response.RateLimit, "t"); ok != (d.Reset > 0) {
			t.Fatalf("t is there: %v, with a reset of %v", ok, d.Reset)
		}
		if got := resp.Header.Get("Retry-After") != ""; got != (d.Verdict == lab.Refuse) {
			t.Fatalf("Retry-After is there: %v, for %v", got, d.Verdict)
		}
		if got := resp.Status == http.StatusOK; got != d.Verdict.Passed() || got != (resp.Body == nil) {
			t.Fatalf("status %d with a body of %d bytes for %v", resp.Status, len(resp.Body), d.Verdict)
		}
	})
}

// policies draws policies of the given algorithms that pass Check, over the
// whole range of each number.
func policies(algorithms ...lab.Algorithm) *rapid.Generator[lab.Policy] {
	count := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, lab.MaxCount))
	span := rapid.OneOf(
		rapid.Map(rapid.Int64Range(1, 100), func(s int64) time.Duration { return time.Duration(s) * time.Second }),
		rapid.Map(rapid.Int64Range(1, int64(lab.MaxSpan)), func(ns int64) time.Duration { return time.Duration(ns) }),
	)
	return rapid.Custom(func(t *rapid.T) lab.Policy {
		p := lab.Policy{Name: "p", Algorithm: rapid.SampledFrom(algorithms).Draw(t, "algorithm")}
		for _, f := range p.Algorithm.Fields() {
			switch n := p.Count(f); {
			case n != nil:
				*n = count.Draw(t, string(f))
			case f == lab.FieldPer:
				p.Per = span.Draw(t, string(f))
			default:
				*p.Option(f) = rapid.SampledFrom(f.Options()).Draw(t, string(f))
			}
		}
		return p
	}).Filter(func(p lab.Policy) bool { return p.Check() == nil })
}

func BenchmarkOf(b *testing.B) {
	p := window(lab.SlidingLog, 5, 10*time.Second)
	for _, d := range []lab.Decision{
		{Verdict: lab.Allow, Remaining: 4, Reset: time.Second},
		{Verdict: lab.Refuse, RetryAfter: time.Second, Reset: time.Second},
	} {
		b.Run(d.Verdict.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				response.Of(p, one, d, response.Options{})
			}
		})
	}
}
