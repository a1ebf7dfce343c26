package traffic

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
)

// JSONL reads a trace with a JSON object on each line:
//
//	{"at_ms": 1500.25, "key": "ann", "cost": 2, "service_ms": 40}
//
// Numbers are read from their text, exactly. A field that is null counts as left
// out.
type JSONL struct {
	lines
	err error

	// The line being read.
	line []byte
	at   int
	text []byte // of the string or number read last; part of line, or of buf
	buf  []byte // the text of a string with escapes, reused
}

// NewJSONL returns a reader of r; name stands in its errors.
func NewJSONL(name string, r io.Reader) *JSONL { return &JSONL{lines: newLines(name, r)} }

// Read implements [TraceReader].
func (j *JSONL) Read() (r lab.Request, err error) {
	for j.err == nil {
		if j.line, j.err = j.next(); j.err != nil {
			break
		}
		j.at = 0
		if j.skip(); j.at == len(j.line) {
			continue
		}
		j.rowLine, j.rowColumn = j.lines.number, j.at+1
		r, problem := j.object()
		if problem == "" {
			return r, nil
		}
		j.err = j.fail(j.line, j.at, "%s", problem)
	}
	return lab.Request{}, j.err
}

// The methods below read on at j.at. Where something is wrong they say what, and
// leave j.at there.

func (j *JSONL) object() (lab.Request, string) {
	r := lab.Request{Key: DefaultKey, Cost: DefaultCost}
	if problem := j.expect('{', "an object such as {\"at_ms\": 1500}"); problem != "" {
		return r, problem
	}
	begin := j.at - 1
	var seen [4]bool
	for {
		start := j.at
		if problem := j.string(); problem != "" {
			return r, problem
		}
		name, n := fieldOf(j.text)
		switch {
		case n < 0:
			j.at = start
			return r, fmt.Sprintf("%q is no field of a trace; expected %s", lab.Clip(string(j.text)), anyField)
		case seen[n]:
			j.at = start
			return r, fmt.Sprintf("the field %s stands here twice; expected it once", name)
		}
		seen[n] = true
		if problem := j.expect(':', "a colon after "+name); problem != "" {
			return r, problem
		}
		if problem := j.value(&r, name); problem != "" {
			return r, problem
		}
		if j.at < len(j.line) && j.line[j.at] == '}' {
			break
		}
		if problem := j.expect(',', "a comma or the object's closing brace"); problem != "" {
			return r, problem
		}
	}
	j.at++
	if j.skip(); j.at < len(j.line) {
		return r, fmt.Sprintf("found %q after the object; expected the end of the line", firstRune(j.line[j.at:]))
	}
	if !seen[0] {
		j.at = begin
		return r, "the object has no at_ms; expected a decimal number of milliseconds"
	}
	return r, ""
}

// fieldOf is the field that text names, and its number from 0.
func fieldOf(text []byte) (string, int) {
	switch string(text) {
	case fieldAt:
		return fieldAt, 0
	case fieldKey:
		return fieldKey, 1
	case fieldCost:
		return fieldCost, 2
	case fieldService:
		return fieldService, 3
	}
	return "", -1
}

// value reads a field's value into r.
func (j *JSONL) value(r *lab.Request, name string) string {
	start := j.at
	var problem string
	switch {
	case name != fieldAt && j.null():
		return ""
	case name == fieldKey:
		if j.at == len(j.line) || j.line[j.at] != '"' {
			return j.expected("key: expected a text in quotes")
		}
		problem = j.string()
	default:
		problem = j.number(name)
	}
	if problem != "" {
		return problem
	}
	if problem = j.set(r, name, j.text); problem != "" {
		j.at = start
		return name + ": " + problem
	}
	return ""
}

func (j *JSONL) null() bool {
	const null = "null"
	if len(j.line)-j.at < len(null) || string(j.line[j.at:j.at+len(null)]) != null {
		return false
	}
	j.at += len(null)
	j.skip()
	return true
}

