package traffic

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
)

// scanner reads the tokens of a notation. Its first error sticks: after it every
// method gives zero values and reads nothing.
type scanner struct {
	text string
	next int // offset of the next token
	err  *SyntaxError

	start int    // where the current pattern begins
	marks []mark // where its parts stand
}

// mark remembers the place of a pattern's part, for the errors of Check.
type mark struct {
	part   string
	offset int
}

// fail records an error at an offset.
func (s *scanner) fail(offset int, format string, args ...any) {
	if s.err != nil {
		return
	}
	before := s.text[:offset]
	line := strings.LastIndexByte(before, '\n') + 1
	s.err = &SyntaxError{
		Offset:  offset,
		Line:    strings.Count(before, "\n") + 1,
		Column:  utf8.RuneCountInString(before[line:]) + 1,
		Message: fmt.Sprintf(format, args...),
	}
}

// failPart records what Check said of the current pattern at the part's place,
// or at the pattern's beginning for a part that was left out.
func (s *scanner) failPart(e *PatternError) {
	index := 0
	for _, m := range s.marks {
		if m.part != e.Part {
			continue
		}
		if index == e.Index {
			s.fail(m.offset, "%s", e.Reason)
			return
		}
		index++
	}
	s.fail(s.start, "%s", e.Reason)
}

func (s *scanner) mark(part string, offset int) { s.marks = append(s.marks, mark{part, offset}) }

// skip moves over blanks and comments, not over the ends of lines.
func (s *scanner) skip() {
	for s.next < len(s.text) {
		switch s.text[s.next] {
		case ' ', '\t', '\r':
			s.next++
		case '#':
			if end := strings.IndexByte(s.text[s.next:], '\n'); end >= 0 {
				s.next += end
			} else {
				s.next = len(s.text)
			}
		default:
			return
		}
	}
}

// skipLines moves over blanks, comments and ends of lines.
func (s *scanner) skipLines() {
	for s.skip(); s.next < len(s.text) && s.text[s.next] == '\n'; s.skip() {
		s.next++
	}
}

// nextPattern moves over separators and says whether a pattern follows.
func (s *scanner) nextPattern() bool {
	if s.err != nil {
		return false
	}
	for s.skipLines(); s.next < len(s.text) && s.text[s.next] == ';'; s.skipLines() {
		s.next++
	}
	s.start, s.marks = s.next, s.marks[:0]
	return s.next < len(s.text)
}

// atEnd says whether the pattern ends here.
func (s *scanner) atEnd() bool {
	return s.next == len(s.text) || s.text[s.next] == ';' || s.text[s.next] == '\n'
}

func (s *scanner) rest() string {
	if s.err != nil {
		return ""
	}
	return s.text[s.next:]
}

func (s *scanner) atDigit() bool { r := s.rest(); return r != "" && isDigit(r[0]) }

// atInstant says whether an instant begins here.
func (s *scanner) atInstant() bool {
	return s.atDigit() || strings.HasPrefix(s.rest(), "-")
}

// take moves n bytes on and over what separates tokens.
func (s *scanner) take(n int) {
	s.next += n
	s.skip()
}

// accept reads the punctuation p, if it comes next.
func (s *scanner) accept(p string) bool {
	if !strings.HasPrefix(s.rest(), p) {
		return false
	}
	s.take(len(p))
	return true
}

// expect reads the punctuation p.
func (s *scanner) expect(p, also string) {
	if !s.accept(p) {
		s.fail(s.next, "found %s; expected %q %s", s.found(), p, also)
	}
}

// word reads the word w, if it comes next as a whole word.
func (s *scanner) word(w string) bool {
	rest := s.rest()
	if !strings.HasPrefix(rest, w) || len(rest) > len(w) && isWord(rest[len(w)]) {
		return false
	}
	s.take(len(w))
	return true
}

func (s *scanner) expectWord(w, also string) {
	if !s.word(w) {
		s.fail(s.next, "found %s; expected %q %s", s.found(), w, also)
	}
}

// rounds reads the x before a number of rounds, if it comes next.
func (s *scanner) rounds() bool {
	rest := s.rest()
	if rest == "" || rest[0] != 'x' || len(rest) > 1 && isWord(rest[1]) && !isDigit(rest[1]) {
		return false
	}
	s.take(1)
	return true
}

