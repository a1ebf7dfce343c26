// Command load measures a room under load: 100 viewers, one of them a real
// Chromium, while 5,000 requests a second come, first from the room's own
// stream and then over HTTP to its endpoint. Server, viewers and browser share
// the machine. `make load` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/web"
	"github.com/burstlab/burstlab/web/live"
)

func main() {
	viewers := flag.Int("viewers", 100, "viewers in the room, the browser included")
	rate := flag.Int("rate", 5000, "requests a second")
	span := flag.Duration("for", 10*time.Second, "how long each measurement takes")
	smooth := flag.Bool("frames", false, "measure how smoothly one page shows the room instead")
	long := flag.Duration("memory", 0, "with -frames: for how long to watch the page's memory")
	flag.Parse()
	measured := func(room string) error { return load(room, *viewers, *rate, *span) }
	if *smooth {
		measured = func(room string) error { return frames(room, *rate, *span, *long) }
	}
	if err := run(measured); err != nil {
		log.Fatal(err)
	}
}

// run serves a room while it is measured.
func run(measured func(room string) error) error {
	bounds := web.DefaultBounds
	// The load comes from one address, which is more than one client may do.
	bounds.Endpoint = lab.Policy{Name: "endpoint", Algorithm: lab.GCRA, Limit: 1_000_000, Per: time.Second, Burst: 1_000_000}
	server := web.New(web.Config{Log: slog.New(slog.DiscardHandler), Clock: live.SystemClock{}, Bounds: bounds})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()

	room, err := openRoom("http://" + listener.Addr().String())
	if err != nil {
		return err
	}
	if err := measured(room); err != nil {
		return err
	}
	stop()
	return <-served
}

// load measures a room with many viewers.
func load(room string, viewers, rate int, span time.Duration) error {
	page, err := openBrowser(room)
	if err != nil {
		return err
	}
	defer page.close()
	if err := page.prepare(); err != nil {
		return err
	}
	crowd, err := join(room, viewers-1)
	if err != nil {
		return err
	}
	fmt.Printf("%d viewers (one Chromium) in one room, seven policies, %d CPUs\n", viewers, runtime.NumCPU())

	if err := measure(crowd, page, "at rest", span, func() error { return nil }); err != nil {
		return err
	}
	if err := command(room, fmt.Sprintf("stream %d/s", rate)); err != nil {
		return err
	}
	if err := measure(crowd, page, fmt.Sprintf("a stream of %d/s", rate), span, func() error { return nil }); err != nil {
		return err
	}
	if err := command(room, "stop"); err != nil {
		return err
	}
	hits := newHits(room, rate, span)
	if err := measure(crowd, page, fmt.Sprintf("%d hits/s over HTTP", rate), span, hits.run); err != nil {
		return err
	}
	hits.print()
	crowd.leave()
	return nil
}

// measure watches the crowd and the browser while load runs.
func measure(c *crowd, page *page, name string, span time.Duration, load func() error) error {
	c.start()
	errs := make(chan error, 1)
	go func() { errs <- load() }()
	clicks, err := page.clicks(span)
	if err != nil {
		return err
	}
	figures := c.stop()
	if err := <-errs; err != nil {
		return err
	}
	fmt.Printf("\n%s\n", name)
	figures.print()
	fmt.Printf("  click to painted decision  %s (%d clicks)\n", spread(clicks), len(clicks))
	return nil
}

func openRoom(origin string) (string, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Post(origin+"/r", "", nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		return "", fmt.Errorf("POST /r: %s", resp.Status)
	}
	return origin + resp.Header.Get("Location"), nil
}

func command(room, text string) error {
	body := strings.NewReader(url.Values{"command": {text}}.Encode())
	req, err := http.NewRequest(http.MethodPost, room+"/commands", body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		answer, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("command %q: %s: %s", text, resp.Status, answer)
	}
	return nil
}

// spread tells a set of durations in a few words. It sorts them.
func spread(d []time.Duration) string {
	if len(d) == 0 {
		return "none"
	}
	slices.Sort(d)
	at := func(p int) time.Duration { return d[(len(d)*p+99)/100-1].Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %v, p99 %v, longest %v", at(50), at(99), at(100))
}

// hits sends requests to the endpoint at a steady rate, whatever the answers
// take.
type hits struct {
	address string
	rate    int
	span    time.Duration

	mu       sync.Mutex
	took     []time.Duration
	statuses map[int]int
}

func newHits(room string, rate int, span time.Duration) *hits {
	return &hits{address: room + "/hit?policy=token", rate: rate, span: span, statuses: make(map[int]int)}
}

// connections bounds the hits that are under way at once.
const connections = 128

func (h *hits) run() error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	due := make(chan time.Time, h.rate)
	errs := make(chan error, connections)
	var workers sync.WaitGroup
	for range connections {
		workers.Go(func() {
			for at := range due {
				resp, err := client.Get(h.address)
				if err != nil {
					errs <- err
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				h.mu.Lock()
				// Since it was due, not since it was sent: a queue here counts.
				h.took = append(h.took, time.Since(at))
				h.statuses[resp.StatusCode]++
				h.mu.Unlock()
			}
		})
	}
	const beat = time.Millisecond
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	start, sent := time.Now(), 0
	for now := range ticker.C {
		for ; sent < int(now.Sub(start)*time.Duration(h.rate)/time.Second); sent++ {
			due <- now
		}
		if now.Sub(start) >= h.span {
			break
		}
	}
	close(due)
	workers.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

func (h *hits) print() {
	fmt.Printf("  endpoint, answered         %d in %v: ", len(h.took), h.span)
	for _, status := range slices.Sorted(maps.Keys(h.statuses)) {
		fmt.Printf("%d of %d  ", h.statuses[status], status)
	}
	fmt.Printf("\n  endpoint latency           %s\n", spread(h.took))
}
