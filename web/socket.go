package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

// Bounds of a socket.
const (
	maxAsked     = 64 << 10         // bytes of a message from the client
	writeWait    = 10 * time.Second // a message must have left by then
	pongWait     = 60 * time.Second // the client must have been heard by then
	pingEvery    = 25 * time.Second
	maxUnwritten = 16 // answers that wait to be written before no more is read
)

var upgrader = websocket.Upgrader{
	HandshakeTimeout:  5 * time.Second,
	ReadBufferSize:    1 << 10,
	WriteBufferSize:   4 << 10,
	EnableCompression: true,
	// CheckOrigin is nil: a browser's Origin must be this host.
}

// socket: GET /r/{room}/socket joins a room. Down come its messages and the
// answers to what was asked; up come commands. With ?seq=N the client says
// which message it has.
func (s *Server) socket(c echo.Context, room *live.Room) error {
	var heard uint64
	if text := c.QueryParam("seq"); text != "" {
		var err error
		if heard, err = strconv.ParseUint(text, 10, 64); err != nil {
			return &inputError{"seq", "expected a message's number, from 0"}
		}
	}
	if !websocket.IsWebSocketUpgrade(c.Request()) {
		return echo.NewHTTPError(http.StatusUpgradeRequired)
	}
	if !s.sockets.enter() {
		return live.ErrClosed
	}
	defer s.sockets.leave()
	viewer, err := room.Join(c.Request().Context(), heard)
	if err != nil {
		return err
	}
	defer viewer.Leave()
	conn, err := upgrader.Upgrade(c.Response(), c.Request(), nil)
	if err != nil {
		return nil // the upgrader has answered
	}
	defer conn.Close()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pipe{
		conn: conn, room: room, viewer: viewer,
		guards:  s.guards,
		client:  client(c),
		name:    c.Request().RemoteAddr, // one allowance for commands a socket
		answers: make(chan answered, maxUnwritten),
	}
	read := make(chan error, 1)
	go func() {
		read <- p.read(ctx)
		close(read)
	}()
	p.write(read)
	conn.Close() // ends the reader, if it has not ended yet
	cancel()
	for range read {
	}
	return nil
}

// pipe joins a socket to a room: one goroutine reads, one writes.
type pipe struct {
	conn    *websocket.Conn
	room    *live.Room
	viewer  *live.Viewer
	guards  guards
	client  string
	name    string
	answers chan answered
}

// write passes on messages and answers until the room or the client ends.
func (p *pipe) write(read <-chan error) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case m, open := <-p.viewer.Messages():
			if !open {
				p.bye(websocket.CloseGoingAway, "the room has closed")
				return
			}
			p.conn.SetWriteDeadline(time.Now().Add(writeWait))
			err = p.conn.WritePreparedMessage(m.(*message).prepared)
		case a := <-p.answers:
			p.conn.SetWriteDeadline(time.Now().Add(writeWait))
			err = p.conn.WriteJSON(a)
		case <-ping.C:
			err = p.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait))
		case err := <-read:
			switch {
			case errors.Is(err, errNotUnderstood):
				p.bye(websocket.CloseUnsupportedData, err.Error())
			case errors.Is(err, errTooLong):
				p.bye(websocket.CloseMessageTooBig, err.Error())
			}
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *pipe) bye(code int, reason string) {
	// The client may be gone already; then there is nobody to tell.
	_ = p.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
}

// Why a socket is closed on a client, for the client.
var (
	errNotUnderstood = errors.New("a message must be JSON of type command or resume")
	errTooLong       = errors.New("a message must not be longer than 64 KiB")
)

// read takes what the client asks until it has gone.
func (p *pipe) read(ctx context.Context) error {
	p.conn.SetReadLimit(maxAsked)
	stay := func(string) error { return p.conn.SetReadDeadline(time.Now().Add(pongWait)) }
	p.conn.SetPongHandler(stay)
	for {
		if err := stay(""); err != nil {
			return err
		}
		_, message, err := p.conn.NextReader()
		if err != nil {
			return err
		}
		// The read limit counts bytes on the wire, which may be compressed.
		text, err := io.ReadAll(io.LimitReader(message, maxAsked+1))
		if err != nil {
			return err
		}
		if len(text) > maxAsked {
			return errTooLong
		}
		var a asked
		if json.Unmarshal(text, &a) != nil {
			return errNotUnderstood
		}
		switch a.Type {
		case typeCommand:
			select {
			case p.answers <- p.command(ctx, a):
			case <-ctx.Done():
				return ctx.Err()
			}
		case typeResume:
			if err := p.guards.commands.admit(p.name); err != nil {
				continue // the client's frames go on; it will see the gap again
			}
			if err := p.viewer.Resume(ctx, a.Seq); err != nil {
				return err
			}
		default:
			return errNotUnderstood
		}
	}
}

// command gives a command to the room and says how it went.
func (p *pipe) command(ctx context.Context, a asked) answered {
	err := func() error {
		if err := p.guards.commands.admit(p.name); err != nil {
			return err
		}
		command, err := session.Parse(a.Text)
		if err != nil {
			return err
		}
		if err := p.guards.admitTraffic(p.client, command); err != nil {
			return err
		}
		return p.room.Do(ctx, command)
	}()
	if err == nil {
		return answered{Type: typeDone, ID: a.ID}
	}
	told, ok := problemOf(err)
	if !ok {
		told.Detail = told.Title
	}
	return answered{Type: typeError, ID: a.ID, Message: told.Detail, Offset: told.Offset}
}
