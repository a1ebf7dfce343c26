package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// span: GET /r/{room}/span?from=…&to=… is what each policy did with the requests
// that came from one lab time on and before another, each in whole microseconds
// or as a duration such as 1.2s.
func (s *Server) span(c echo.Context, room *live.Room) error {
	from, err := labTime(c, "from")
	if err != nil {
		return err
	}
	to, err := labTime(c, "to")
	if err != nil {
		return err
	}
	if to <= from {
		return &inputError{"to", "expected a lab time after from"}
	}
	var kept *session.Kept
	var info views.RoomInfo
	err = room.Read(c.Request().Context(), func(i live.Info, state *session.State) {
		info, kept = pageRoom(c, i), state.Kept()
	})
	if err != nil {
		return err
	}
	selection := views.SelectionOf(kept, from, to)
	if accepts(c, mimeFragment) {
		return render(c, http.StatusOK, views.SelectionPart(info, selection))
	}
	return render(c, http.StatusOK, views.SelectionPage(info, selection))
}

// labTime reads a lab time of the query.
func labTime(c echo.Context, name string) (lab.Time, error) {
	text := c.QueryParam(name)
	if us, err := microseconds(name, text); err == nil {
		return lab.Time(us) * lab.Time(time.Microsecond), nil
	}
	d, err := lab.ParseSpan(text)
	if err != nil || d < 0 || lab.Time(d) > session.MaxNow {
		return 0, &inputError{name, "expected a lab time such as 1.2s, or whole microseconds, from 0"}
	}
	// Pages speak of whole microseconds.
	return lab.Time(d.Truncate(time.Microsecond)), nil
}
