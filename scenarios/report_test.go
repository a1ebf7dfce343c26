package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	s, err := read([]byte(`title: A line
words: Some words.
policies:
  - {name: line, algorithm: leaky-bucket, limit: 2, per: 1s, queue: 2, first: after-gap}
traffic: 3@0s
tables: [requests]
given: {users: 2000}
expect:
  - {kind: decisions, policy: line, is: [2 × delay, refuse]}
  - {kind: served, policy: line, from: 0s, through: 1s, is: 3, says: one too many}
  - {kind: refused, policy: line, from: 0s, to: 1s, key: default, is: 1}
  - {kind: used, policy: line, at: 500ms, is: 2}
  - {kind: busiest, policy: line, span: 1s, is: 2}
  - {kind: wait-percentile, policy: line, percent: 50, is: 500ms}
  - {kind: per-second, is: [3]}
  - {kind: per-second, policy: line, is: [1, 1]}
  - {kind: same, policy: line, with: line, is: 3}
  - {kind: formula, formula: users * 1500, unit: MB, is: 3.0}
  - {kind: response, policy: line, requests: "1", is: [HTTP/1.1 200 OK, 'RateLimit-Policy: "line";q=2;w=1', 'RateLimit: "line";r=1;t=1']}
`))
	if err != nil {
		t.Fatal(err)
	}
	s.Name = "a-line"
	result, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Failed(); got != 1 {
		t.Errorf("%d expectations failed, want 1", got)
	}
	var got strings.Builder
	if err := Report(&got, s, result); err != nil {
		t.Fatal(err)
	}
	want := `a-line: A line

Some words.

  line  leaky-bucket  limit 2, per 1s, queue 2, first after-gap
  sent: 3@0s

Every request
  #  at (ms)                         line
  1        0     leaves at 500 ms, 1 left
  2        0    leaves at 1000 ms, 0 left
  3        0  refused, retry after 501 ms

Expectations
                                                                expected           measured
  holds  line: decisions                                        2 × delay, refuse  2 × delay, refuse
  FAILS  line: served from 0 ms through 1000 ms                 3                  2
           (one too many)
  holds  line: refused for key default from 0 ms until 1000 ms  1                  1
  holds  line: used at 500 ms                                   2                  2
  holds  line: busiest 1s                                       2                  2
  holds  line: wait (percentile 50)                             500 ms             500 ms
  holds  sent in each second                                    3                  3
  holds  line: served in each second                            1, 1               1, 1
  holds  line: decided the same as line                         3                  3
  holds  users * 1500 in MB                                     3                  3
  holds  line: response (request 1)
           expected  HTTP/1.1 200 OK
                     RateLimit-Policy: "line";q=2;w=1
                     RateLimit: "line";r=1;t=1
           measured  HTTP/1.1 200 OK
                     RateLimit-Policy: "line";q=2;w=1
                     RateLimit: "line";r=1;t=1
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"one two three", "one two\nthree"},
		{"a word-that-is-too-long b", "a\nword-that-is-too-long\nb"},
		{"äöü äöü", "äöü äöü"},
	} {
		if got := wrap(test.text, 7); got != test.want {
			t.Errorf("wrap(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
