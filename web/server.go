package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/scenarios/lesson"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// Config says how a server runs. Log, Clock and Bounds are needed.
type Config struct {
	Log    *slog.Logger
	Clock  live.Clock
	Bounds Bounds
	// TrustedProxies are the networks whose X-Forwarded-For is believed when a
	// client's address is told; without any, it is the connection's own.
	TrustedProxies []*net.IPNet
	// Lessons are the path; nil means those of the program.
	Lessons []*lesson.Lesson
}

// Time-outs of connections. What may take longer sets its own deadline: the
// socket, and a request that waits in a leaky bucket.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 16 << 10
	// stopTimeout is how long open requests may take when the server stops.
	stopTimeout = 10 * time.Second
)

// Server is the web application. It is an [http.Handler]; [Server.Serve] runs
// it with the time-outs that a public server needs.
type Server struct {
	config   Config
	log      *slog.Logger
	echo     *echo.Echo
	rooms    *live.Rooms
	guards   guards
	sockets  sockets
	replays  *replays
	counted  shared[countedKey, views.Keys]
	compared shared[comparedKey, *views.Comparison]
}

// New makes a server without a listener.
func New(config Config) *Server {
	s := &Server{
		config:  config,
		log:     config.Log,
		echo:    echo.New(),
		rooms:   newRooms(config),
		guards:  newGuards(config.Clock, config.Bounds),
		replays: newReplays(maxReplays),
	}
	s.echo.HTTPErrorHandler = s.fail
	s.echo.IPExtractor = clientAddress(config.TrustedProxies)
	s.routes()
	if s.config.Lessons == nil {
		s.config.Lessons = lesson.All()
	}
	presets() // now, and not while the first visitor waits
	return s
}

func clientAddress(trusted []*net.IPNet) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range trusted {
		options = append(options, echo.TrustIPRange(network))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// Serve answers requests from l until ctx ends, and then stops without leaving
// anything half done: rooms end, requests that wait in one are told so, sockets
// are closed with a reason, and requests under way get stopTimeout to finish.
// It closes l, and returns nil after such a stop.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		// Rooms first: their waiting requests end at once, with a reason.
		s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		stopped <- server.Shutdown(ctx)
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		if stop() {
			s.Close()
		}
		return err
	}
	return <-stopped
}

// Close ends all rooms and waits until their sockets are closed.
func (s *Server) Close() {
	s.sockets.close()
	s.rooms.Close()
	s.sockets.open.Wait()
}

// sockets counts the open sockets, which [http.Server.Shutdown] does not.
type sockets struct {
	open   sync.WaitGroup
	mu     sync.Mutex
	closed bool
}

// enter counts one more, unless the server is closing.
func (s *sockets) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.open.Add(1)
	}
	return !s.closed
}

func (s *sockets) leave() { s.open.Done() }

// close lets no more in.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
