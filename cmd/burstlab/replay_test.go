package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "rewrite the scripts in testdata to what the program prints")

// TestGolden replays every golden case and compares the output to the byte: as it
// is, from standard input, with the policies in YAML, and with the trace in
// JSONL.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(golden + "*")
	if err != nil || len(cases) != 8 {
		t.Fatalf("found %d golden cases (%v), want 8", len(cases), err)
	}
	for _, dir := range cases {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			policies, trace := filepath.Join(dir, "policies.json"), filepath.Join(dir, "trace.csv")
			want := readFile(t, filepath.Join(dir, "expected.jsonl"))
			asYAML := filepath.Join(t.TempDir(), "policies.yaml")
			writeFile(t, asYAML, toYAML(t, readFile(t, policies)))
			asJSONL := filepath.Join(t.TempDir(), "trace.jsonl")
			writeFile(t, asJSONL, toJSONL(t, readFile(t, trace)))

			for name, args := range map[string][]string{
				"as it is":      {"--policies", policies, "--trace", trace, "--format", "jsonl"},
				"by default":    {"--policies", policies, "--trace", trace},
				"stdin":         {"--policies", policies, "--trace", "-", "--format", "jsonl"},
				"YAML":          {"--policies", asYAML, "--trace", trace, "--format", "jsonl"},
				"JSONL":         {"--policies", policies, "--trace", asJSONL, "--format", "jsonl"},
				"bound on keys": {"--policies", policies, "--trace", trace, "--format", "jsonl", "--max-keys", "5"},
			} {
				var stdout bytes.Buffer
				status, stderr := try(t.Context(), bytes.NewReader(readFile(t, trace)), &stdout, append([]string{"replay"}, args...)...)
				if status != 0 || stderr != "" {
					t.Errorf("%s: status %d, stderr %q", name, status, stderr)
				}
				if !bytes.Equal(stdout.Bytes(), want) {
					t.Errorf("%s: %s", name, firstDifference(stdout.Bytes(), want))
				}
			}
		})
	}
}

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func toYAML(t *testing.T, data []byte) []byte {
	t.Helper()
	out, err := yaml.JSONToYAML(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func toJSONL(t *testing.T, data []byte) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, row := range rows[1:] {
		fields := map[string]any{}
		for i, name := range rows[0] {
			fields[name] = json.Number(row[i])
			if name == "key" {
				fields[name] = row[i]
			}
		}
		if err := json.NewEncoder(&out).Encode(fields); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// What can be read only once is kept in a temporary file, which must be gone at
// the end, whatever the end.
func TestStandardInputLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TEMP", dir)
	for _, trace := range []string{"at_ms\n1\n", "at_ms\nx\n"} {
		try(t.Context(), strings.NewReader(trace), new(bytes.Buffer), "replay", "--policies", windowEdge+"policies.json", "--trace", "-", "--format", "jsonl")
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 0 {
			t.Errorf("after %q: %v (%v)", trace, left, err)
		}
	}
}

// What is added to a log while it is replayed, which may end in half a row, is
// left out: only what was checked is decided.
func TestATraceThatGrowsIsReadAsFarAsItWas(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.csv")
	const was = "at_ms\n1\n2\n"
	writeFile(t, name, []byte(was))
	source, err := openTrace(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.close()
	r := replaying{&replay{MaxKeys: 1}, &environment{ctx: t.Context()}, source, newProgress(io.Discard), 0}
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, []byte(was+"3\n4e"))
	again, err := source.again()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(again); err != nil || string(got) != was {
		t.Errorf("the second time it is %q (%v), want %q", got, err, was)
	}
}

// The summary's counts are those of the lines.
func TestSummaryCountsTheLines(t *testing.T) {
	const dir = golden + "bursty-keys-and-costs/"
	args := []string{"replay", "--policies", dir + "policies.json", "--trace", dir + "trace.csv", "--format"}
	var lines, table bytes.Buffer
	if status, stderr := try(t.Context(), nil, &lines, append(args, "jsonl")...); status != 0 {
		t.Fatal(stderr)
	}
	if status, stderr := try(t.Context(), nil, &table, append(args, "summary")...); status != 0 {
		t.Fatal(stderr)
	}
	count := map[string]map[string]int{}
	for line := range strings.Lines(lines.String()) {
		var d struct{ Policy, Decision string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		if count[d.Policy] == nil {
			count[d.Policy] = map[string]int{}
		}
		count[d.Policy][d.Decision]++
		count[d.Policy]["sent"]++
	}
	if len(count) != 6 {
		t.Fatalf("%d policies, want 6", len(count))
	}
	rows := strings.Split(table.String(), "\n")
	for policy, n := range count {
		want := []string{policy, fmt.Sprint(n["sent"]), fmt.Sprint(n["allow"] + n["delay"]), fmt.Sprint(n["delay"]), fmt.Sprint(n["refuse"]), fmt.Sprint(n["never"])}
		if !slices.ContainsFunc(rows, func(row string) bool {
			cells := strings.Fields(row)
			return len(cells) > len(want) && slices.Equal(cells[:len(want)], want)
		}) {
			t.Errorf("no row %v in\n%s", want, table.String())
		}
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	if p.show("Deciding", 1, 1, 1); p.to != nil || out.Len() > 0 {
		t.Errorf("without a terminal it writes %q", out.String())
	}
	p.to = &out
	if p.show("Deciding", 1, 1, 1); out.Len() > 0 {
		t.Errorf("at once it writes %q", out.String())
	}
	if p.done(); out.Len() > 0 {
		t.Errorf("with nothing to remove it writes %q", out.String())
	}
	p.next = time.Now()
	p.show("Checking", 1_234_567, 50, 200)
	p.next = time.Now()
	p.show("Deciding", 12, 50, 0)
	p.done()
	if want := "\r\x1b[KChecking: 1,234,567 requests, 25 %\r\x1b[KDeciding: 12 requests\r\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
