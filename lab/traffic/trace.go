package traffic

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// Trace sends requests that were recorded, each with its own key, cost and
// service time: "trace 0s, 1s key=bob, 1s cost=3". Its rows are in time order;
// [NewTrace] puts them there.
type Trace struct {
	Rows []lab.Request
}

// NewTrace makes a trace of rows, which it takes over and sorts by time where a
// clock stepped back; rows of the same time keep their order.
func NewTrace(rows []lab.Request) Trace {
	slices.SortStableFunc(rows, func(a, b lab.Request) int { return cmp.Compare(a.At, b.At) })
	return Trace{rows}
}

// ReadTrace makes a trace of all rows of r, which are at most most.
func ReadTrace(r TraceReader, most int) (Trace, error) {
	var rows []lab.Request
	for {
		row, err := r.Read()
		switch {
		case err == io.EOF:
			return NewTrace(rows), nil
		case err != nil:
			return Trace{}, err
		case len(rows) == most:
			return Trace{}, fmt.Errorf("the trace has too many rows; expected at most %d", most)
		}
		rows = append(rows, row)
	}
}

// Check implements [Pattern].
func (p Trace) Check() error {
	if len(p.Rows) == 0 {
		return partError(partTime, "expected at least one request")
	}
	for i, r := range p.Rows {
		if err := checkTimeAfter(i, r.At, p.Rows[max(i-1, 0)].At); err != nil {
			return err
		}
		if err := r.Check(); err != nil {
			return &PatternError{partTime, i, err.Error()}
		}
		if r.Key == "" {
			return &PatternError{partTime, i, "the request has no key; expected one, such as " + DefaultKey}
		}
		if len(r.Key) > MaxKey {
			return &PatternError{partTime, i, fmt.Sprintf("the key is too long; expected at most %d bytes", MaxKey)}
		}
	}
	return nil
}

// Count implements [Pattern].
func (p Trace) Count() int64 { return int64(len(p.Rows)) }

// Span implements [Pattern].
func (p Trace) Span() (first, last lab.Time) {
	if len(p.Rows) == 0 {
		return 0, 0
	}
	return p.Rows[0].At, p.Rows[len(p.Rows)-1].At
}

func (p Trace) requests() cursor { return &indexed[Trace]{p, 0, p.Count()} }

func (p Trace) request(i int64) lab.Request { return p.Rows[i] }

// String implements [Pattern].
func (p Trace) String() string {
	var b strings.Builder
	b.WriteString("trace")
	for i, r := range p.Rows {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" ")
		b.WriteString(formatTime(r.At))
		b.WriteString(rowEach(r).suffix())
	}
	return b.String()
}

// rowEach is what r carries, with the defaults left out.
func rowEach(r lab.Request) Each {
	e := Each{r.Key, r.Cost, r.Service}
	if e.Key == DefaultKey {
		e.Key = ""
	}
	if e.Cost == DefaultCost {
		e.Cost = 0
	}
	return e
}

func parseTrace(s *scanner) Pattern {
	var p Trace
	for {
		at := s.instant(partTime)
		p.Rows = append(p.Rows, s.each().Request(at))
		if !s.accept(",") {
			return p
		}
		s.skipLines()
	}
}
