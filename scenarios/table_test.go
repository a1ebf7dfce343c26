package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	s, err := read([]byte(`title: A line
words: Some words.
policies:
  - {name: token, algorithm: token-bucket, limit: 1, per: 1s, burst: 2}
  - {name: line, algorithm: leaky-bucket, limit: 2, per: 1s, queue: 3, first: after-gap}
traffic: 1@0s cost=2; 1@1500.5ms cost=2; 1@1501ms cost=3
tables: [requests, seconds, summary]
expect:
  - {kind: sent, is: 3}
`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, table := range result.Tables {
		got.WriteString(table.String())
	}
	want := `Every request
  #  at (ms)  cost                        token                          line
  1        0     2               passed, 0 left     leaves at 1000 ms, 1 left
  2   1500.5     2  refused, retry after 500 ms   leaves at 2500.5 ms, 1 left
  3     1501     3                        never  refused, retry after 1000 ms
Requests that reached the service in each second
  second  sent  token  line
       0     1      1     0
       1     2      0     1
       2     0      0     1
Summary
                       token     line
  sent                     3        3
  served                   1        2
  refused                  1        1
  never                    1        0
  busiest span       2 in 1s  2 in 1s
  longest wait (ms)        0     1000
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestResponseAndMemoryTables(t *testing.T) {
	s, err := read([]byte(`title: A line
words: Some words.
policies:
  - {name: log, algorithm: sliding-log, limit: 1, per: 1s}
  - {name: in-progress, algorithm: concurrency, limit: 1}
traffic: 2@0s service=2s
tables: [responses, memory]
expect:
  - {kind: sent, is: 2}
`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	want := `What the client gets
  at (ms)  policy       response
  0        log          HTTP/1.1 200 OK
                        RateLimit-Policy: "log";q=1;w=1
                        RateLimit: "log";r=0;t=1
  0        in-progress  HTTP/1.1 200 OK
                        RateLimit-Policy: "in-progress";q=1;qu="concurrent-requests"
                        RateLimit: "in-progress";r=0;t=2
  0        log          HTTP/1.1 429 Too Many Requests
                        Retry-After: 1
                        RateLimit-Policy: "log";q=1;w=1
                        RateLimit: "log";r=0;t=1
                        Cache-Control: no-store
                        Content-Type: application/problem+json
  0        in-progress  HTTP/1.1 429 Too Many Requests
                        Retry-After: 2
                        RateLimit-Policy: "in-progress";q=1;qu="concurrent-requests"
                        RateLimit: "in-progress";r=0;t=2
                        Cache-Control: no-store
                        Content-Type: application/problem+json
`
	if diff := cmp.Diff(want, result.Tables[0].String()); diff != "" {
		t.Errorf("responses (-want +got):\n%s", diff)
	}
	// The measured column is the engine's own business; the others are not.
	memory := result.Tables[1]
	got := [][]string{memory.Rows[0][:3], memory.Rows[1][:3]}
	if diff := cmp.Diff([][]string{{"log", "1", "8"}, {"in-progress", "varies", "varies"}}, got); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
}