// number reads a number's text, without an exponent, into j.text.
func (j *JSONL) number(name string) string {
	start := j.at
	for j.at < len(j.line) && (isDigit(j.line[j.at]) || j.line[j.at] == '-' || j.line[j.at] == '.') {
		j.at++
	}
	j.text = j.line[start:j.at]
	digits := j.text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	switch {
	case len(j.text) == 0:
		return j.expected(name + ": expected a number")
	case j.at < len(j.line) && (j.line[j.at]|0x20 == 'e'):
		j.at = start
		return name + ": the number has an exponent; expected it written out"
	case len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]):
		j.at = start
		return name + ": the number begins with 0; expected it without"
	}
	j.skip()
	return ""
}

// string reads a string into j.text.
func (j *JSONL) string() string {
	if problem := j.expectHere('"', "a field's name in quotes: "+anyField); problem != "" {
		return problem
	}
	j.buf = j.buf[:0]
	start, escaped := j.at, false // what stands before start is in buf
	for j.at < len(j.line) {
		switch c := j.line[j.at]; {
		case c == '"':
			j.text = j.line[start:j.at]
			if escaped {
				j.buf = append(j.buf, j.text...)
				j.text = j.buf
			}
			j.at++
			j.skip()
			return ""
		case c == '\\':
			j.buf = append(j.buf, j.line[start:j.at]...)
			if problem := j.escape(); problem != "" {
				return problem
			}
			start, escaped = j.at, true
		case c < ' ':
			return fmt.Sprintf("a text has the control character %q; expected it escaped", c)
		case c < utf8.RuneSelf:
			j.at++
		default:
			r, n := utf8.DecodeRune(j.line[j.at:])
			if r == utf8.RuneError && n == 1 {
				return fmt.Sprintf("the byte %#x is not UTF-8; expected JSON in UTF-8", c)
			}
			j.at += n
		}
	}
	return "the text in quotes has no end; expected a closing quote"
}

// escape reads an escape sequence of a string.
func (j *JSONL) escape() string {
	const escapes, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if j.at+1 < len(j.line) {
		for i := range len(escapes) {
			if escapes[i] == j.line[j.at+1] {
				j.buf = append(j.buf, meanings[i])
				j.at += 2
				return ""
			}
		}
	}
	r, ok := j.codeUnit(j.at)
	if !ok {
		return `a wrong escape; expected \", \\, \/, \b, \f, \n, \r, \t or \u and four hexadecimal digits`
	}
	if !utf16.IsSurrogate(r) {
		j.buf = utf8.AppendRune(j.buf, r)
		j.at += 6
		return ""
	}
	// Half a pair stands for no character. Replacing it, as many readers do,
	// would make different keys the same.
	low, _ := j.codeUnit(j.at + 6)
	r = utf16.DecodeRune(r, low)
	if r == utf8.RuneError {
		return `half a surrogate pair; expected \u escapes of both halves`
	}
	j.buf = utf8.AppendRune(j.buf, r)
	j.at += 12
	return ""
}

// codeUnit is the \uXXXX at an offset.
func (j *JSONL) codeUnit(at int) (rune, bool) {
	if len(j.line) < at+6 || j.line[at] != '\\' || j.line[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(j.line[at+2:at+6]), 16, 16)
	return rune(v), err == nil
}

// expect reads the punctuation c and the white space around it.
func (j *JSONL) expect(c byte, what string) string {
	problem := j.expectHere(c, what)
	if problem == "" {
		j.skip()
	}
	return problem
}

// expectHere reads the punctuation c alone.
func (j *JSONL) expectHere(c byte, what string) string {
	if j.at == len(j.line) || j.line[j.at] != c {
		return j.expected("expected " + what)
	}
	j.at++
	return ""
}

// expected says what is found instead of what was expected.
func (j *JSONL) expected(what string) string {
	if j.at == len(j.line) {
		return "the line ends here; " + what
	}
	return fmt.Sprintf("found %q; %s", firstRune(j.line[j.at:]), what)
}

func (j *JSONL) skip() {
	for j.at < len(j.line) && (j.line[j.at] == ' ' || j.line[j.at] == '\t') {
		j.at++
	}
}
