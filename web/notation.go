package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// notationCheck is what the page says beside a traffic while it is written.
type notationCheck struct {
	OK      bool   `json:"ok"`
	Count   int64  `json:"count,omitempty"`
	Summary string `json:"summary,omitempty"`
	Offset  int    `json:"offset"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message,omitempty"`

	// Shapes are the patterns, in order, for who draws them. Cells holds, for
	// each of the even parts of the span that was asked for, how many requests
	// come in it of the patterns that are not drawn as a shape; More says that
	// there are so many that not all were counted.
	Shapes []shape `json:"shapes,omitempty"`
	Cells  []int64 `json:"cells,omitempty"`
	More   bool    `json:"more,omitempty"`
}

// shape is a pattern and where it stands in the text. Times are whole
// microseconds.
type shape struct {
	// Start and End are its place, in UTF-16 units, as scripts count.
	Start int `json:"start"`
	End   int `json:"end"`
	// Kind is "burst" for a burst that comes once, "steady" for an even rate, and
	// "other" for what cannot be drawn by hand.
	Kind string `json:"kind"`
	At   int64  `json:"at"`
	// To is where a steady one ends. Rate is its requests, per Per nanoseconds.
	To   int64 `json:"to,omitempty"`
	Rate int64 `json:"rate,omitempty"`
	Per  int64 `json:"per,omitempty"`
	// N is how many requests it makes.
	N int64 `json:"n"`
	// Rest is what stands after a burst's time or a steady one's interval.
	Rest string `json:"rest,omitempty"`
}

const (
	maxCells     = 200
	maxCellSpan  = 10 * time.Minute
	maxCellCount = 200_000 // requests that are looked at to fill the cells
)

// notation: POST /r/{room}/notation says whether the body is traffic that can
// be sent, and if not, where the mistake is. With ?span=N&cells=N it counts what
// comes in each part of the first N microseconds.
func (s *Server) notation(c echo.Context, _ *live.Room) error {
	span, cells, err := cellsOf(c)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(c.Request().Body, session.MaxCommand+1))
	if err != nil {
		return err
	}
	text := string(body)
	sent, places, err := traffic.ParsePlaces(text)
	var syntax *traffic.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return c.JSON(http.StatusOK, notationCheck{Offset: syntax.Offset, Line: syntax.Line, Column: syntax.Column, Message: syntax.Message})
	case err != nil:
		return c.JSON(http.StatusOK, notationCheck{Line: 1, Column: 1, Message: err.Error()})
	}
	check := notationCheck{OK: true, Count: sent.Count(), Summary: views.TrafficWords(sent)}
	var others traffic.Traffic
	units, at := 0, 0 // UTF-16 units before byte at
	offset := func(b int) int {
		units += len(utf16.Encode([]rune(text[at:b])))
		at = b
		return units
	}
	for i, p := range sent.Patterns {
		drawn := shapeOf(p)
		drawn.Start, drawn.End = offset(places[i].Start), offset(places[i].End)
		check.Shapes = append(check.Shapes, drawn)
		if drawn.Kind == "other" {
			others.Patterns = append(others.Patterns, p)
		}
	}
	if cells > 0 && len(others.Patterns) > 0 {
		check.Cells = make([]int64, cells)
		counted := 0
		for r := range others.Requests(0) {
			if r.At >= lab.Time(span) {
				break
			}
			// Those before now count as well: they take as long.
			if counted++; counted > maxCellCount {
				check.More = true
				break
			}
			if r.At < 0 {
				continue
			}
			check.Cells[int64(r.At)*int64(cells)/int64(span)]++
		}
	}
	return c.JSON(http.StatusOK, check)
}

// cellsOf is what the query asks to be counted; no cells without one.
func cellsOf(c echo.Context) (span time.Duration, cells int, err error) {
	if c.QueryParam("cells") == "" {
		return 0, 0, nil
	}
	cells, err = strconv.Atoi(c.QueryParam("cells"))
	if err != nil || cells < 1 || cells > maxCells {
		return 0, 0, &inputError{"cells", fmt.Sprintf("expected a whole number from 1 to %d", maxCells)}
	}
	us, err := strconv.ParseInt(c.QueryParam("span"), 10, 64)
	if err != nil || us < 1 || us > int64(maxCellSpan/time.Microsecond) {
		return 0, 0, &inputError{"span", fmt.Sprintf("expected whole microseconds from 1 to %d", maxCellSpan/time.Microsecond)}
	}
	return time.Duration(us) * time.Microsecond, cells, nil
}

// shapeOf is a pattern without its place.
func shapeOf(p traffic.Pattern) shape {
	first, _ := p.Span()
	s := shape{Kind: "other", At: int64(first) / 1000, N: p.Count()}
	whole := func(t lab.Time) bool { return t >= 0 && t%1000 == 0 }
	switch p := p.(type) {
	case traffic.Burst:
		if p.Rounds == 0 && whole(p.At) {
			s.Kind = "burst"
			at := traffic.Burst{Requests: p.Requests, At: p.At}.String()
			s.Rest = strings.TrimPrefix(p.String(), at)
		}
	case traffic.Steady:
		if whole(p.From) && whole(p.To) {
			s.Kind, s.At, s.To = "steady", int64(p.From)/1000, int64(p.To)/1000
			s.Rate, s.Per = p.Rate.Count, int64(p.Rate.Per)
			bare := traffic.Steady{Rate: p.Rate, From: p.From, To: p.To}.String()
			s.Rest = strings.TrimPrefix(p.String(), bare)
		}
	}
	return s
}
