package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/link"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// microseconds is lab time in whole microseconds, as addresses and forms have
// it; where says in which field.
func microseconds(where, text string) (int64, error) {
	us, err := strconv.ParseInt(text, 10, 64)
	if err != nil || us < 0 || us > int64(session.MaxNow)/int64(time.Microsecond) {
		return 0, &inputError{where, "expected lab time in whole microseconds, from 0"}
	}
	return us, nil
}

// lookingAt is the instant of the past that the field at names; back is false
// where there is none.
func lookingAt(text string) (us int64, back bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	us, err = microseconds("at", text)
	return us, err == nil, err
}

// past is the room as it was at an instant.
func (s *Server) past(c echo.Context, room *live.Room, us int64) (past *session.State, log session.Log, err error) {
	ctx := c.Request().Context()
	if _, log, err = room.Log(ctx); err != nil {
		return nil, log, err
	}
	err = s.replays.do(ctx, client(c), func() (err error) {
		past, err = log.At(views.EndOfMicrosecond(us, log.Now()))
		return err
	})
	return past, log, err
}

// moment: GET /r/{room}/moment?at=N is what the page shows of the room as it was
// at lab time N, in whole microseconds.
func (s *Server) moment(c echo.Context, room *live.Room) error {
	us, err := microseconds("at", c.QueryParam("at"))
	if err != nil {
		return err
	}
	past, log, err := s.past(c, room, us)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, views.MomentOf(past, log.Policies(), log.Generation()))
}

// lookBack makes a page show the room as it was at an instant.
func (s *Server) lookBack(c echo.Context, room *live.Room, us int64, page *views.Page) error {
	past, _, err := s.past(c, room, us)
	if err != nil {
		return err
	}
	return room.Read(c.Request().Context(), func(_ live.Info, now *session.State) {
		if past.Now() >= now.Now() {
			return
		}
		looking := views.LookingAt(past, now)
		page.Looking, page.Now = &looking, page.Whole
		page.Whole = views.MomentOf(past, now.Policies(), now.Generation())
	})
}

// fork: POST /r/{room}/fork makes a room that has been the same up to this
// instant, and goes its own way from here on; with the form's field at, up to
// that lab time, at which it stands still.
func (s *Server) fork(c echo.Context, room *live.Room) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	us, back, err := lookingAt(form.Get("at"))
	if err != nil {
		return err
	}
	if !back {
		fork, err := s.rooms.Fork(c.Request().Context(), room)
		if err != nil {
			return err
		}
		return made(c, fork)
	}
	return s.branch(c, room, us, func(log session.Log, at lab.Time) (*session.History, error) { return log.Fork(at) })
}

// alter makes a copy of a room in which commands were given at an instant of
// the past, and all that came after is given again.
func (s *Server) alter(c echo.Context, room *live.Room, us int64, commands ...session.Command) error {
	for _, command := range commands {
		switch command.(type) {
		case session.Send, session.Stream, session.Stop, session.Hit, session.Policies:
		default:
			return &session.Refusal{Reason: "the past can be changed by what sends and by other policies, not by its clock"}
		}
	}
	if err := s.guards.rooms.admit(client(c)); err != nil {
		return err
	}
	if err := s.guards.admitTraffic(client(c), commands...); err != nil {
		return err
	}
	return s.branch(c, room, us, func(log session.Log, at lab.Time) (*session.History, error) { return log.Alter(at, commands...) })
}

// branch makes a room of what the log of another becomes.
func (s *Server) branch(c echo.Context, room *live.Room, us int64, become func(session.Log, lab.Time) (*session.History, error)) error {
	ctx := c.Request().Context()
	var kept *session.Kept
	if err := room.Read(ctx, func(_ live.Info, state *session.State) { kept = state.Kept() }); err != nil {
		return err
	}
	info, log, err := room.Log(ctx)
	if err != nil {
		return err
	}
	if now := log.Now(); us > int64(now)/int64(time.Microsecond) {
		return &inputError{"at", "the room is at " + strconv.FormatInt(int64(now)/int64(time.Microsecond), 10) + " µs; expected lab time in whole microseconds that has passed"}
	}
	at := views.EndOfMicrosecond(us, log.Now())
	var history *session.History
	var origin *live.Origin
	err = s.replays.do(ctx, client(c), func() error {
		if history, err = become(log, at); err == nil {
			origin = live.NewOrigin(info.Room, at, history.Shared(), kept)
		}
		return err
	})
	if err != nil {
		return err
	}
	branch, err := s.rooms.Continue(history, origin)
	if err != nil {
		return err
	}
	return made(c, branch)
}

// made leads to a room that has been made.
func made(c echo.Context, room *live.Room) error {
	address := "/r/" + room.Name()
	if accepts(c, echo.MIMEApplicationJSON) {
		return c.JSON(http.StatusCreated, map[string]string{"address": address})
	}
	return c.Redirect(http.StatusSeeOther, address)
}

