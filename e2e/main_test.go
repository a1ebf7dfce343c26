//go:build e2e

package e2e

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/burstlab/burstlab/web"
	"github.com/burstlab/burstlab/web/live"
)

// driver starts browsers, and browser is the one in which visitors have a
// context of their own each.
var (
	driver  *playwright.Playwright
	browser playwright.Browser
)

// expect waits at most this long for what the page should show.
var expect = playwright.NewPlaywrightAssertions(10_000)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	driver, err = playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true, Stderr: os.Stderr})
	if err != nil {
		log.Print("Playwright's driver is missing; `make e2e` sets it up: ", err)
		return 1
	}
	defer driver.Stop()
	browser, err = launch()
	if err != nil {
		log.Print("Chromium cannot be started: ", err)
		return 1
	}
	defer browser.Close()
	return m.Run()
}

// launch starts the Chromium that `make` has found.
func launch() (playwright.Browser, error) {
	return driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(os.Getenv("BURSTLAB_CHROMIUM")),
		Args: []string{
			"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync",
		},
	})
}

// site is a running server of one test.
type site struct {
	t   *testing.T
	url string
}

// serve starts a server that stops with the test.
func serve(t *testing.T) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := web.New(web.Config{
		Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Clock: live.SystemClock{}, Bounds: web.DefaultBounds,
	})
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("the server stopped with %v", err)
		}
	})
	return &site{t, "http://" + listener.Addr().String()}
}

// visitor opens a browser of their own. Whatever the page complains about, a
// failed script or something that its own content policy forbids, fails the
// test.
func (s *site) visitor(options ...playwright.BrowserNewContextOptions) playwright.Page {
	s.t.Helper()
	return s.visitorIn(browser, options...)
}

// visitorIn opens a context in a browser of the test's own. Two pages of one
// browser do not both draw: the one behind the other rests.
func (s *site) visitorIn(b playwright.Browser, options ...playwright.BrowserNewContextOptions) playwright.Page {
	s.t.Helper()
	c, err := b.NewContext(options...)
	if err != nil {
		s.t.Fatal(err)
	}
	page, err := c.NewPage()
	if err != nil {
		s.t.Fatal(err)
	}
	var mu sync.Mutex
	var complaints []string
	complain := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, text)
	}
	page.OnPageError(func(err error) { complain(err.Error()) })
	page.OnConsole(func(m playwright.ConsoleMessage) {
		// The browser itself reports a lost connection, an ended room, a refused
		// form and a broken link, which are part of some tests.
		expected := strings.Contains(m.Text(), "net::ERR_") || strings.Contains(m.Text(), "status of 422") || strings.Contains(m.Text(), "status of 404") || strings.Contains(m.Text(), "status of 400")
		if kind := m.Type(); (kind == "error" || kind == "warning") && !expected {
			complain(m.Text())
		}
	})
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, text := range complaints {
			s.t.Errorf("the page complains: %s", text)
		}
	})
	return page
}

// must ends the test on an error of the browser's driver.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got is must for calls that also return something.
func got[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}
