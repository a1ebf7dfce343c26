package limit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// TestGolden decides the traces under testdata/golden and compares every line
// that `burstlab replay` prints of them. Nothing else of the program takes part;
// cmd/burstlab compares its own output to the byte.
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(dirs) != 8 {
		t.Fatalf("found %d golden cases, want 8 (%v)", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var file struct{ Policies []lab.Policy }
			if err := json.Unmarshal(read(t, dir, "policies.json"), &file); err != nil {
				t.Fatal(err)
			}
			b, err := bench.New(file.Policies, bench.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(read(t, dir, "trace.csv"))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Split(bytes.TrimSpace(read(t, dir, "expected.jsonl")), []byte("\n"))
			for i, row := range rows[1:] {
				decisions, err := b.Decide(requestOf(t, rows[0], row))
				if err != nil {
					t.Fatal(err)
				}
				for j, d := range decisions {
					n := i*len(decisions) + j
					if got := line(i, file.Policies[j].Name, d); got != string(want[n]) {
						t.Fatalf("line %d\n got %s\nwant %s", n+1, got, want[n])
					}
				}
			}
			if n := (len(rows) - 1) * len(file.Policies); n != len(want) {
				t.Errorf("%d decisions, want %d", n, len(want))
			}
		})
	}
}

func read(t *testing.T, dir, name string) []byte {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func requestOf(t *testing.T, header, row []string) lab.Request {
	r := lab.Request{Key: "default", Cost: 1}
	for i, name := range header {
		var err error
		switch name {
		case "at_ms":
			d, e := lab.ParseMillis(row[i])
			r.At, err = lab.Time(d), e
		case "key":
			r.Key = row[i]
		case "cost":
			r.Cost, err = strconv.ParseInt(row[i], 10, 64)
		case "service_ms":
			r.Service, err = lab.ParseMillis(row[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func line(i int, policy string, d lab.Decision) string {
	retry := fmt.Sprintf(`"retry_after_ms":%d,`, lab.CeilMillis(d.RetryAfter))
	if d.Verdict == lab.Never {
		retry = ""
	}
	return fmt.Sprintf(`{"i":%d,"policy":%q,"decision":"%v","wait_ms":%d,"remaining":%d,%s"reset_ms":%d}`,
		i, policy, d.Verdict, lab.CeilMillis(d.Wait), d.Remaining, retry, lab.CeilMillis(d.Reset))
}
