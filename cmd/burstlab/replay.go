package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/traffic"
)

// replay runs policies over a trace.
//
// No decision is printed before the whole trace is known to be right, so that
// what is printed is always a whole result. For decisions a file is therefore read
// twice, first to check it, and once more in between to count its keys where it
// has more requests than there may be keys. What is in it must not change
// meanwhile; what is added at its end is left out. What can be read only once,
// such as standard input, is kept in a temporary file. Memory holds no more than
// the state of the policies. A summary is printed at the end and needs one
// reading.
type replay struct {
	Policies    string `required:"" placeholder:"FILE" help:"The policies, in JSON or YAML: {\"policies\": [{\"name\": ..., \"algorithm\": ..., ...}]}."`
	Trace       string `required:"" placeholder:"FILE" help:"The requests, in CSV or JSONL with at_ms, and where there are such key, cost and service_ms; - is standard input."`
	TraceFormat string `enum:"auto,csv,jsonl" default:"auto" help:"How the trace is written: csv or jsonl. By default what the file's name ends in or, where that does not tell, what it begins with."`
	Format      string `enum:"auto,jsonl,summary" default:"auto" help:"What to print: jsonl (a line for every request and policy) or summary (a table). By default summary on a terminal, otherwise jsonl."`
	MaxKeys     int    `default:"${maxkeys}" placeholder:"N" help:"Refuse traces with more than N different keys. By default as many as the engine can number, ${maxkeys}."`
}

// Run is the command.
func (c *replay) Run(e *environment) error {
	if c.Policies == "" || c.Trace == "" {
		return inputError{errors.New("--policies and --trace: expected the name of a file in each")}
	}
	policies, err := readPolicies(c.Policies)
	if err != nil {
		return err
	}
	if c.MaxKeys < 1 || c.MaxKeys > limit.MaxKeys {
		return inputError{fmt.Errorf("--max-keys: %d is out of range; expected a whole number from 1 to %s", c.MaxKeys, lab.FormatCount(limit.MaxKeys))}
	}
	source, err := openTrace(e.ctx, c.Trace, e.stdin)
	if err != nil {
		return inputError{err}
	}
	defer source.close()
	p := newProgress(e.stderr)
	defer p.done()
	r := replaying{command: c, environment: e, source: source, progress: p}

	out := bufio.NewWriterSize(e.stdout, 1<<18)
	if c.Format == "summary" || c.Format == "auto" && isTerminal(e.stdout) {
		err = r.summarise(policies, out)
	} else {
		err = r.printDecisions(policies, out)
	}
	p.done()
	// What was decided before an interrupt is printed, to the end of a line.
	return errors.Join(err, out.Flush())
}

func readPolicies(file string) ([]lab.Policy, error) {
	f, _, err := openFile(file, "policies")
	if err != nil {
		return nil, inputError{err}
	}
	defer f.Close()
	// One byte more than may be there is enough for Read to refuse it.
	data, err := io.ReadAll(io.LimitReader(f, policyfile.MaxSize+1))
	if err != nil {
		return nil, err
	}
	policies, err := policyfile.Read(file, data)
	if err != nil {
		return nil, inputError{err}
	}
	return policies, nil
}

// replaying is a replay under way.
type replaying struct {
	command     *replay
	environment *environment
	source      *traceSource
	progress    *progress
	requests    int64 // in the trace, once it has been checked
}

// each calls do with every row of the trace, in order.
func (r *replaying) each(what string, in io.Reader, do func(lab.Request) error) error {
	read := &countingReader{ctx: r.environment.ctx, in: in}
	rows := r.rows(read)
	for n := int64(0); ; n++ {
		// The reader itself notices an interrupt only when it reads on.
		if n%1024 == 0 && r.environment.ctx.Err() != nil {
			return fmt.Errorf("interrupted after %s", counted(n, "request"))
		}
		request, err := rows.Read()
		if err == io.EOF {
			r.source.size = read.n
			return nil
		}
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("interrupted after %s", counted(n, "request"))
		}
		if place := (*lab.FileError)(nil); errors.As(err, &place) {
			return inputError{err}
		}
		if err != nil {
			return err // the trace cannot be read at all, or not be kept
		}
		if err := do(request); errors.Is(err, limit.ErrKeysFull) {
			line, column := rows.Place()
			return inputError{&lab.FileError{File: r.source.name, Line: line, Column: column, Message: fmt.Sprintf(
				"the request has one key more than the bound of %d; expected fewer different keys or a larger --max-keys", r.command.MaxKeys)}}
		} else if err != nil {
			return err
		}
		if n%(1<<14) == 0 {
			r.progress.show(what, n+1, read.n, r.source.size)
		}
	}
}

