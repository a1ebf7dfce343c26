package web

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

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

// Fields of the answer to GET decisions: the number of the first request that
// it holds, and of the next one to come. Older requests are no longer kept.
const (
	headerFirst = "Burstlab-First-Request"
	headerNext  = "Burstlab-Next-Request"
)

// decisionsChunk is about how many bytes are written in a room's goroutine at a
// time, so that the room is not held up by who reads everything.
const decisionsChunk = 256 << 10

// decisions: GET /r/{room}/decisions is what was decided so far, a line for
// every request and policy, as `burstlab replay --format jsonl` prints it.
// ?from=N leaves out the requests before number N.
func (s *Server) decisions(c echo.Context, room *live.Room) error {
	return records(c, room, "application/jsonl", "", func(lines *bytes.Buffer, number uint64, r session.Record) {
		for i := range r.Decisions {
			lines.Write(lab.AppendLine(lines.AvailableBuffer(), number, r.Policies[i].Name, &r.Decisions[i]))
		}
	})
}

// trace: GET /r/{room}/trace is the requests so far as a trace that `burstlab
// replay` reads. ?from=N leaves out the requests before number N.
func (s *Server) trace(c echo.Context, room *live.Room) error {
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+room.Name()+`.csv"`)
	return records(c, room, "text/csv; charset=utf-8", "at_ms,key,cost,service_ms\n", func(lines *bytes.Buffer, _ uint64, r session.Record) {
		row := csv.NewWriter(lines)
		q := r.Request
		// Writing to memory cannot fail.
		_ = row.Write([]string{q.At.Millis(), q.Key, strconv.FormatInt(q.Cost, 10), lab.FormatMillis(q.Service)})
		row.Flush()
	})
}

// records answers with the requests that the room keeps, each as write writes it.
func records(c echo.Context, room *live.Room, media, head string, write func(lines *bytes.Buffer, number uint64, r session.Record)) error {
	var from uint64
	if text := c.QueryParam("from"); text != "" {
		var err error
		if from, err = strconv.ParseUint(text, 10, 64); err != nil {
			return &inputError{"from", "expected a request's number, from 0"}
		}
	}
	var next, end uint64
	err := room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
		next, end = min(max(from, state.Oldest()), state.Decided()), state.Decided()
	})
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(headerFirst, strconv.FormatUint(next, 10))
	header.Set(headerNext, strconv.FormatUint(end, 10))
	header.Set(echo.HeaderContentType, media)
	c.Response().WriteHeader(http.StatusOK)
	var lines bytes.Buffer
	lines.WriteString(head)
	for next < end {
		err := room.Read(c.Request().Context(), func(_ live.Info, state *session.State) {
			for ; next < end && lines.Len() < decisionsChunk; next++ {
				record, kept := state.Record(next)
				if !kept {
					end = next
					return
				}
				write(&lines, next, record)
			}
		})
		if err != nil {
			return err
		}
		if _, err := lines.WriteTo(c.Response()); err != nil {
			return nil // the client went away
		}
		lines.Reset()
	}
	_, _ = lines.WriteTo(c.Response()) // the head, when there is nothing else
	return nil
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
