package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/burstlab/burstlab/web"
	"github.com/burstlab/burstlab/web/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server in virtual time, behind connections that exist in memory
// only.
type site struct {
	t      *testing.T
	pipes  *pipes
	client *http.Client
	log    *strings.Builder
	stop   func() // as a signal would; returns when the server has stopped
}

// visit runs f with a fresh site.
func visit(t *testing.T, bounds web.Bounds, f func(t *testing.T, s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &site{t: t, pipes: newPipes(), log: &strings.Builder{}}
		server := web.New(web.Config{
			Log: slog.New(slog.NewTextHandler(&locked{w: s.log}, nil)), Clock: live.SystemClock{}, Bounds: bounds,
		})
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- server.Serve(ctx, s.pipes) }()
		s.stop = sync.OnceFunc(func() {
			cancel()
			if err := <-stopped; err != nil {
				t.Errorf("the server stopped with %v", err)
			}
		})
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return s.pipes.dial() }}
		s.client = &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		defer s.stop()
		defer transport.CloseIdleConnections()
		f(t, s)
	})
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// ask sends a request; header holds names and values in turn.
func (s *site) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	a, err := s.try(s.t.Context(), method, path, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *site) try(ctx context.Context, method, path, body string, header ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://burstlab.test"+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp, string(text)}, err
}

func (s *site) get(path string, header ...string) answer {
	s.t.Helper()
	return s.ask(http.MethodGet, path, "", header...)
}

// post sends a form of names and values in turn.
func (s *site) post(path string, accept string, fields ...string) answer {
	s.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return s.ask(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", accept)
}

// room makes a room in which nothing has happened, and returns its path.
func (s *site) room() string {
	s.t.Helper()
	a := s.ask(http.MethodPost, "/r", "")
	if a.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("POST /r: %s", a.Status)
	}
	return a.Header.Get("Location")
}

func (s *site) command(room, text string) {
	s.t.Helper()
	if a := s.post(room+"/commands", "application/json", "command", text); a.StatusCode != http.StatusNoContent {
		s.t.Fatalf("command %q: %s: %s", text, a.Status, a.body)
	}
}

func (a answer) want(t *testing.T, status int, contentType string) {
	t.Helper()
	if a.StatusCode != status || !strings.HasPrefix(a.Header.Get("Content-Type"), contentType) {
		t.Errorf("%s %s: %s, %s; expected %d, %s\n%s", a.Request.Method, a.Request.URL.Path, a.Status, a.Header.Get("Content-Type"), status, contentType, a.body)
	}
}

func (a answer) contains(t *testing.T, want string) {
	t.Helper()
	if !strings.Contains(a.body, want) {
		t.Errorf("%s %s: the body has no %q:\n%.2000s", a.Request.Method, a.Request.URL.Path, want, a.body)
	}
}

// after lets d pass and everybody come to rest.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// pipes is a listener without a network.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// locked lets several goroutines write.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
