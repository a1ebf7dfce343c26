package traffic

import (
	"fmt"
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
	end   int    // where the last token ends
	marks []mark // where its parts stand

	checker checker
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
	line, column := lab.Place(s.text, offset)
	s.err = &SyntaxError{offset, line, column, fmt.Sprintf(format, args...)}
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
	s.end = s.next
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
		s.fail(s.next, "found %s; expected a whole number from %d to %s", s.found(), least, lab.FormatCount(lab.MaxCount))
		return 0
	}
	v, err := strconv.ParseInt(rest[:n], 10, 64)
	if err != nil || v < least || v > lab.MaxCount {
		s.fail(s.next, "%s is out of range; expected a whole number from %d to %s", lab.Clip(rest[:n]), least, lab.FormatCount(lab.MaxCount))
		return 0
	}
	s.take(n)
	return v
}

// span reads a duration.
func (s *scanner) span(part string) time.Duration {
	d := s.duration(part, "a duration")
	if d > lab.MaxSpan {
		s.fail(s.marks[len(s.marks)-1].offset, "%s is out of range; expected at most %s", lab.FormatSpan(d), lab.FormatSpan(lab.MaxSpan))
		return 0
	}
	return d
}

// instant reads a time, which may lie before 0. Check knows its range.
func (s *scanner) instant(part string) lab.Time {
	return lab.Time(s.duration(part, "a time"))
}

// duration reads a duration, exactly. Only a time may have a sign.
func (s *scanner) duration(part, what string) time.Duration {
	s.mark(part, s.next)
	rest := s.rest()
	n := 0
	if what == "a time" && strings.HasPrefix(rest, "-") {
		n = 1
	}
	for n < len(rest) && (isWord(rest[n]) || rest[n] == '.' && n+1 < len(rest) && isDigit(rest[n+1])) {
		n++
	}
	if n == 0 || !s.atInstant() {
		s.fail(s.next, "found %s; expected %s such as 0s, 250ms or 1m30s", s.found(), what)
		return 0
	}
	d, err := lab.ParseSpan(rest[:n])
	if err != nil {
		s.fail(s.next, "%v", err)
		return 0
	}
	s.take(n)
	return d
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
	for unit, name := range units {
		if s.word(name) {
			return unit
		}
	}
	if s.word("us") || s.word("μs") { // U+03BC; units has U+00B5
		return time.Microsecond
	}
	s.fail(s.next, "found %s; expected a unit or a duration: s, 100ms, 24h", s.found())
	return 0
}

// interval reads two instants with two dots between them.
func (s *scanner) interval() (from, to lab.Time) {
	from = s.instant(partFrom)
	s.expect("..", `and the end of the interval, such as "12s..16s"`)
	return from, s.instant(partTo)
}

// isBare says whether a key's character needs no quotes.
func isBare(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/@+%*~", r))
}
