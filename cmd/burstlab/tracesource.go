package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// traceSource is a trace that can be read more than once.
type traceSource struct {
	name string
	file io.Reader
	size int64 // in bytes; 0 when it is not known. Once read, what was read

	seekable *os.File // the file itself, or a copy of what has been read
	copied   bool
}

// openTrace opens a trace; - is standard input.
func openTrace(ctx context.Context, name string, stdin io.Reader) (*traceSource, error) {
	if name == "-" {
		return &traceSource{name: "standard input", file: &patientReader{ctx: ctx, in: stdin}}, nil
	}
	f, info, err := openFile(name, "a trace")
	if err != nil {
		return nil, err
	}
	s := &traceSource{name: name, file: f}
	if info.Mode().IsRegular() {
		s.seekable, s.size = f, info.Size()
	}
	return s, nil
}

// openFile opens a file with something in it.
func openFile(name, something string) (*os.File, os.FileInfo, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: a folder; expected a file with %s", name, something)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// first is the trace to be read for the first time. What cannot be read twice is
// copied to a temporary file on the way.
func (s *traceSource) first() (io.Reader, error) {
	if s.seekable != nil {
		return s.file, nil
	}
	temporary, err := os.CreateTemp("", "burstlab-trace-*")
	if err != nil {
		return nil, fmt.Errorf("the trace cannot be kept for a second reading: %w", err)
	}
	s.seekable, s.copied = temporary, true
	// Where a file can be removed while it is open, nothing is left of it even
	// when the program is killed; elsewhere close removes it.
	os.Remove(temporary.Name())
	return io.TeeReader(s.file, keeping{temporary}), nil
}

// keeping says what a failed write to the copy means.
type keeping struct{ io.Writer }

func (k keeping) Write(b []byte) (int, error) {
	n, err := k.Writer.Write(b)
	if err != nil {
		err = fmt.Errorf("the trace cannot be kept for a second reading: %w", err)
	}
	return n, err
}

// again is the trace to be read once more, after first was read to its end: as
// far as it went then, if it has grown since.
func (s *traceSource) again() (io.Reader, error) {
	if _, err := s.seekable.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: the trace cannot be read a second time: %w", s.name, err)
	}
	return io.LimitReader(s.seekable, s.size), nil
}

// close closes the files and removes the temporary one.
func (s *traceSource) close() {
	if s.seekable != nil {
		s.seekable.Close()
	}
	if s.copied {
		os.Remove(s.seekable.Name())
	}
}

// patientReader reads what may be silent for long, and does not wait for it when
// the context is done. The read that is then under way ends with its source or
// with the program.
type patientReader struct {
	ctx context.Context
	in  io.Reader

	buffer []byte
	rest   []byte // read and not yet asked for
	err    error
}

const patientBuffer = 64 << 10

// Read implements [io.Reader].
func (p *patientReader) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.buffer == nil {
			p.buffer = make([]byte, patientBuffer)
		}
		type result struct {
			n   int
			err error
		}
		done := make(chan result, 1)
		go func() {
			n, err := p.in.Read(p.buffer)
			done <- result{n, err}
		}()
		select {
		case r := <-done:
			p.rest, p.err = p.buffer[:r.n], r.err
		case <-p.ctx.Done():
			p.err = p.ctx.Err()
			return 0, p.err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	if n > 0 || len(b) == 0 {
		return n, nil
	}
	return 0, p.err
}
