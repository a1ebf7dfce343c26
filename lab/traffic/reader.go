package traffic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
)

// MaxTraceLine bounds a line of a trace file (and a row of a CSV file that
// spreads over several lines), in bytes.
const MaxTraceLine = 64 << 10

// TraceReader reads recorded requests row by row, in the order of the file and
// in constant memory.
//
// A row has the fields at_ms (a decimal number with at most six decimals, so
// whole nanoseconds), and optionally key, cost and service_ms. One that is left
// out or empty has its default.
type TraceReader interface {
	// Read returns the next request, or io.EOF after the last. Any other error
	// is a *[lab.FileError], or one of the underlying reader; errors stick. The
	// request passes its Check.
	Read() (lab.Request, error)
	// Place is where the request that Read returned last begins in the file, as
	// a [lab.FileError] has it.
	Place() (line, column int)
}

// The fields of a row.
const (
	fieldAt      = "at_ms"
	fieldKey     = "key"
	fieldCost    = "cost"
	fieldService = "service_ms"
)

// allFields are all there are; none may stand twice, so no row has more.
var allFields = []string{fieldAt, fieldKey, fieldCost, fieldService}

const anyField = "at_ms, key, cost or service_ms"

// lines reads the lines of a trace file.
type lines struct {
	file   string
	in     *bufio.Reader
	number int    // of the line read last, from 1
	end    string // what ended it
	keys   interned

	rowLine, rowColumn int // where the row being read begins
}

func newLines(file string, r io.Reader) lines {
	return lines{file: file, in: bufio.NewReaderSize(r, MaxTraceLine)}
}

// Place implements [TraceReader].
func (l *lines) Place() (line, column int) { return l.rowLine, l.rowColumn }

// next returns the next line without its end, which is valid until the next
// call.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if l.number == 0 {
		if what := packed(line); what != "" {
			l.number++
			return nil, l.fail(nil, 0, "the file is %s; expected plain text in UTF-8", what)
		}
	}
	switch err {
	case nil:
	case io.EOF:
		return nil, err
	case bufio.ErrBufferFull:
		l.number++
		return nil, l.fail(nil, 0, "the line is too long; expected at most %d bytes", MaxTraceLine)
	default:
		return nil, fmt.Errorf("%s: %w", l.file, err)
	}
	l.number++
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	switch len(line) - len(text) {
	case 2:
		l.end = "\r\n"
	default:
		l.end = "\n"
	}
	return text, nil
}

// packed names the form of a file that begins like this, if it is one that
// people give by mistake for the text in it.
func packed(begin []byte) string {
	for _, form := range []struct{ begin, what string }{
		{"\x1f\x8b", "compressed with gzip"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd"},
		{"PK\x03\x04", "a zip archive"},
		{"\xff\xfe", "text in UTF-16"},
		{"\xfe\xff", "text in UTF-16"},
	} {
		if bytes.HasPrefix(begin, []byte(form.begin)) {
			return form.what
		}
	}
	return ""
}

// fail returns the error at an offset of the line read last.
func (l *lines) fail(line []byte, offset int, format string, args ...any) error {
	return &lab.FileError{File: l.file, Line: l.number, Column: column(line, offset), Message: fmt.Sprintf(format, args...)}
}

// set sets a field of r from its text and says what is wrong with it, if
// anything.
func (l *lines) set(r *lab.Request, field string, text []byte) (problem string) {
	switch field {
	case fieldAt:
		ns, problem := millis(text)
		if problem != "" {
			return problem
		}
		r.At = lab.Time(ns)
		if r.At < lab.MinTime || r.At > lab.MaxTime {
			return fmt.Sprintf("%s is out of range; expected a time from %s to %s ms", text, lab.MinTime.Millis(), lab.MaxTime.Millis())
		}
	case fieldKey:
		if len(text) > MaxKey {
			return fmt.Sprintf("the key has %d bytes; expected at most %d", len(text), MaxKey)
		}
		if len(text) > 0 {
			r.Key = l.keys.of(text)
		}
	case fieldCost:
		cost, ok := wholeNumber(text)
		if !ok || cost < 1 || cost > lab.MaxCount {
			return fmt.Sprintf("%q is no cost; expected a whole number from 1 to %s", lab.Clip(string(text)), lab.FormatCount(lab.MaxCount))
		}
		r.Cost = cost
	case fieldService:
		ns, problem := millis(text)
		beyond := problem != "" && isOutOfRange(text)
		if problem != "" && !beyond {
			return problem
		}
		if r.Service = ns; beyond || ns < 0 || ns > lab.MaxSpan {
			return fmt.Sprintf("%s is out of range; expected a time in service from 0 to %s ms", text, lab.FormatMillis(lab.MaxSpan))
		}
	}
	return ""
}

// isOutOfRange says whether a number of milliseconds is one, but too large.
func isOutOfRange(text []byte) bool {
	_, err := lab.ParseMillis(string(text))
	return errors.Is(err, lab.ErrOutOfRange)
}

// interned gives strings for the bytes of keys. It remembers a fixed number of
// them, so that a key that comes again and again is not made anew each time.
type interned [1 << 12]string

func (in *interned) of(text []byte) string {
	// FNV-1a; which slot a key has decides nothing but speed.
	h := uint32(2166136261)
	for _, c := range text {
		h = (h ^ uint32(c)) * 16777619
	}
	slot := &in[(h^h>>16)%uint32(len(in))]
	if *slot != string(text) {
		*slot = string(text)
	}
	return *slot
}

// column is the column of an offset, in characters from 1.
func column(line []byte, offset int) int { return utf8.RuneCount(line[:offset]) + 1 }

func firstRune(text []byte) string {
	_, n := utf8.DecodeRune(text)
	return string(text[:n])
}
