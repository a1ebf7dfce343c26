package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/web/live"
)

// A hit says what it is in its query or, where it says nothing there, in its
// header: policy (X-Burstlab-Policy), key, cost and service; and how it wants to
// be told of its quota: dialect.
const hitHeader = "X-Burstlab-"

// hit: any method on /r/{room}/hit is a real request. All of the room's
// policies decide it at this instant, and the chosen one answers as it would
// anywhere; a delayed request waits for its turn.
func (s *Server) hit(c echo.Context, room *live.Room) error {
	hit, dialect, err := hitOf(c)
	if err != nil {
		return err
	}
	// What waits may take longer than the server's usual time-out.
	deadline := time.Now().Add(s.config.Bounds.MaxWait + writeTimeout)
	if err := http.NewResponseController(c.Response()).SetWriteDeadline(deadline); err != nil {
		s.log.Debug("no write deadline", "error", err)
	}
	answer, err := room.Hit(c.Request().Context(), hit)
	if err != nil {
		return err
	}
	// A client's clock runs on from the decision at the pace of real time, so that
	// is where its instants have to agree with lab time.
	opts := response.Options{Dialect: dialect, Origin: answer.Decided.Add(-time.Duration(answer.Decision.At))}
	return response.Of(answer.Policy, answer.Request, answer.Decision, opts).Send(c.Response())
}

// hitOf reads what a request says of itself.
func hitOf(c echo.Context) (live.Hit, response.Dialect, error) {
	query, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return live.Hit{}, 0, &inputError{"query", err.Error() + "; expected name=value with & between two, other signs escaped as %XX"}
	}
	value := func(name string) string {
		if query.Has(name) {
			return query.Get(name)
		}
		return c.Request().Header.Get(hitHeader + name)
	}
	hit := live.Hit{
		Policy:  value("policy"),
		Request: session.Hit{Each: traffic.Each{Key: value("key"), Cost: traffic.DefaultCost}},
	}
	each := &hit.Request.Each
	if each.Key == "" {
		each.Key = traffic.DefaultKey
	}
	if !utf8.ValidString(each.Key) {
		return hit, 0, &inputError{"key", "expected text in UTF-8"}
	}
	if text := value("cost"); text != "" {
		cost, err := strconv.ParseInt(text, 10, 64)
		if err != nil || cost < 1 || cost > lab.MaxCount {
			return hit, 0, &inputError{"cost", "expected a whole number from 1 to " + lab.FormatCount(lab.MaxCount)}
		}
		each.Cost = cost
	}
	if text := value("service"); text != "" {
		service, err := lab.ParseSpan(text)
		if errors.Is(err, lab.ErrOutOfRange) {
			service, err = lab.MaxSpan+1, nil
		}
		if err != nil {
			return hit, 0, &inputError{"service", err.Error()}
		}
		if service < 0 || service > lab.MaxSpan {
			return hit, 0, &inputError{"service", lab.Clip(text) + " is out of range; expected a duration from 0s to " + lab.FormatSpan(lab.MaxSpan)}
		}
		each.Service = service
	}
	dialect, err := response.ParseDialect(value("dialect"))
	if err != nil {
		return hit, 0, &inputError{"dialect", err.Error()}
	}
	return hit, dialect, nil
}
