package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkReplay runs the whole command over a trace of 200,000 rows and the
// seven algorithms; the time is that of a row.
func BenchmarkReplay(b *testing.B) {
	const rows = 200_000
	dir := b.TempDir()
	policies, trace := filepath.Join(dir, "policies.json"), filepath.Join(dir, "trace.csv")
	var text bytes.Buffer
	text.WriteString("at_ms,key,cost,service_ms\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d.%06d,user-%d,1,%d\n", 1_796_077_000_000+i/5, i*7919%1_000_000, i*7919%997, i%200)
	}
	for name, data := range map[string][]byte{policies: []byte(everyPolicy), trace: text.Bytes()} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, format := range []string{"jsonl", "summary"} {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; done += rows {
				args := []string{"replay", "--policies", policies, "--trace", trace, "--format", format}
				if status := run(b.Context(), args, nil, io.Discard, os.Stderr, os.Getenv); status != 0 {
					b.Fatalf("exit status %d", status)
				}
			}
		})
	}
}

const everyPolicy = `{"policies": [
	{"name": "token", "algorithm": "token-bucket", "limit": 10, "per": "1s", "burst": 10},
	{"name": "leaky", "algorithm": "leaky-bucket", "limit": 10, "per": "1s", "queue": 10},
	{"name": "gcra", "algorithm": "gcra", "limit": 10, "per": "1s", "burst": 10},
	{"name": "fixed", "algorithm": "fixed-window", "limit": 10, "per": "1s"},
	{"name": "log", "algorithm": "sliding-log", "limit": 10, "per": "1s"},
	{"name": "counter", "algorithm": "sliding-counter", "limit": 10, "per": "1s"},
	{"name": "in-progress", "algorithm": "concurrency", "limit": 10}
]}`