// policiesAt are the room's policies as they were at an instant.
func (s *Server) policiesAt(c echo.Context, room *live.Room, us int64) ([]lab.Policy, error) {
	past, _, err := s.past(c, room, us)
	if err != nil {
		return nil, err
	}
	return past.Policies(), nil
}

// compare: GET /r/{room}/compare is the room beside the one that it was made
// from, as a part of the page.
func (s *Server) compare(c echo.Context, room *live.Room) error {
	comparison, info, err := s.comparison(c, room)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.ComparisonPart(info, comparison))
}

// comparison is nil for a room that began by itself.
func (s *Server) comparison(c echo.Context, room *live.Room) (*views.Comparison, views.RoomInfo, error) {
	ctx := c.Request().Context()
	var origin *live.Origin
	var here *session.Kept
	var info views.RoomInfo
	err := room.Read(ctx, func(i live.Info, state *session.State) {
		if origin, info = i.Origin, pageRoom(c, i); origin != nil {
			here = state.Kept()
		}
	})
	if err != nil || origin == nil {
		return nil, info, err
	}
	// The original goes on, as long as it is there and has not begun anew.
	there := origin.Kept
	if original, err := s.rooms.Find(origin.Room); err == nil {
		_ = original.Read(ctx, func(_ live.Info, state *session.State) {
			if now := state.Kept(); now.Continues(there) {
				there = now
			}
		})
	}
	key := comparedKey{info.Name, here.Generation(), here.Decided(), here.Now() < there.Now(), there.Generation(), there.Decided()}
	comparison := s.compared.get(key, s.config.Clock.Now(), comparedFor, func() *views.Comparison {
		compared := views.Compare(session.Compare(here, there, origin.Shared), origin.Room, origin.At)
		return &compared
	})
	err = s.replays.do(ctx, client(c), func() error { comparison(); return nil })
	if err != nil {
		return nil, info, err
	}
	return comparison(), info, nil
}

// comparedKey is all that a comparison of two rooms depends on.
type comparedKey struct {
	room                        string
	hereGeneration, hereDecided uint64
	// behind says which of the two has come less far in lab time.
	behind                        bool
	thereGeneration, thereDecided uint64
}

// comparedFor is how long one comparison serves all who ask for the same. That
// lab time passes without requests shows no sooner.
const comparedFor = time.Second

// linkOf: GET /r/{room}/link is a link that reproduces the room, looked at now or,
// with ?at=N, at lab time N in whole microseconds.
func (s *Server) linkOf(c echo.Context, room *live.Room) error {
	us, back, err := lookingAt(c.QueryParam("at"))
	if err != nil {
		return err
	}
	info, log, err := room.Log(c.Request().Context())
	if err != nil {
		return err
	}
	recording, err := log.Recording()
	if err != nil {
		return err
	}
	l := link.Link{Recording: recording, Cursor: log.Now()}
	if back {
		l.Cursor = views.EndOfMicrosecond(us, log.Now())
	}
	text, err := l.Write()
	if err != nil {
		return err
	}
	in := pageRoom(c, info)
	address := in.Origin + "/open?" + url.Values{"lab": {text}}.Encode()
	if accepts(c, echo.MIMEApplicationJSON) {
		return c.JSON(http.StatusOK, map[string]string{"link": address})
	}
	return render(c, http.StatusOK, views.LinkPage(in, address))
}

// openLink: GET /open?lab=… makes a room of one's own in which everything is as
// the link says, and leads to it.
func (s *Server) openLink(c echo.Context) error {
	l, err := link.Read(c.QueryParam("lab"))
	if err != nil {
		return err
	}
	if err := s.guards.traffic.admitCost(client(c), max(l.Recording.Requests(), 1)); err != nil {
		return err
	}
	var history *session.History
	err = s.replays.do(c.Request().Context(), client(c), func() (err error) {
		history, err = l.Recording.History(session.DefaultLimits)
		return err
	})
	if refused := (*session.Refusal)(nil); errors.As(err, &refused) {
		return &link.Error{Reason: "what the link holds cannot be played: " + refused.Reason}
	}
	if policy := (*lab.PolicyError)(nil); errors.As(err, &policy) {
		return &link.Error{Reason: "what the link holds cannot be played: " + policy.Error()}
	}
	if err != nil {
		return err
	}
	room, err := s.rooms.Continue(history, nil)
	if err != nil {
		return err
	}
	address := "/r/" + room.Name()
	if l.Cursor < l.Recording.End {
		address += "?at=" + strconv.FormatInt(int64(l.Cursor)/int64(time.Microsecond), 10)
	}
	return c.Redirect(http.StatusSeeOther, address)
}
