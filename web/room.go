package web

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/scenarios"
	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// in gives a handler the room that the address names.
func (s *Server) in(handle func(echo.Context, *live.Room) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		room, err := s.rooms.Find(c.Param("room"))
		if err != nil {
			return err
		}
		return handle(c, room)
	}
}

// home: GET / makes a private room and sends the visitor there. The room's own
// address, and not "/", is what is reloaded, bookmarked and shared.
func (s *Server) home(c echo.Context) error {
	if err := s.guards.rooms.admit(client(c)); err != nil {
		return err
	}
	return s.openWith(c, opening)
}

// open: POST /r makes a room in which nothing has happened.
func (s *Server) open(c echo.Context) error { return s.openWith(c) }

func (s *Server) openWith(c echo.Context, commands ...session.Command) error {
	room, err := s.rooms.Open(commands...)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/r/"+room.Name())
}

// page: GET /r/{room} is the lab, complete as it stands now or, with ?at=N, as it
// stood at lab time N, in whole microseconds.
func (s *Server) page(c echo.Context, room *live.Room) error {
	return s.showPage(c, room, http.StatusOK, nil)
}

func (s *Server) showPage(c echo.Context, room *live.Room, status int, problem *views.Problem) error {
	list, _ := presets()
	page := views.Page{Presets: list, Problem: problem}
	err := room.Read(c.Request().Context(), func(info live.Info, state *session.State) {
		page.Room = pageRoom(c, info)
		page.Seq = info.Seq
		page.Whole = views.WholeOf(state)
		page.Earlier = views.BeforeNewest(state)
		page.Budget = views.BudgetOf(state.Policies(), c.QueryParams())
	})
	if err != nil {
		return err
	}
	if page.Comparison, _, err = s.comparison(c, room); err != nil {
		return err
	}
	us, back, err := lookingAt(cmp.Or(c.Request().PostForm.Get("at"), c.QueryParam("at")))
	if err == nil && back {
		err = s.lookBack(c, room, us, &page)
	}
	if refused := (*session.Refusal)(nil); errors.As(err, &refused) {
		page.Problem = views.ProblemOf(nil, err)
	} else if err != nil {
		return err
	}
	return render(c, status, views.LabPage(page))
}

func pageRoom(c echo.Context, info live.Info) views.RoomInfo {
	return views.RoomInfo{
		Name: info.Room, Viewers: info.Viewers,
		Origin: c.Scheme() + "://" + c.Request().Host,
		Static: static.Prefix(),
	}
}

// render sends a page, or nothing of it: a component that fails half-way is an
// error and not half a page.
func render(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}

// formOf is the posted form, without what stands in the address.
func formOf(c echo.Context) (url.Values, error) {
	if _, err := c.FormParams(); err != nil {
		if tooLarge := (*echo.HTTPError)(nil); errors.As(err, &tooLarge) {
			return nil, tooLarge
		}
		return nil, &inputError{"form", err.Error()}
	}
	return c.Request().PostForm, nil
}

// commands: POST /r/{room}/commands gives the commands of a form, in order; with
// the field at, at that lab time of the past, in a copy of the room.
func (s *Server) commands(c echo.Context, room *live.Room) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	us, back, err := lookingAt(form.Get("at"))
	if err != nil {
		return err
	}
	return s.afterForm(c, room, form, func() error {
		texts, err := views.Commands(form)
		if err != nil {
			return err
		}
		commands := make([]session.Command, len(texts))
		for i, text := range texts {
			if commands[i], err = session.Parse(text); err != nil {
				return err
			}
		}
		if back {
			return s.alter(c, room, us, commands...)
		}
		return s.do(c, room, commands)
	}())
}

// do gives commands to a room, as far as the client's allowance goes.
func (s *Server) do(c echo.Context, room *live.Room, commands []session.Command) error {
	if err := s.guards.admitTraffic(client(c), commands...); err != nil {
		return err
	}
	return room.Do(c.Request().Context(), commands...)
}

// policiesForm: POST /r/{room}/policies sets, adds, copies or removes one policy;
// with the field at, at that lab time of the past, in a copy of the room.
func (s *Server) policiesForm(c echo.Context, room *live.Room) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	us, back, err := lookingAt(form.Get("at"))
	if err != nil {
		return err
	}
	err = func() error {
		var now []lab.Policy
		if back {
			now, err = s.policiesAt(c, room, us)
		} else {
			now, err = policiesOf(c, room)
		}
		if err != nil {
			return err
		}
		next, err := views.EditPolicies(now, form)
		if err != nil {
			return err
		}
		set := session.Policies{Policies: next}
		if back {
			return s.alter(c, room, us, set)
		}
		return room.Do(c.Request().Context(), set)
	}()
	if query := views.BudgetQuery(form); err == nil && !back && query != "" && !accepts(c, echo.MIMEApplicationJSON) {
		return c.Redirect(http.StatusSeeOther, "/r/"+room.Name()+"?"+query+"#budget")
	}
	return s.afterForm(c, room, form, err)
}

