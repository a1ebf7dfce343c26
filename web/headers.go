package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"
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

// onlyGzip leaves of what a client says of encodings whether it takes gzip, the
// only one that there is here: "gzip" or nothing.
func onlyGzip(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Request().Header
		takes, named := false, false
		for part := range strings.SplitSeq(strings.Join(h.Values(echo.HeaderAcceptEncoding), ","), ",") {
			name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
			_, q, weighed := strings.Cut(weight, "q=")
			refused := weighed && strings.Trim(q, "0.") == ""
			switch {
			case strings.EqualFold(name, "gzip"):
				takes, named = !refused, true
			case name == "*" && !named:
				takes = !refused
			}
		}
		h.Del(echo.HeaderAcceptEncoding)
		if takes {
			h.Set(echo.HeaderAcceptEncoding, "gzip")
		}
		return next(c)
	}
}

// files serves the browser's code. Its address names its content, so it may be
// kept for good.
func files() echo.HandlerFunc {
	packed := packedFiles()
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
		c.Response().Header().Set("Vary", "Accept-Encoding")
		if small, ok := packed[path.Clean(name)]; ok && c.Request().Header.Get(echo.HeaderAcceptEncoding) != "" {
			c.Response().Header().Set("Content-Encoding", "gzip")
			content = small
		}
		return c.Blob(http.StatusOK, mime.TypeByExtension(path.Ext(name)), content)
	}
}

// packedFiles are the files compressed, once for all who come.
func packedFiles() map[string][]byte {
	packed := map[string][]byte{}
	err := fs.WalkDir(static.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(static.Files, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		// Writing to memory cannot fail, and the level exists.
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = w.Write(content)
		_ = w.Close()
		packed[name] = b.Bytes()
		return nil
	})
	if err != nil {
		panic("web: embedded files cannot be read: " + err.Error())
	}
	return packed
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
