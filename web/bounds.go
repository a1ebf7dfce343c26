package web

import (
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

// Bounds are how much a server gives, to everybody and to one client.
type Bounds struct {
	// Rooms at once, viewers in each, endpoint requests of each that wait to
	// be decided, and of those that wait in its leaky buckets.
	Rooms, Viewers, Hits, Waiting int
	// MaxWait is how long an endpoint request may wait in a leaky bucket.
	MaxWait time.Duration
	// RoomBytes is how much memory a room may take, its history included, and
	// AllBytes how much all rooms together may, before the heaviest ends.
	RoomBytes, AllBytes int64
	// Streaming is how many requests a second of real time the streams of all
	// rooms may send together.
	Streaming int64
	// Expire is how long a room stays that nobody views or uses; ExpireUnused
	// the same for one that nobody ever joined.
	Expire, ExpireUnused time.Duration

	// What one client address may ask for: rooms, endpoint requests, commands
	// over one socket, everything else but static files, and requests that the
	// commands send. A class behind one address is one client.
	OpenRooms, Endpoint, Commands, Requests, Traffic lab.Policy
}

// DefaultBounds are for a small public server.
var DefaultBounds = Bounds{
	Rooms: 1000, Viewers: 250, Hits: 4096, Waiting: 1000,
	MaxWait: time.Minute, RoomBytes: 64 << 20, AllBytes: 1 << 30, Streaming: 100_000,
	Expire: 15 * time.Minute, ExpireUnused: 2 * time.Minute,

	OpenRooms: bucket("rooms", 1, 60),
	Endpoint:  bucket("endpoint", 10_000, 20_000),
	Commands:  bucket("commands", 20, 60),
	Requests:  bucket("requests", 100, 1000),
	Traffic:   bucket("traffic", 20_000, 200_000),
}

// bucket lets limit requests a second through, and burst at once.
func bucket(name string, limit, burst int64) lab.Policy {
	return lab.Policy{Name: name, Algorithm: lab.GCRA, Limit: limit, Per: time.Second, Burst: burst}
}

// A new room starts with every algorithm at the same budget.
var openingPolicies = []lab.Policy{
	{Name: "token", Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "leaky", Algorithm: lab.LeakyBucket, Limit: 10, Per: time.Second, Queue: 10},
	{Name: "gcra", Algorithm: lab.GCRA, Limit: 10, Per: time.Second, Burst: 10},
	{Name: "fixed", Algorithm: lab.FixedWindow, Limit: 10, Per: time.Second},
	{Name: "log", Algorithm: lab.SlidingLog, Limit: 10, Per: time.Second},
	{Name: "counter", Algorithm: lab.SlidingCounter, Limit: 10, Per: time.Second},
	{Name: "in-progress", Algorithm: lab.Concurrency, Limit: 10},
}

// openingTraffic is a few seconds of quiet traffic for a visitor, so that the
// page moves when it opens and is quiet again when they send their first burst.
const openingTraffic = "send 2/s 0s..3s service=200ms"

var opening = func() session.Command {
	c, err := session.Parse(openingTraffic)
	if err != nil {
		panic("web: the opening traffic is wrong: " + err.Error())
	}
	return c
}()

func newRooms(config Config) *live.Rooms {
	b := config.Bounds
	return live.NewRooms(live.Config{
		Clock: config.Clock, Log: config.Log, Encode: encoder,
		Policies: openingPolicies,
		Limits:   session.DefaultLimits,
		MaxRooms: b.Rooms, MaxViewers: b.Viewers, MaxHits: b.Hits, MaxWaiting: b.Waiting,
		MaxWait: b.MaxWait, MaxBytes: b.RoomBytes, MaxTotal: b.AllBytes, MaxStreaming: b.Streaming,
		Expire: b.Expire, ExpireUnused: b.ExpireUnused,
	})
}
