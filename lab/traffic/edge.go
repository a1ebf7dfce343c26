package traffic

import (
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Edge is the traffic that fools a fixed window: a burst at the end of one
// window and another at the start of the next. "edge 10 per 1s at 8s" sends 10
// requests that end just before 8 s and 10 that begin at 8 s.
type Edge struct {
	// Requests is how many there are on each side.
	Requests int64
	// Window is the window's length; At is one of its edges, a multiple of it.
	Window time.Duration
	At     lab.Time
	// Gap is the time between two requests; the last one before the edge comes
	// one gap before it. 0 means a gap that makes each burst a tenth of the
	// window long.
	Gap time.Duration
	Each
}

// Check implements [Pattern].
func (e Edge) Check() error {
	switch {
	case e.Requests < 1 || e.Requests > lab.MaxCount/2:
		return partError(partCount, "%d is out of range; expected a whole number from 1 to %s", e.Requests, lab.FormatCount(lab.MaxCount/2))
	case e.Window < 1 || e.Window > lab.MaxSpan:
		return partError(partPer, "%s is out of range; expected a duration from 1ns to %s", lab.FormatSpan(e.Window), lab.FormatSpan(lab.MaxSpan))
	case e.At < lab.MinTime || e.At > lab.MaxTime:
		return partError(partTime, "%s", timeOutOfRange(e.At))
	case time.Duration(e.At)%e.Window != 0:
		return partError(partTime, "%s is not where a window of %s ends; expected a multiple of %[2]s", formatTime(e.At), lab.FormatSpan(e.Window))
	case e.Gap < 0 || e.Gap > lab.MaxSpan:
		return partError(partEvery, "%s is out of range; expected a duration from 1ns to %s", lab.FormatSpan(e.Gap), lab.FormatSpan(lab.MaxSpan))
	case repeated(e.Requests+1, e.gap()) > e.Window:
		return partError(partCount, "%d requests %s apart are longer than the window of %s; expected them to fit into it", e.Requests, lab.FormatSpan(e.gap()), lab.FormatSpan(e.Window))
	}
	if first, last := e.Span(); first < lab.MinTime || last > lab.MaxTime {
		return partError(partTime, "%s", timeOutOfRange(e.At))
	}
	return e.check()
}

func (e Edge) gap() time.Duration {
	if e.Gap != 0 {
		return e.Gap
	}
	return max(1, e.Window/time.Duration(10*e.Requests))
}

// Count implements [Pattern].
func (e Edge) Count() int64 { return 2 * e.Requests }

// Span implements [Pattern].
func (e Edge) Span() (first, last lab.Time) {
	return e.time(0), e.time(e.Count() - 1)
}

func (e Edge) time(i int64) lab.Time { return e.At + lab.Time(i-e.Requests)*lab.Time(e.gap()) }

func (e Edge) requests() cursor { return &indexed[Edge]{e, 0, e.Count()} }

func (e Edge) request(i int64) lab.Request { return e.Request(e.time(i)) }

// String implements [Pattern].
func (e Edge) String() string {
	s := "edge " + strconv.FormatInt(e.Requests, 10) + " per " + lab.FormatSpan(e.Window) + " at " + formatTime(e.At)
	if e.Gap != 0 {
		s += " every " + lab.FormatSpan(e.Gap)
	}
	return s + e.suffix()
}

func parseEdge(s *scanner) Pattern {
	var e Edge
	e.Requests = s.count(partCount)
	s.expectWord("per", "and the window's length, such as \"edge 10 per 1s at 8s\"")
	e.Window = s.span(partPer)
	s.expectWord("at", "and the time of the edge, such as \"at 8s\"")
	e.At = s.instant(partTime)
	if s.word("every") {
		if e.Gap = s.span(partEvery); e.Gap == 0 {
			s.failPart(&PatternError{Part: partEvery, Reason: "expected at least 1ns between two requests"})
		}
	}
	e.Each = s.each()
	return e
}
