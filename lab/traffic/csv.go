package traffic

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/burstlab/burstlab/lab"
)

// CSV reads a trace of comma-separated values (RFC 4180) whose first line names
// the columns, in any order.
type CSV struct {
	lines
	columns []string
	err     error
	row     []field // reused
	buf     []byte  // a quoted row's text, reused
}

// field is one field of a row with quotes.
type field struct {
	text         []byte
	line, column int
}

// NewCSV returns a reader of r; name stands in its errors.
func NewCSV(name string, r io.Reader) *CSV { return &CSV{lines: newLines(name, r)} }

// Read implements [TraceReader].
func (c *CSV) Read() (r lab.Request, err error) {
	if c.err == nil && c.columns == nil {
		c.err = c.readHeader()
	}
	if c.err == nil {
		r, c.err = c.read()
	}
	return r, c.err
}

const anyHeader = "expected a first line that names the columns: " + fieldAt + ", and where there are such key, cost and service_ms"

func (c *CSV) readHeader() error {
	line, err := c.nextLine()
	if err == io.EOF {
		c.number = max(c.number, 1)
		return c.fail(nil, 0, "the file is empty; %s", anyHeader)
	}
	if err != nil {
		return err
	}
	if line[0] == '{' {
		return c.fail(line, 0, "found \"{\", as in a file with a JSON object on each line; %s", anyHeader)
	}
	if err := c.split(line, len(allFields)); err != nil {
		return err
	}
	for _, f := range c.row {
		name := string(f.text)
		switch {
		case !slices.Contains(allFields, name):
			return c.failAt(f, "%q is no column of a trace; %s", lab.Clip(name), anyHeader)
		case slices.Contains(c.columns, name):
			return c.failAt(f, "the column %s stands here twice; expected it once", name)
		}
		c.columns = append(c.columns, name)
	}
	if !slices.Contains(c.columns, fieldAt) {
		return c.failAt(c.row[0], "there is no column %s; %s", fieldAt, anyHeader)
	}
	return nil
}

// nextLine is the next line that is not empty.
func (c *CSV) nextLine() ([]byte, error) {
	for {
		line, err := c.next()
		if err != nil || len(line) > 0 {
			return line, err
		}
	}
}

func (c *CSV) read() (lab.Request, error) {
	line, err := c.nextLine()
	if err != nil {
		return lab.Request{}, err
	}
	c.rowLine, c.rowColumn = c.number, 1
	if bytes.IndexByte(line, '"') >= 0 {
		return c.readQuoted(line)
	}
	// The way of nearly all rows: fields are what stands between the commas.
	r := lab.Request{Key: DefaultKey, Cost: DefaultCost}
	start := 0
	for i, column := range c.columns {
		if start > len(line) {
			return lab.Request{}, c.fail(line, len(line), "%s", c.tooFew(i))
		}
		end := len(line)
		if n := bytes.IndexByte(line[start:], ','); n >= 0 {
			end = start + n
		}
		if text := line[start:end]; len(text) > 0 || column == fieldAt {
			if problem := c.set(&r, column, text); problem != "" {
				return lab.Request{}, c.fail(line, start, "%s: %s", column, problem)
			}
		}
		start = end + 1
	}
	if start <= len(line) {
		return lab.Request{}, c.fail(line, start, "%s", c.tooMany())
	}
	return r, nil
}

func (c *CSV) tooFew(fields int) string {
	return fmt.Sprintf("the row ends after %d of %d fields; expected a comma and %s", fields, len(c.columns), c.columns[fields])
}

func (c *CSV) tooMany() string {
	return fmt.Sprintf("the row has more fields than the first line; expected its end after %d", len(c.columns))
}

// readQuoted reads a row that has quotes.
func (c *CSV) readQuoted(line []byte) (lab.Request, error) {
	if err := c.split(line, len(c.columns)); err != nil {
		return lab.Request{}, err
	}
	r := lab.Request{Key: DefaultKey, Cost: DefaultCost}
	for i, f := range c.row {
		if i == len(c.columns) {
			return lab.Request{}, c.failAt(f, "%s", c.tooMany())
		}
		if len(f.text) == 0 && c.columns[i] != fieldAt {
			continue
		}
		if problem := c.set(&r, c.columns[i], f.text); problem != "" {
			return lab.Request{}, c.failAt(f, "%s: %s", c.columns[i], problem)
		}
	}
	if n := len(c.row); n < len(c.columns) {
		return lab.Request{}, c.failAt(c.row[n-1], "%s", c.tooFew(n))
	}
	return r, nil
}

func (c *CSV) failAt(f field, format string, args ...any) error {
	return &lab.FileError{File: c.file, Line: f.line, Column: f.column, Message: fmt.Sprintf(format, args...)}
}

// split splits a line, and the lines after it that a quoted field goes on in,
// into the fields of c.row. It leaves off after one field more than most: that
// one is wrong already, and a row may have tens of thousands.
func (c *CSV) split(line []byte, most int) error {
	c.row, c.buf = c.row[:0], c.buf[:0]
	for at := 0; ; at++ {
		f := field{line: c.number, column: column(line, at)}
		begin := len(c.buf)
		if at < len(line) && line[at] == '"' {
			var err error
			if line, at, err = c.unquote(line, at+1, f); err != nil {
				return err
			}
			if at < len(line) && line[at] != ',' {
				return c.fail(line, at, `%q follows the closing quote; expected a comma or the end of the line (a quote inside is written twice)`, firstRune(line[at:]))
			}
		} else {
			for ; at < len(line) && line[at] != ','; at++ {
				if line[at] == '"' {
					return c.fail(line, at, `a quote stands inside a field that does not begin with one; expected the whole field in quotes, and this one written twice`)
				}
				c.buf = append(c.buf, line[at])
			}
		}
		// The full slice expression keeps a later field from growing into this one.
		f.text = c.buf[begin:len(c.buf):len(c.buf)]
		c.row = append(c.row, f)
		if at >= len(line) || len(c.row) > most {
			return nil
		}
	}
}

// unquote appends a quoted field that goes on at an offset of line to c.buf. It
// returns the line in which the field ends and the offset after its end.
func (c *CSV) unquote(line []byte, at int, f field) ([]byte, int, error) {
	for {
		n := bytes.IndexByte(line[at:], '"')
		if n >= 0 {
			c.buf = append(c.buf, line[at:at+n]...)
			at += n + 1
			if at == len(line) || line[at] != '"' {
				return line, at, nil
			}
			c.buf = append(c.buf, '"')
			at++
			continue
		}
		c.buf = append(c.buf, line[at:]...)
		c.buf = append(c.buf, c.end...)
		if len(c.buf) > MaxTraceLine {
			return nil, 0, c.failAt(f, "the quoted field is too long; expected its end within %d bytes", MaxTraceLine)
		}
		var err error
		if line, err = c.next(); err == io.EOF {
			return nil, 0, c.failAt(f, "the quoted field has no end; expected a closing quote")
		} else if err != nil {
			return nil, 0, err
		}
		at = 0
	}
}
