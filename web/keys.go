package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// keys: GET /r/{room}/keys?policy=NAME is that policy's score key by key, by
// default the first one's.
func (s *Server) keys(c echo.Context, room *live.Room) error {
	var kept *session.Kept
	var info views.RoomInfo
	err := room.Read(c.Request().Context(), func(i live.Info, state *session.State) {
		info = pageRoom(c, i)
		kept = state.Kept()
	})
	if err != nil {
		return err
	}
	keys := s.keysOf(room.Name(), c.QueryParam("policy"), kept)
	if accepts(c, mimeFragment) {
		return render(c, http.StatusOK, views.KeysTable(keys))
	}
	return render(c, http.StatusOK, views.KeysPage(info, keys))
}

const (
	// quickToCount is how many requests are counted anew for everybody who asks.
	quickToCount = session.ChunkSize
	// countedFor is how long one count of more requests serves all who ask. The
	// page asks again when it is behind.
	countedFor = 250 * time.Millisecond
)

type countedKey struct{ room, policy string }

// keysOf is the table by key of what a room keeps, or of what it kept a moment
// ago: a class that has the table open asks for the same one.
func (s *Server) keysOf(room, policy string, kept *session.Kept) views.Keys {
	if kept.Len() <= quickToCount {
		return views.KeysOf(kept, policy)
	}
	// Whoever asks for a policy that is not there gets the first one's.
	if !slices.ContainsFunc(kept.Policies(), func(p lab.Policy) bool { return p.Name == policy }) {
		policy = kept.Policies()[0].Name
	}
	return s.counted.get(countedKey{room, policy}, s.config.Clock.Now(), countedFor, func() views.Keys { return views.KeysOf(kept, policy) })()
}
