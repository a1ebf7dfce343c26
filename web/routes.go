package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/burstlab/burstlab/static"
)

// endpointPath is where real requests go.
const endpointPath = "/r/:room/hit"

// routes is the whole map of the site.
func (s *Server) routes() {
	e := s.echo
	e.Pre(anyMethod)
	e.Use(s.observe, recovered, secure, onlyGzip)

	reading := []string{"GET", "HEAD"}
	e.Match(reading, "/healthz", health)
	e.Match(reading, "/metrics", s.metrics())
	e.Match(reading, "/robots.txt", robots)
	e.Match(reading, static.Prefix()+"/*", files())

	// The endpoint takes any method from anywhere, and has its own allowance.
	e.Match([]string{"HEAD", "POST"}, endpointPath, s.in(s.hit), s.guards.endpoint.middleware)

	people := func(method, path string, handle echo.HandlerFunc, more ...echo.MiddlewareFunc) {
		// What another site makes a browser send uses up nobody's allowance.
		all := append([]echo.MiddlewareFunc{sameOrigin}, more...)
		all = append(all, s.guards.requests.middleware, limitBody, compress)
		e.Add(method, path, handle, all...)
		// Asking for the head alone would make a room as well.
		if method == "GET" && path != "/" && path != "/open" {
			e.Add("HEAD", path, handle, all...)
		}
	}
	people("GET", "/", s.home)
	people("POST", "/r", s.open, s.guards.rooms.middleware)
	people("GET", "/open", s.openLink, s.guards.rooms.middleware)
	people("GET", "/lessons", s.lessons)
	people("GET", "/lessons/:name", s.lesson)
	people("POST", "/scenarios/:name/room", s.scenarioRoom)
	people("GET", "/r/:room", s.in(s.page))
	people("POST", "/r/:room/fork", s.in(s.fork), s.guards.rooms.middleware)
	people("POST", "/r/:room/commands", s.in(s.commands))
	people("POST", "/r/:room/policies", s.in(s.policiesForm))
	people("POST", "/r/:room/preset", s.in(s.preset))
	people("POST", "/r/:room/notation", s.in(s.notation))
	people("GET", "/r/:room/requests/:number", s.in(s.request))
	people("GET", "/r/:room/levels", s.in(s.levels))
	people("GET", "/r/:room/moment", s.in(s.moment))
	people("GET", "/r/:room/compare", s.in(s.compare))
	people("GET", "/r/:room/span", s.in(s.span))
	people("GET", "/r/:room/link", s.in(s.linkOf))
	people("GET", "/r/:room/policies", s.in(s.getPolicies))
	people("PUT", "/r/:room/policies", s.in(s.putPolicies))
	people("GET", "/r/:room/decisions", s.in(s.decisions))
	people("GET", "/r/:room/trace", s.in(s.trace))
	people("GET", "/r/:room/trace.json", s.in(s.traceJSON))
	people("GET", "/r/:room/decisions.csv", s.in(s.decisionsCSV))
	people("GET", "/r/:room/decisions.json", s.in(s.decisionsJSON))
	people("GET", "/r/:room/scores.csv", s.in(s.scoresCSV))
	people("GET", "/r/:room/keys", s.in(s.keys))
	people("POST", "/r/:room/policies/sentence", s.in(s.sentence))

	e.GET("/r/:room/socket", s.in(s.socket), s.guards.requests.middleware)
}

var (
	// sameOrigin refuses what another site makes a visitor's browser send.
	sameOrigin = echo.WrapMiddleware(http.NewCrossOriginProtection().Handler)
	limitBody  = middleware.BodyLimit("1MiB")
	compress   = middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 1024})
	// recovered makes a panic of a handler an error with its stack, for the log.
	recovered = middleware.RecoverWithConfig(middleware.RecoverConfig{
		LogErrorFunc: func(_ echo.Context, err error, stack []byte) error {
			return fmt.Errorf("panic: %w\n%s", err, stack)
		},
	})
)

// anyMethod lets the endpoint be hit with any method, also one that the router
// does not know: all are the same there, but that HEAD wants no body.
func anyMethod(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); strings.HasSuffix(r.URL.Path, "/hit") && r.Method != http.MethodHead {
			r.Method = http.MethodPost
		}
		return next(c)
	}
}
