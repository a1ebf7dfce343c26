package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// crowd is viewers without a browser, who only read.
type crowd struct {
	conns   []*websocket.Conn
	readers sync.WaitGroup

	mu       sync.Mutex
	watching bool
	started  time.Time

	seen []arrival
	gaps int
}

// arrival is a frame at one viewer.
type arrival struct {
	at    time.Time
	now   time.Duration // lab time in the frame, which runs with real time
	bytes int
}

func join(room string, viewers int) (*crowd, error) {
	c := &crowd{}
	dialer := websocket.Dialer{EnableCompression: true}
	for range viewers {
		conn, _, err := dialer.Dial(strings.Replace(room, "http", "ws", 1)+"/socket", http.Header{})
		if err != nil {
			return nil, err
		}
		c.conns = append(c.conns, conn)
		c.readers.Go(func() { c.read(conn) })
	}
	return c, nil
}

func (c *crowd) read(conn *websocket.Conn) {
	var last uint64
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return // closed at the end
		}
		at := time.Now()
		var m struct {
			Type string `json:"type"`
			Seq  uint64 `json:"seq"`
			Now  int64  `json:"now"`
		}
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		c.mu.Lock()
		if c.watching && m.Type == "frame" {
			c.seen = append(c.seen, arrival{at, time.Duration(m.Now) * time.Microsecond, len(text)})
			if last > 0 && m.Seq != last+1 {
				c.gaps++
			}
		}
		c.mu.Unlock()
		last = m.Seq
	}
}

func (c *crowd) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching, c.started, c.seen, c.gaps = true, time.Now(), nil, 0
}

func (c *crowd) stop() figures {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching = false
	return figures{c.seen, len(c.conns), time.Since(c.started), c.gaps}
}

// leave closes all connections.
func (c *crowd) leave() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.readers.Wait()
}

type figures struct {
	seen    []arrival
	viewers int
	took    time.Duration
	gaps    int
}

// print tells the frames' rate, size and lateness. A frame carries the lab time
// at which it was made; the earliest arrival of all says how lab time and the
// machine's clock belong together, and the others are late by what they came
// after that.
func (f figures) print() {
	if len(f.seen) == 0 {
		fmt.Println("  no frames")
		return
	}
	zero := f.seen[0].at.Add(-f.seen[0].now)
	var bytes, largest int
	for _, a := range f.seen {
		if start := a.at.Add(-a.now); start.Before(zero) {
			zero = start
		}
		bytes += a.bytes
		largest = max(largest, a.bytes)
	}
	late := make([]time.Duration, len(f.seen))
	for i, a := range f.seen {
		late[i] = a.at.Sub(zero.Add(a.now))
	}
	perViewer := float64(len(f.seen)) / float64(f.viewers) / f.took.Seconds()
	fmt.Printf("  frames a second            %.1f for each viewer, %d gaps\n", perViewer, f.gaps)
	fmt.Printf("  frame size                 mean %d B, largest %d B\n", bytes/len(f.seen), largest)
	fmt.Printf("  frame lateness             %s\n", spread(late))
}
