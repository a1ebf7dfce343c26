package web

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/session"
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
