package main

import (
	"fmt"
	"log/slog"
	"net"

	"github.com/burstlab/burstlab/web"
	"github.com/burstlab/burstlab/web/live"
)

// addrVariable names the environment's word for --addr.
const addrVariable = "BURSTLAB_ADDR"

const defaultAddr = "127.0.0.1:8080"

// serve runs the web server.
type serve struct {
	Addr         string   `placeholder:"HOST:PORT" help:"Where to listen; also BURSTLAB_ADDR. The default is 127.0.0.1:8080."`
	TrustedProxy []string `placeholder:"NETWORK" help:"A network, such as 10.0.0.0/8, whose X-Forwarded-For is believed. May be given again."`
	Lessons      string   `placeholder:"FOLDER" type:"existingdir" help:"A folder with lessons of your own, which come after the program's; see \"burstlab lesson check\"."`
	Verbose      bool     `short:"v" help:"Log every request, also those to the endpoint and for static files."`
}

// Run serves until the context ends, and then stops gracefully.
func (s *serve) Run(env *environment) error {
	addr := s.Addr
	if addr == "" {
		addr = env.getenv(addrVariable)
	}
	if addr == "" {
		addr = defaultAddr
	}
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return inputError{fmt.Errorf("--addr %s: expected a host and a port, such as %s", addr, defaultAddr)}
	}
	proxies, err := networks(s.TrustedProxy)
	if err != nil {
		return err
	}
	lessons, err := ownLessons(s.Lessons)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if s.Verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(env.stderr, &slog.HandlerOptions{Level: level}))
	server := web.New(web.Config{Log: log, Clock: live.SystemClock{}, Bounds: web.DefaultBounds, TrustedProxies: proxies, Lessons: lessons})
	listener, err := new(net.ListenConfig).Listen(env.ctx, "tcp", addr)
	if err != nil {
		server.Close()
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --addr", addr, err)
	}
	fmt.Fprintf(env.stdout, "Burstlab is at http://%s\n", addressOf(addr, listener.Addr()))
	if err := server.Serve(env.ctx, listener); err != nil {
		return fmt.Errorf("the server stopped: %w", err)
	}
	log.Info("stopped")
	return nil
}

// addressOf is where a browser on this machine finds a listener: the host that
// was asked for and the port that it has. What listens everywhere is at
// localhost too.
func addressOf(asked string, listens net.Addr) string {
	host, _, _ := net.SplitHostPort(asked)
	_, port, err := net.SplitHostPort(listens.String())
	if err != nil {
		return listens.String()
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func networks(texts []string) ([]*net.IPNet, error) {
	var networks []*net.IPNet
	for _, text := range texts {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, inputError{fmt.Errorf("--trusted-proxy %s: expected a network, such as 10.0.0.0/8", text)}
		}
		networks = append(networks, network)
	}
	return networks, nil
}
