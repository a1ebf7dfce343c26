package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/link"
	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/static"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// errCrowded is what a new client gets while more clients than the server tells
// apart have used their allowance.
var errCrowded = errors.New("the server is in use by more clients than it can tell apart; try again in a minute")

// inputError is a request that cannot be understood: where, and what was
// expected.
type inputError struct{ Where, Expected string }

func (e *inputError) Error() string { return e.Where + ": " + e.Expected }

// statuses says which status each named error has; whatever is not here or in
// problemOf is the server's own fault, and told only to the log.
var statuses = []struct {
	err    error
	status int
	title  string
}{
	{live.ErrNoRoom, http.StatusNotFound, "There is no such room"},
	{live.ErrClosed, http.StatusServiceUnavailable, "The room has closed"},
	{live.ErrRoomsFull, http.StatusServiceUnavailable, "The house is full"},
	{live.ErrViewersFull, http.StatusServiceUnavailable, "The room is full"},
	{live.ErrTooHeavy, http.StatusServiceUnavailable, "The room is too large"},
	{live.ErrStreamsFull, http.StatusServiceUnavailable, "The server streams as much as it can"},
	{live.ErrBusy, http.StatusServiceUnavailable, "The room is overloaded"},
	{live.ErrWaitTooLong, http.StatusServiceUnavailable, "The wait is too long"},
	{live.ErrReset, http.StatusServiceUnavailable, "The room was reset"},
	{limit.ErrKeysFull, http.StatusServiceUnavailable, "The room holds as many keys as it can"},
	{bench.ErrEntriesFull, http.StatusServiceUnavailable, "The room holds as many entries as it can"},
	{limit.ErrKeyTooLong, http.StatusBadRequest, "The key is too long"},
	{errCrowded, http.StatusServiceUnavailable, "The server is crowded"},
	{errNoRequest, http.StatusNotFound, "The request is not kept"},
	{context.Canceled, 499, "The client went away"}, // nobody reads it; the log does
}

// details say more than the name of a status does.
var details = map[int]string{
	http.StatusNotFound:              "There is nothing at this address.",
	http.StatusMethodNotAllowed:      "The address is right, the method is not.",
	http.StatusRequestEntityTooLarge: "The body is larger than 1 MiB.",
	http.StatusUpgradeRequired:       "This address speaks WebSocket only.",
}

// roomDetails tell the person in a room what an engine's error means there.
var roomDetails = map[error]string{
	limit.ErrKeysFull:    "No policy has decided this request. Use a key that the room knows, or reset the room.",
	bench.ErrEntriesFull: "No policy has decided this request. Wait until some entries have left the logs and queues, or reset the room.",
}

// problem is an error as application/problem+json (RFC 9457). Beside the fields
// of the RFC it says where in the input the mistake is, as far as that is known.
type problem struct {
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Offset   *int     `json:"offset,omitempty"`
	Field    string   `json:"field,omitempty"`
	Policies []string `json:"policies,omitempty"`
}

// problemOf tells an error to the person; ok is false for one that is the
// server's own fault.
func problemOf(err error) (p problem, ok bool) {
	p = problem{Status: http.StatusBadRequest, Title: "The request cannot be understood", Detail: err.Error()}
	var (
		file    *policyfile.Error
		policy  *lab.PolicyError
		command *session.CommandError
		input   *inputError
		refused *session.Refusal
		unknown *live.UnknownPolicyError
		client  *refusal
		form    *views.FormError
		linked  *link.Error
		long    *link.TooLongError
		web     *echo.HTTPError
	)
	switch {
	case errors.As(err, &file):
		p.Title, p.Line, p.Column = "The policies cannot be read", file.Line, file.Column
	case errors.As(err, &policy):
		p.Title, p.Field = "The policies cannot be used", string(policy.Field)
	case errors.As(err, &command):
		p.Title, p.Offset = "The command cannot be understood", &command.Offset
	case errors.As(err, &unknown):
		p.Title, p.Policies = "There is no such policy", unknown.Known
	case errors.As(err, &form):
		p.Field = form.Field
	case errors.As(err, &long):
		p.Status, p.Title = http.StatusConflict, "The room does not fit into a link"
		p.Detail += ". Reset the room and send less, or open a copy of it instead"
	case errors.As(err, &linked):
		p.Title = "The link cannot be used"
	case errors.As(err, &input):
	case errors.As(err, &refused):
		p.Status, p.Title = http.StatusConflict, "Not possible now"
	case errors.As(err, &client):
		p.Status, p.Title = http.StatusTooManyRequests, "Too many requests"
	case errors.As(err, &web):
		p.Status, p.Title, p.Detail = web.Code, http.StatusText(web.Code), details[web.Code]
	default:
		for _, known := range statuses {
			if errors.Is(err, known.err) {
				p.Status, p.Title = known.status, known.title
				if detail, ok := roomDetails[known.err]; ok {
					p.Detail = detail
				}
				return p, true
			}
		}
		return problem{Status: http.StatusInternalServerError, Title: "Something went wrong on the server"}, false
	}
	return p, true
}

// fail answers with an error: a page for who reads pages, a problem otherwise.
func (s *Server) fail(err error, c echo.Context) {
	p, ok := problemOf(err)
	if !ok {
		s.log.Error("request failed", "method", c.Request().Method, "path", c.Path(), "error", err)
	}
	if c.Response().Committed {
		return
	}
	var sendErr error
	var client *refusal
	switch refused := errors.As(err, &client); {
	case readsPages(c):
		if refused {
			c.Response().Header().Set("Retry-After", client.response().Header.Get("Retry-After"))
		}
		page := views.FailurePage(views.Failure{Static: static.Prefix(), Status: p.Status, Title: p.Title, Detail: p.Detail})
		sendErr = render(c, p.Status, page)
	case refused:
		sendErr = client.response().Send(c.Response())
	default:
		sendErr = sendProblem(c, p)
	}
	if sendErr != nil {
		s.log.Debug("an error could not be sent", "error", sendErr)
	}
}

func sendProblem(c echo.Context, p problem) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.Blob(p.Status, "application/problem+json", append(body, '\n'))
}

// readsPages says whether the client is a person's browser.
func readsPages(c echo.Context) bool { return accepts(c, echo.MIMETextHTML) }

// accepts says whether the client asks for that media type by name.
func accepts(c echo.Context, media string) bool {
	for one := range strings.SplitSeq(c.Request().Header.Get(echo.HeaderAccept), ",") {
		one, _, _ = strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(one), media) {
			return true
		}
	}
	return false
}
