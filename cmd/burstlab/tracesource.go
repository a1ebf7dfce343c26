package main

import (
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
func openTrace(name string, stdin io.Reader) (*traceSource, error) {
	if name == "-" {
		return &traceSource{name: "standard input", file: stdin}, nil
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
	return io.TeeReader(s.file, temporary), nil
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
