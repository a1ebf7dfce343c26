package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

var errNoRequest = errors.New("no such request")

// levels: GET /r/{room}/levels?from=N is the lanes' levels from lab time N, in
// whole microseconds, until now, for the picture of a page that comes later.
func (s *Server) levels(c echo.Context, room *live.Room) error {
	from, err := microseconds("from", cmp.Or(c.QueryParam("from"), "0"))
	if err != nil {
		return err
	}
	var levels views.Levels
	err = room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
		levels = views.LevelsOf(state, lab.Time(from)*lab.Time(time.Microsecond))
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, levels)
}

// mimeFragment is what the page's script asks for: a piece of the page.
const mimeFragment = "text/html-fragment"

// request: GET /r/{room}/requests/{number}?policy=P&dialect=D is one request seen
// closely, with what one policy said of it in full and its response in a dialect.
func (s *Server) request(c echo.Context, room *live.Room) error {
	number, err := strconv.ParseUint(c.Param("number"), 10, 64)
	if err != nil {
		return &inputError{"request number", "expected a whole number from 0"}
	}
	dialect, err := response.ParseDialect(c.QueryParam("dialect"))
	if err != nil {
		return &inputError{"dialect", err.Error()}
	}
	var inspection views.Inspection
	var info views.RoomInfo
	var missing error
	err = room.Read(c.Request().Context(), func(i live.Info, state *session.State) {
		info = pageRoom(c, i)
		info.Began = room.When(state.Began())
		inspection, missing = views.InspectionOf(state, number, info)
	})
	switch {
	case err != nil:
		return err
	case missing != nil:
		return fmt.Errorf("%w: %w", errNoRequest, missing)
	}
	inspection.Dialect = dialect
	if policy := c.QueryParam("policy"); policy != "" && !inspection.Show(policy) {
		return &live.UnknownPolicyError{Name: policy, Known: inspection.Names()}
	}
	if accepts(c, mimeFragment) {
		return render(c, http.StatusOK, views.Inspector(info, inspection))
	}
	return render(c, http.StatusOK, views.InspectorPage(info, inspection))
}
