package web

import (
	"errors"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/static"
)

// contentPolicy lets a page load its own styles and scripts and talk to its own
// server; nothing inline, nothing from elsewhere, no frame around it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure sets what every response carries but the endpoint's, which are what
// the policies say and nothing else. Nothing of a room is to be stored or found
// by a search engine.
func secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Path() == endpointPath {
			return next(c)
		}
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}

// files serves the browser's code. Its address names its content, so it may be
// kept for good.
func files() echo.HandlerFunc {
	return func(c echo.Context) error {
		name := c.Param("*")
		content, err := fs.ReadFile(static.Files, path.Clean(name))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			return echo.ErrNotFound
		}
		if err != nil {
			return echo.ErrNotFound.WithInternal(err) // a folder
		}
		c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		return c.Blob(http.StatusOK, mime.TypeByExtension(path.Ext(name)), content)
	}
}

func health(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// robots keeps crawlers from making rooms; the bounds hold for those that do
// not ask.
func robots(c echo.Context) error {
	return c.String(http.StatusOK, "User-agent: *\nDisallow: /\n")
}

// observe logs every request but the endpoint's and the static files', of which
// there are too many to read. It is told of errors by the way they are answered.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.config.Clock.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		level := slog.LevelInfo
		if p := c.Path(); p == endpointPath || p == static.Prefix()+"/*" || p == "/healthz" || p == "/metrics" {
			level = slog.LevelDebug
		}
		s.log.Log(c.Request().Context(), level, "request",
			"method", c.Request().Method, "path", c.Path(), "status", c.Response().Status,
			"bytes", c.Response().Size, "took", s.config.Clock.Now().Sub(start).Round(time.Microsecond))
		return nil
	}
}