// found names what comes next, for an error.
func (s *scanner) found() string {
	rest := s.rest()
	if rest == "" {
		return "the end"
	}
	end := 0
	for end < len(rest) && end < 20 && isWord(rest[end]) {
		end++
	}
	if end == 0 {
		if rest[0] == '\n' {
			return "the end of the line"
		}
		_, end = utf8.DecodeRuneInString(rest)
	}
	return strconv.Quote(rest[:end])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

// digits is the length of the run of digits that text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// count reads a whole number from 1.
func (s *scanner) count(part string) int64 { return s.number(part, 1) }

// number reads a whole number from least to lab.MaxCount.
func (s *scanner) number(part string, least int64) int64 {
	rest := s.rest()
	n := digits(rest)
	s.mark(part, s.next)
	if n == 0 {
		s.fail(s.next, "found %s; expected a whole number from %d to %d", s.found(), least, int64(lab.MaxCount))
		return 0
	}
	v, err := strconv.ParseInt(rest[:n], 10, 64)
	if err != nil || v < least || v > lab.MaxCount {
		s.fail(s.next, "%s is out of range; expected a whole number from %d to %d", clip(rest[:n]), least, int64(lab.MaxCount))
		return 0
	}
	s.take(n)
	return v
}

// span reads a duration.
func (s *scanner) span(part string) time.Duration {
	s.mark(part, s.next)
	return s.duration(lab.MaxSpan, false)
}

// instant reads a time, which may lie before 0.
func (s *scanner) instant(part string) lab.Time {
	s.mark(part, s.next)
	if strings.HasPrefix(s.rest(), "-") {
		s.next++
		return -lab.Time(s.duration(time.Duration(lab.MaxTime), true))
	}
	return lab.Time(s.duration(time.Duration(lab.MaxTime), true))
}

// duration reads a duration of at most most as Go writes it, exactly.
func (s *scanner) duration(most time.Duration, instant bool) time.Duration {
	if s.err != nil {
		return 0
	}
	start := s.next
	what := "a duration"
	if instant {
		what = "a time"
	}
	d, n, problem := readDuration(s.rest(), most)
	switch problem {
	case durationOK:
		s.take(n)
		return d
	case durationMissing:
		s.fail(start, "found %s; expected %s such as 0s, 250ms or 1m30s", s.found(), what)
	case durationNoUnit:
		s.fail(start+n, "found %s after %s; expected a unit: h, m, s, ms, us or ns", s.foundAt(start+n), clip(s.text[start:start+n]))
	case durationTooFine:
		s.fail(start, "%s is not a whole number of nanoseconds; expected fewer decimals", clip(s.text[start:start+n]))
	case durationTooLong:
		s.fail(start, "%s is out of range; expected at most %s", clip(s.text[start:start+n]), lab.FormatSpan(most))
	}
	return 0
}

func (s *scanner) foundAt(offset int) string {
	at := *s
	at.next = offset
	return at.found()
}

// rate reads a count and a span, with a slash between them.
func (s *scanner) rate(part string, least int64) Rate {
	start := s.next
	n := s.number(part, least)
	s.expect("/", `and a span, such as "15/s"`)
	r := Rate{n, s.per()}
	s.mark(part, start)
	return r
}

// per reads the span of a rate: a unit, or a duration from 1ns.
func (s *scanner) per() time.Duration {
	start := s.next
	per := s.unitOrSpan()
	if s.err == nil && per == 0 {
		s.fail(start, "0s is out of range; expected a duration of at least 1ns")
	}
	return per
}

func (s *scanner) unitOrSpan() time.Duration {
	if s.atDigit() {
		return s.span(partPer)
	}
	unit, n := readUnit(s.rest())
	if n == 0 || n < len(s.rest()) && isWord(s.rest()[n]) {
		s.fail(s.next, "found %s; expected a unit or a duration: s, 100ms, 24h", s.found())
		return 0
	}
	s.take(n)
	return unit
}

// interval reads two instants with two dots between them.
func (s *scanner) interval() (from, to lab.Time) {
	from = s.instant(partFrom)
	s.expect("..", `and the end of the interval, such as "12s..16s"`)
	return from, s.instant(partTo)
}

// clip shortens what an error quotes.
func clip(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	for i := range text[:most+1] {
		if i > most-utf8.UTFMax {
			return text[:i] + "…"
		}
	}
	return text[:most]
}

// Problems of a duration's text.
const (
	durationOK = iota
	durationMissing
	durationNoUnit
	durationTooFine
	durationTooLong
)

// readDuration reads the duration that text begins with, and how long its text
// is; where there is a problem, how far it was read. It is exact where
// [time.ParseDuration] goes through floating point.
func readDuration(text string, most time.Duration) (d time.Duration, length, problem int) {
	for length < len(text) && isDigit(text[length]) {
		wholeLen := digits(text[length:])
		whole := text[length : length+wholeLen]
		length += wholeLen
		frac := ""
		if length+1 < len(text) && text[length] == '.' && isDigit(text[length+1]) {
			n := digits(text[length+1:])
			frac = text[length+1 : length+1+n]
			length += 1 + n
		}
		unit, n := readUnit(text[length:])
		if n == 0 {
			if whole == "0" && frac == "" && d == 0 && length == 1 && !(length < len(text) && isWord(text[length])) {
				return 0, length, durationOK
			}
			return 0, length, durationNoUnit
		}
		length += n
		part, problem := scale(whole, frac, unit)
		if problem != durationOK {
			return 0, length, problem
		}
		if part > most-d {
			return 0, length, durationTooLong
		}
		d += part
	}
	switch {
	case length == 0:
		return 0, 0, durationMissing
	case length < len(text) && isWord(text[length]):
		return 0, length, durationNoUnit
	}
	return d, length, durationOK
}

// scale is whole.frac units.
func scale(whole, frac string, unit time.Duration) (time.Duration, int) {
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit)-1 {
		return 0, durationTooLong
	}
	frac = strings.TrimRight(frac, "0")
	if frac == "" {
		return time.Duration(n) * unit, durationOK
	}
	// An hour is 2¹³·3²·5¹¹ ns: no unit has whole nanoseconds beyond the 13th
	// decimal.
	if len(frac) > 13 {
		return 0, durationTooFine
	}
	f, _ := strconv.ParseUint(frac, 10, 64)
	ten := uint64(1)
	for range frac {
		ten *= 10
	}
	q, rest := mulDiv(f, uint64(unit), ten)
	if rest != 0 {
		return 0, durationTooFine
	}
	return time.Duration(n)*unit + time.Duration(q), durationOK
}

// readUnit reads the unit that text begins with, and its length.
func readUnit(text string) (time.Duration, int) {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{
		{"ns", time.Nanosecond},
		{"us", time.Microsecond}, {"µs", time.Microsecond}, {"μs", time.Microsecond},
		{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour},
	} {
		if strings.HasPrefix(text, u.name) {
			return u.unit, len(u.name)
		}
	}
	return 0, 0
}

// isBare says whether a key's character needs no quotes.
func isBare(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/@+%*~", r))
}
