package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestServeAnswersUntilItIsStopped(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		env  map[string]string
	}{
		{"by flag", []string{"serve", "--addr", "127.0.0.1:0"}, nil},
		{"by the environment, as the default command", nil, map[string]string{"BURSTLAB_ADDR": "127.0.0.1:0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			out, in := io.Pipe()
			var errs bytes.Buffer
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, test.args, nil, in, &errs, func(name string) string { return test.env[name] })
				in.Close()
			}()
			line, err := bufio.NewReader(out).ReadString('\n')
			_, address, found := strings.Cut(strings.TrimSpace(line), "Burstlab is at ")
			if err != nil || !found {
				t.Fatalf("printed %q, %v", line, err)
			}
			resp, err := http.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Request.URL.Path, "/r/") {
				t.Errorf("GET / led to %s: %s", resp.Request.URL, resp.Status)
			}
			stop()
			if status := <-ended; status != exitOK {
				t.Errorf("ended with %d: %s", status, errs.String())
			}
		})
	}
}

func TestServeSaysWhyItCannotListen(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"serve", "--addr", busy.Addr().String()}, exitFailed, "address already in use; choose another address with --addr"},
		{[]string{"serve", "--addr", "8080"}, exitUsage, "expected a host and a port"},
		{[]string{"serve", "--trusted-proxy", "10.0.0.1"}, exitUsage, "expected a network"},
	} {
		status, stderr := try(t.Context(), nil, io.Discard, test.args...)
		if status != test.status || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q; expected %d, ...%s", test.args, status, stderr, test.status, test.want)
		}
	}
}

func TestWhereABrowserFindsTheServer(t *testing.T) {
	listens := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8123}
	for asked, want := range map[string]string{
		"0.0.0.0:8123": "localhost:8123", "[::]:8123": "localhost:8123", ":0": "localhost:8123",
		"localhost:0": "localhost:8123", "127.0.0.1:8123": "127.0.0.1:8123", "[::1]:0": "[::1]:8123",
	} {
		if got := addressOf(asked, listens); got != want {
			t.Errorf("asked for %s: %s; expected %s", asked, got, want)
		}
	}
}
