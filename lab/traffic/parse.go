package traffic

import (
	"fmt"
	"strings"
)

// SyntaxError says where a notation is wrong, and what was expected there.
type SyntaxError struct {
	// Offset is the place in bytes from 0.
	Offset int
	// Line and Column are the place from 1; columns count characters.
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Parse reads a notation. What it returns passes Check; its error is a
// *[SyntaxError]. The empty notation is the traffic without requests.
func Parse(notation string) (Traffic, error) {
	t, _, err := ParsePlaces(notation)
	return t, err
}

// Place is where a pattern stands in a notation: notation[Start:End], in bytes.
type Place struct{ Start, End int }

// ParsePlaces is [Parse], and tells where each pattern stands. What lies between
// two patterns is a separator, blanks and comments.
func ParsePlaces(notation string) (Traffic, []Place, error) {
	s := &scanner{text: notation}
	if len(notation) > MaxNotation {
		s.fail(MaxNotation, "the notation is too long; expected at most %d bytes", MaxNotation)
		return Traffic{}, nil, s.err
	}
	var t Traffic
	var places []Place
	for s.nextPattern() {
		if len(t.Patterns) == MaxPatterns {
			s.fail(s.next, "too many patterns; expected at most %d", MaxPatterns)
			break
		}
		p := s.pattern()
		if s.err != nil {
			break
		}
		t.Patterns = append(t.Patterns, p)
		places = append(places, Place{s.start, s.end})
	}
	if s.err == nil && len(t.String()) > MaxNotation {
		// Spans are written in a longer form than some were read in.
		s.fail(len(notation), "the notation is too long once its times are written in full; expected at most %d bytes", MaxNotation)
	}
	if s.err != nil {
		return Traffic{}, nil, s.err
	}
	return t, places, nil
}

const anyPattern = `expected a pattern, such as 14@0s, 15/s 12s..16s, ramp, random, edge, at or trace`

// pattern reads one pattern up to its separator.
func (s *scanner) pattern() Pattern {
	var p Pattern
	switch {
	case s.atDigit():
		n := s.count(partCount)
		s.mark(partRate, s.start)
		switch {
		case s.accept("@"):
			p = parseBurst(s, n)
		case s.accept("/"):
			p = parseSteady(s, n)
		default:
			s.fail(s.next, `expected "@" and a time, or "/" and a span, after %d: 14@0s or 15/s 12s..16s`, n)
		}
	case s.word("ramp"):
		p = parseRamp(s)
	case s.word("random"):
		p = parseRandom(s)
	case s.word("edge"):
		p = parseEdge(s)
	case s.word("at"):
		p = parseTimes(s)
	case s.word("trace"):
		p = parseTrace(s)
	default:
		s.fail(s.next, "%s is no pattern; %s", s.found(), anyPattern)
	}
	if s.err != nil {
		return nil
	}
	if !s.atEnd() {
		s.fail(s.next, "found %s; expected %s", s.found(), after(p))
		return nil
	}
	if err := s.checker.check(p); err != nil {
		s.failPart(err.(*PatternError))
	}
	return p
}

// after says what may follow the last thing read of p.
func after(p Pattern) string {
	choices := []string{"key=", "cost=", "service="}
	switch p := p.(type) {
	case Burst:
		if p.Each == (Each{}) {
			if p.Rounds == 0 {
				choices = append(choices, `"x" and a number of rounds`)
				if p.Gap == 0 {
					choices = append(choices, `"every"`)
				}
			}
		}
	case Random:
		choices = append(choices, "seed=")
	case Edge:
		if p.Each == (Each{}) && p.Gap == 0 {
			choices = append(choices, `"every"`)
		}
	case Trace:
		choices = append(choices, `"," and the next request`)
	}
	return strings.Join(choices, ", ") + ` or ";" and the next pattern`
}
