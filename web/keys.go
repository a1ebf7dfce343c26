package web

import (
	"net/http"
	"slices"
	"sync"
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
	keys := s.counted.keys(room.Name(), c.QueryParam("policy"), s.config.Clock.Now(), kept)
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
	// maxCounted bounds the counts that are held.
	maxCounted = 128
)

// counted shares the counts by key of rooms with many requests among all who
// watch them: a class that has the table open asks for the same one.
type counted struct {
	mu   sync.Mutex
	held map[countedKey]*count
}

type countedKey struct{ room, policy string }

type count struct {
	at   time.Time
	keys func() views.Keys
}

// keys is the table by key of what is kept, or of what was kept a moment ago.
func (c *counted) keys(room, policy string, now time.Time, kept *session.Kept) views.Keys {
	if kept.Len() <= quickToCount {
		return views.KeysOf(kept, policy)
	}
	// Whoever asks for a policy that is not there gets the first one's.
	if !slices.ContainsFunc(kept.Policies(), func(p lab.Policy) bool { return p.Name == policy }) {
		policy = kept.Policies()[0].Name
	}
	return c.share(countedKey{room, policy}, now, kept).keys()
}

func (c *counted) share(key countedKey, now time.Time, kept *session.Kept) *count {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.held[key]; one != nil && now.Sub(one.at) < countedFor {
		return one
	}
	for key, one := range c.held {
		if now.Sub(one.at) >= countedFor || len(c.held) >= maxCounted {
			delete(c.held, key)
		}
	}
	if c.held == nil {
		c.held = map[countedKey]*count{}
	}
	one := &count{now, sync.OnceValue(func() views.Keys { return views.KeysOf(kept, key.policy) })}
	c.held[key] = one
	return one
}