func (r *replaying) rows(in io.Reader) traffic.TraceReader {
	name := r.source.name
	format := r.command.TraceFormat
	if format == "auto" {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".jsonl", ".ndjson":
			format = "jsonl"
		case ".csv":
			format = "csv"
		default:
			buffered := bufio.NewReader(in)
			in, format = buffered, formatOf(buffered)
		}
	}
	if format == "jsonl" {
		return traffic.NewJSONL(name, in)
	}
	return traffic.NewCSV(name, in)
}

// formatOf tells the format of a trace by how it begins, where its name does not
// tell it: a line of JSONL is an object. An error shows when the trace is read.
func formatOf(in *bufio.Reader) string {
	for n := 1; n <= in.Size(); n++ {
		start, err := in.Peek(n)
		if err != nil {
			return "csv"
		}
		switch start[n-1] {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // spaces, and the bytes of a byte order mark
		case '{':
			return "jsonl"
		default:
			return "csv"
		}
	}
	return "csv"
}

// check reads the whole trace once and finds all that could stop a replay.
func (r *replaying) check() error {
	in, err := r.source.first()
	if err != nil {
		return err
	}
	if err := r.each("Checking", in, func(lab.Request) error { r.requests++; return nil }); err != nil {
		return err
	}
	if r.requests <= int64(r.command.MaxKeys) {
		return nil // there cannot be more keys than requests
	}
	if in, err = r.source.again(); err != nil {
		return err
	}
	table := limit.NewTable(r.command.MaxKeys)
	var arrival limit.Arrival
	return r.each("Counting keys", in, func(request lab.Request) error { return table.Arrive(&request, &arrival) })
}

// printDecisions prints a line for every request and policy.
func (r *replaying) printDecisions(policies []lab.Policy, out *bufio.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	b, err := bench.New(policies, bench.Options{MaxKeys: r.command.MaxKeys})
	if err != nil {
		return err
	}
	in, err := r.source.again()
	if err != nil {
		return err
	}
	var i int64
	var lines []byte // of one request, reused
	err = r.each("Deciding", in, func(request lab.Request) error {
		decisions, err := b.Decide(request)
		if err != nil {
			return err
		}
		lines = lines[:0]
		for p := range decisions {
			lines = lab.AppendLine(lines, uint64(i), policies[p].Name, &decisions[p])
		}
		i++
		if out.Available() < len(lines) { // so that only whole lines are printed
			if err := out.Flush(); err != nil {
				return err
			}
		}
		_, err = out.Write(lines)
		return err
	})
	if err == nil && i != r.requests {
		err = fmt.Errorf("%s has changed while it was read: it had %s, and then %s", r.source.name, counted(r.requests, "request"), counted(i, "request"))
	}
	return err
}

// maxServed bounds what the score of a policy holds to find the busiest span: 16
// MiB, so that a summary of a long trace takes little memory.
const maxServed = 1 << 20

// summarise prints a table with a line for every policy.
func (r *replaying) summarise(policies []lab.Policy, out *bufio.Writer) error {
	b, err := bench.New(policies, bench.Options{MaxKeys: r.command.MaxKeys, Scores: true, MaxServed: maxServed})
	if err != nil {
		return err
	}
	s := summary{trace: r.source.name}
	err = r.each("Deciding", r.source.file, func(request lab.Request) error {
		if _, err := b.Decide(request); err != nil {
			return err
		}
		s.add(request)
		return nil
	})
	if err != nil {
		return err
	}
	s.write(out, b)
	return nil
}

// countingReader counts the bytes read, and reads no more when the context is
// done.
type countingReader struct {
	ctx context.Context
	in  io.Reader
	n   int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}
