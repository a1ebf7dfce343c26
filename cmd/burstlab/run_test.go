package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/burstlab/burstlab/lab"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"burstlab": main})
}

// TestScripts runs the program as a person does; testdata/*.txt tell how. With
// -update they are rewritten to what the program prints: right only after a
// change of wording.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": expectStatus,
			"write":  writeText,
		},
	})
}

// writeText is the script command "write FILE TEXT...": a file with bytes that a
// script cannot hold. A text has Go's escapes and, behind "N*", stands N times.
func writeText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: write FILE TEXT...")
	}
	var data strings.Builder
	for _, arg := range args[1:] {
		times := 1
		if count, text, ok := strings.Cut(arg, "*"); ok {
			if n, err := strconv.Atoi(count); err == nil {
				times, arg = n, text
			}
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(arg, `"`, `\"`) + `"`)
		ts.Check(err)
		data.WriteString(strings.Repeat(text, times))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data.String()), 0o600))
}

// expectStatus is the script command "status N program args...": the program must
// end with exit status N. Its output is then there for stdout, stderr and cmp.
func expectStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args...")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ends with %s, want exit status %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// try runs the program within the test.
func try(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) (status int, stderr string) {
	var errs bytes.Buffer
	status = run(ctx, args, stdin, stdout, &errs, func(string) string { return "" })
	return status, errs.String()
}

// golden are the cases that the limiters' own tests decide too.
const golden = "../../lab/limit/testdata/golden/"

const windowEdge = golden + "window-edge/"

func TestReaderThatHasGone(t *testing.T) {
	status, stderr := try(t.Context(), nil, failingWriter{syscall.EPIPE}, "replay", "--policies", windowEdge+"policies.json", "--trace", windowEdge+"trace.csv")
	if status != 1 || stderr != "" {
		t.Errorf("status %d, stderr %q; want 1 and nothing to read", status, stderr)
	}
}

func TestFullDisk(t *testing.T) {
	status, stderr := try(t.Context(), nil, failingWriter{errors.New("no space left")}, "replay", "--policies", windowEdge+"policies.json", "--trace", windowEdge+"trace.csv")
	if status != 1 || stderr != "burstlab: no space left\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout bytes.Buffer
	status, stderr := try(ctx, nil, &stdout, "replay", "--policies", windowEdge+"policies.json", "--trace", windowEdge+"trace.csv")
	if status != 1 || stderr != "burstlab: interrupted after 0 requests\n" || stdout.Len() != 0 {
		t.Errorf("status %d, stderr %q, stdout %q", status, stderr, stdout.String())
	}
}

func TestOnlyFilesCanBeTerminals(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) || isTerminal(new(bytes.Buffer)) {
		t.Error("a file or a buffer counts as a terminal")
	}
}

// An interrupt is heard while standard input is silent.
func TestInterruptWhileInputIsSilent(t *testing.T) {
	for _, format := range []string{"jsonl", "summary"} {
		ctx, cancel := context.WithCancel(t.Context())
		silent, rows := io.Pipe()
		go func() {
			if _, err := io.WriteString(rows, "at_ms\n1\n"); err != nil {
				t.Error(err)
			}
			cancel()
		}()
		var stdout bytes.Buffer
		status, stderr := try(ctx, silent, &stdout, "replay", "--policies", windowEdge+"policies.json", "--trace", "-", "--format", format)
		if status != 1 || !strings.HasPrefix(stderr, "burstlab: interrupted after ") || stdout.Len() != 0 {
			t.Errorf("%s: ended with %d, %q, %d bytes; expected to be interrupted", format, status, stderr, stdout.Len())
		}
		silent.Close()
	}
}

// A trace that is not the same when it is read again is not taken for a whole.
func TestATraceThatChangesMeanwhile(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.csv")
	rows := "at_ms\n" + strings.Repeat("1000\n", 200_000)
	if err := os.WriteFile(trace, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	cut := cuttingWriter{file: trace, at: int64(len(rows) / 2)}
	status, stderr := try(t.Context(), nil, &cut, "replay", "--policies", windowEdge+"policies.json", "--trace", trace, "--format", "jsonl")
	if status != 1 || !strings.Contains(stderr, "t.csv has changed while it was read: it had 200,000 requests, and then ") {
		t.Errorf("ended with %d, %q", status, stderr)
	}
}

// cuttingWriter cuts a file short when it is first written to.
type cuttingWriter struct {
	file string
	at   int64
}

func (w *cuttingWriter) Write(p []byte) (int, error) {
	if w.file != "" {
		if err := os.Truncate(w.file, w.at); err != nil {
			return 0, err
		}
		w.file = ""
	}
	return len(p), nil
}

// A byte order mark before JSONL is no reason to take it for CSV.
func TestAMarkBeforeTheTrace(t *testing.T) {
	var stdout bytes.Buffer
	status, stderr := try(t.Context(), strings.NewReader("\ufeff{\"at_ms\":900}\n"), &stdout, "replay", "--policies", windowEdge+"policies.json", "--trace", "-", "--format", "jsonl")
	if status != 0 || stdout.Len() == 0 {
		t.Errorf("ended with %d, %q", status, stderr)
	}
}

// What cannot be read at all is no mistake in the input.
func TestAnInputThatFails(t *testing.T) {
	for _, format := range []string{"jsonl", "summary"} {
		failing := io.MultiReader(strings.NewReader("at_ms\n1\n"), iotest.ErrReader(errors.New("the disk is gone")))
		status, stderr := try(t.Context(), failing, new(bytes.Buffer), "replay", "--policies", windowEdge+"policies.json", "--trace", "-", "--format", format)
		if status != 1 || !strings.Contains(stderr, "the disk is gone") {
			t.Errorf("%s: ended with %d, %q", format, status, stderr)
		}
	}
}

// However an interrupt comes, only whole lines stand on the output, as many as
// the message says.
func TestAnInterruptLeavesWholeLines(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(trace, []byte("at_ms\n"+strings.Repeat("1000\n", 300_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := cancellingWriter{cancel: cancel}
	status, stderr := try(ctx, nil, &out, "replay", "--policies", windowEdge+"policies.json", "--trace", trace, "--format", "jsonl")
	policies := strings.Count(out.String(), "{\"i\":0,")
	want := fmt.Sprintf("burstlab: interrupted after %s requests\n", lab.FormatCount(int64(strings.Count(out.String(), "\n")/policies)))
	if status != 1 || !strings.HasSuffix(out.String(), "}\n") || stderr != want {
		t.Errorf("ended with %d and %q after %q; expected %q", status, stderr, out.String()[max(0, out.Len()-40):], want)
	}
}

// cancellingWriter interrupts the program when it first prints something.
type cancellingWriter struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (w *cancellingWriter) Write(p []byte) (int, error) {
	w.cancel()
	return w.Buffer.Write(p)
}

// A command that waits for what never comes ends all the same.
func TestAnInterruptWhileACommandIsStuck(t *testing.T) {
	never := make(chan error)
	if err := wound(never, false); err == nil || err.Error() != "interrupted" {
		t.Errorf("a stuck command ended with %v", err)
	}
	server := make(chan error, 1)
	server <- nil
	if err := wound(server, true); err != nil {
		t.Errorf("a server ended with %v", err)
	}
}

func TestRunningAllIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, stderr := try(ctx, nil, new(bytes.Buffer), "scenarios", "run", "--all"); status != 1 || stderr != "burstlab: interrupted\n" {
		t.Errorf("ended with %d, %q", status, stderr)
	}
}
