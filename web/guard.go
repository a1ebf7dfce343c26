package web

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/web/live"
)

// guards are the allowances that the server's own clients have.
type guards struct {
	rooms, endpoint, commands, requests, traffic *guard
}

func newGuards(clock live.Clock, b Bounds) guards {
	return guards{
		rooms:    newGuard(clock, b.OpenRooms),
		endpoint: newGuard(clock, b.Endpoint),
		commands: newGuard(clock, b.Commands),
		requests: newGuard(clock, b.Requests),
		traffic:  newGuard(clock, b.Traffic),
	}
}

// all are the guards, for the figures.
func (g guards) all() []*guard {
	return []*guard{g.rooms, g.endpoint, g.commands, g.requests, g.traffic}
}

// stepCost is what a step by a time costs, because a stream may send so much in
// it; what was sent before has been paid for.
const stepCost = 1000

// admitTraffic decides what a client's commands send: each request that they
// make costs one.
func (g guards) admitTraffic(client string, commands ...session.Command) error {
	var cost int64
	for _, c := range commands {
		switch c := c.(type) {
		case session.Send:
			// A session takes no more than Pending, whatever was asked for.
			cost += min(c.Traffic.Count(), session.DefaultLimits.Pending)
		case session.Step:
			if c.By > 0 {
				cost += stepCost
			}
		}
	}
	if cost == 0 {
		return nil
	}
	return g.traffic.admitCost(client, cost)
}

// maxClients bounds the clients that one guard tells apart at once. Clients
// with a whole allowance are forgotten, which changes nothing for them; when so
// many have used a part of theirs, new ones are refused until some have theirs
// back.
const maxClients = 100_000

// guard holds the server's clients to a policy, with the same limiters that the
// lab teaches. It may be used by any goroutine.
type guard struct {
	policy  lab.Policy
	clock   live.Clock
	start   time.Time
	refused atomic.Uint64

	mu    sync.Mutex
	bench *bench.Bench
	last  lab.Time
}

func newGuard(clock live.Clock, policy lab.Policy) *guard {
	b, err := bench.New([]lab.Policy{policy}, bench.Options{MaxKeys: maxClients, InOrder: true})
	if err != nil {
		panic("web: a bound of the server is wrong: " + err.Error())
	}
	return &guard{policy: policy, clock: clock, start: clock.Now(), bench: b}
}

// refusal is a client that asked for more than its allowance.
type refusal struct {
	policy   lab.Policy
	request  lab.Request
	decision lab.Decision
}

func (r *refusal) Error() string {
	return fmt.Sprintf("that is more than one client may ask for here: %s at once, then %s every %s; try again in %d s",
		lab.FormatCount(r.policy.Burst), lab.FormatCount(r.policy.Limit), lab.FormatSpan(r.policy.Per), lab.CeilSeconds(r.decision.RetryAfter))
}

// response is what a client gets that does not read pages.
func (r *refusal) response() response.Response {
	return response.Of(r.policy, r.request, r.decision, response.Options{})
}

// admit decides a request of a client: nil, a *[refusal], or errCrowded.
func (g *guard) admit(client string) error { return g.admitCost(client, 1) }

func (g *guard) admitCost(client string, cost int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	// The machine's clock may be read out of order by two goroutines.
	g.last = max(g.last, lab.Time(g.clock.Now().Sub(g.start)))
	request := lab.Request{At: g.last, Key: client, Cost: cost}
	decisions, err := g.bench.Decide(request)
	switch {
	case errors.Is(err, limit.ErrKeysFull):
		g.refused.Add(1)
		return errCrowded
	case err != nil:
		return err
	case !decisions[0].Verdict.Passed():
		g.refused.Add(1)
		return &refusal{g.policy, request, decisions[0]}
	}
	return nil
}

func (g *guard) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := g.admit(client(c)); err != nil {
			return err
		}
		return next(c)
	}
}

// client is whose allowance a request uses: its IPv4 address, or its IPv6
// network, of which one household has very many addresses.
func client(c echo.Context) string {
	address, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return "unknown"
	}
	if address = address.Unmap(); address.Is6() {
		network, err := address.WithZone("").Prefix(64)
		if err == nil {
			return network.String()
		}
	}
	return address.String()
}