// sentence: POST /r/{room}/policies/sentence says in a sentence what the policy
// in a form lets through, or what is wrong with it. It changes nothing.
func (s *Server) sentence(c echo.Context, _ *live.Room) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	text, err := views.FormSentence(form)
	if err != nil {
		wrong := views.ProblemOf(form, err)
		return sendProblem(c, problem{
			Status: http.StatusUnprocessableEntity, Title: "The policy cannot be used", Field: wrong.Field, Detail: wrong.Message,
		})
	}
	return c.String(http.StatusOK, text)
}

// policiesOf is a copy of the room's policies.
func policiesOf(c echo.Context, room *live.Room) (policies []lab.Policy, err error) {
	err = room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
		policies = append(policies, state.Policies()...)
	})
	return policies, err
}

// afterForm answers a posted form: back to the page, which says what was wrong
// if something was. Who reads no pages gets the same as a problem.
func (s *Server) afterForm(c echo.Context, room *live.Room, form url.Values, err error) error {
	script := accepts(c, echo.MIMEApplicationJSON)
	if c.Response().Committed {
		return err // it has led to another room
	}
	if err == nil {
		if script {
			return c.NoContent(http.StatusNoContent)
		}
		return c.Redirect(http.StatusSeeOther, "/r/"+room.Name())
	}
	p, told := problemOf(err)
	if !told || p.Status >= http.StatusInternalServerError {
		return err
	}
	wrong := views.ProblemOf(form, err)
	if readsPages(c) {
		return s.showPage(c, room, http.StatusUnprocessableEntity, wrong)
	}
	if p.Status != http.StatusBadRequest {
		return err
	}
	p.Status, p.Field, p.Detail = http.StatusUnprocessableEntity, wrong.Field, wrong.Message
	return sendProblem(c, p)
}

// presetSeven is the way back to what a new room has. No scenario has its name.
const presetSeven = "seven"

// presets are the scenarios that a page can play, those whose traffic is short
// enough to be written down, and the commands that play them. Only a server pays
// for reading them, when it is made.
var presets = sync.OnceValues(func() ([]views.Preset, map[string][]session.Command) {
	list := []views.Preset{{
		Name: presetSeven, Group: "Start", Title: "All seven limiters, 10 a second",
		Words: "Every limiter with the same budget, as in a new room, and three seconds of quiet traffic.",
	}}
	commands := map[string][]session.Command{
		presetSeven: {session.Policies{Policies: openingPolicies}, opening},
	}
	for _, scenario := range scenarios.All() {
		notation, ok := scenario.Sent.Preset()
		if !ok {
			continue
		}
		send, err := session.Parse("send " + notation)
		if err != nil {
			panic("web: scenario " + scenario.Name + " cannot be sent: " + err.Error())
		}
		list = append(list, views.Preset{Name: scenario.Name, Group: scenario.Group, Title: scenario.Title, Words: scenario.Words})
		commands[scenario.Name] = []session.Command{session.Policies{Policies: scenario.Policies}, send}
	}
	return list, commands
})

// preset: POST /r/{room}/preset plays a scenario from lab time zero; with the
// form's field at, which says that somebody looks at the past, in a room of its
// own.
func (s *Server) preset(c echo.Context, room *live.Room) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	name := form.Get("name")
	_, played := presets()
	commands, ok := played[name]
	if !ok {
		return s.afterForm(c, room, form, &inputError{"name", "there is no scenario of that name on this page"})
	}
	_, back, err := lookingAt(form.Get("at"))
	if err == nil && !back {
		err = s.do(c, room, append([]session.Command{session.Reset{}}, commands...))
	} else if err == nil {
		err = s.playApart(c, commands)
	}
	return s.afterForm(c, room, form, err)
}

// playApart makes a room in which commands are given at its first instant.
func (s *Server) playApart(c echo.Context, commands []session.Command) error {
	if err := s.guards.rooms.admit(client(c)); err != nil {
		return err
	}
	if err := s.guards.admitTraffic(client(c), commands...); err != nil {
		return err
	}
	apart, err := s.rooms.Open(commands...)
	if err != nil {
		return err
	}
	return made(c, apart)
}
