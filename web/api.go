package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/web/live"
)

// getPolicies: GET /r/{room}/policies is the room's policies as a policy file.
func (s *Server) getPolicies(c echo.Context, room *live.Room) error {
	policies, err := policiesOf(c, room)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, policyfile.Write(policies))
}

// putPolicies: PUT /r/{room}/policies sets them from a policy file, JSON or
// YAML, and answers with what is now in force.
func (s *Server) putPolicies(c echo.Context, room *live.Room) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	policies, err := policyfile.Read("policies", body)
	if err != nil {
		return err
	}
	if err := room.Do(c.Request().Context(), session.Policies{Policies: policies}); err != nil {
		return err
	}
	return s.getPolicies(c, room)
}

// notationCheck is what the page says beside a traffic while it is written.
type notationCheck struct {
	OK      bool   `json:"ok"`
	Count   int64  `json:"count,omitempty"`
	Summary string `json:"summary,omitempty"`
	Offset  int    `json:"offset"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message,omitempty"`
}

// notation: POST /r/{room}/notation says whether the body is traffic that can
// be sent, and if not, where the mistake is.
func (s *Server) notation(c echo.Context, _ *live.Room) error {
	text, err := io.ReadAll(io.LimitReader(c.Request().Body, session.MaxCommand+1))
	if err != nil {
		return err
	}
	sent, err := traffic.Parse(string(text))
	var syntax *traffic.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return c.JSON(http.StatusOK, notationCheck{Offset: syntax.Offset, Line: syntax.Line, Column: syntax.Column, Message: syntax.Message})
	case err != nil:
		return c.JSON(http.StatusOK, notationCheck{Line: 1, Column: 1, Message: err.Error()})
	}
	first, last := sent.Span()
	summary := fmt.Sprintf("%d requests from %s to %s", sent.Count(), lab.FormatSpan(first.Sub(0)), lab.FormatSpan(last.Sub(0)))
	return c.JSON(http.StatusOK, notationCheck{OK: true, Count: sent.Count(), Summary: summary})
}
