package web_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/web"
)

func TestTheServerLimitsItsOwnClients(t *testing.T) {
	bounds := web.DefaultBounds
	bounds.OpenRooms = lab.Policy{Name: "rooms", Algorithm: lab.GCRA, Limit: 1, Per: 10 * time.Second, Burst: 2}
	visit(t, bounds, func(t *testing.T, s *site) {
		s.get("/")
		s.ask(http.MethodPost, "/r", "")
		a := s.ask(http.MethodPost, "/r", "")
		a.want(t, http.StatusTooManyRequests, "application/problem+json")
		a.contains(t, "quota-exceeded")
		if got := a.Header.Get("Retry-After"); got != "10" {
			t.Errorf("Retry-After: %s; expected 10", got)
		}
		page := s.get("/", "Accept", "text/html")
		page.want(t, http.StatusTooManyRequests, "text/html")
		page.contains(t, "2 at once, then 1 every 10s")
		if got := page.Header.Get("Retry-After"); got != "10" {
			t.Errorf("the page's Retry-After: %s; expected 10", got)
		}
		s.get("/metrics").contains(t, `burstlab_refused_total{allowance="rooms"} 2`)
		after(10 * time.Second)
		if a := s.get("/"); a.StatusCode != http.StatusSeeOther {
			t.Errorf("after waiting as told: %s", a.Status)
		}
	})
}

func TestEachAllowanceHoldsWhatItNames(t *testing.T) {
	bounds := web.DefaultBounds
	one := lab.Policy{Algorithm: lab.GCRA, Limit: 1, Per: time.Hour, Burst: 3}
	bounds.Requests, bounds.Endpoint = one, one
	bounds.Requests.Name, bounds.Endpoint.Name = "requests", "endpoint"
	visit(t, bounds, func(t *testing.T, s *site) {
		room := s.room()
		s.get(room)
		s.get(room)
		for path, want := range map[string]int{room: http.StatusTooManyRequests, room + "/socket": http.StatusTooManyRequests, "/healthz": http.StatusOK} {
			if a := s.get(path); a.StatusCode != want {
				t.Errorf("%s: %s; expected %d", path, a.Status, want)
			}
		}
		for i, want := range []int{200, 200, 200, 429} {
			if a := s.get(room + "/hit"); a.StatusCode != want {
				t.Errorf("hit %d: %s; expected %d", i, a.Status, want)
			}
		}
		s.get(room+"/hit").contains(t, `"endpoint"`)
	})
}

func TestRoomsAreBoundedButAVisitorStillGetsOne(t *testing.T) {
	bounds := web.DefaultBounds
	bounds.Rooms = 2
	visit(t, bounds, func(t *testing.T, s *site) {
		first := s.room()
		after(time.Second)
		s.room()
		a := s.get("/", "Accept", "text/html")
		a.want(t, http.StatusServiceUnavailable, "text/html")
		a.contains(t, "All rooms are taken")
		after(10 * time.Second)
		s.room()
		s.get(first).want(t, http.StatusNotFound, "application/problem+json")
	})
}

func TestWhatACommandSendsCounts(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for range 2 {
			s.command(room, "send 100000@0s")
		}
		a := s.post(room+"/commands", "application/json", "command", "send 20000@0s")
		a.want(t, http.StatusTooManyRequests, "application/problem+json")
		a.contains(t, "traffic")
		after(time.Second)
		s.command(room, "send 20000@0s")
		v := s.join(room, "")
		defer v.Close()
		v.say(`{"type":"command","id":1,"text":"send 20000@0s"}`)
		if m := v.until("error"); m.ID != 1 {
			t.Errorf("heard %+v", m)
		}
	})
}

// A stream may send much in a step, so a step by a time counts as much; one to
// the next request sends only what has been counted.
func TestAStepCounts(t *testing.T) {
	bounds := web.DefaultBounds
	bounds.Traffic = lab.Policy{Name: "traffic", Algorithm: lab.GCRA, Limit: 1, Per: time.Hour, Burst: 2500}
	visit(t, bounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "pause")
		s.command(room, "send 3@0s every 1ms")
		s.command(room, "step 100ms")
		s.command(room, "step 100ms")
		s.post(room+"/commands", "application/json", "command", "step 100ms").want(t, http.StatusTooManyRequests, "application/problem+json")
		s.command(room, "send 3@0s every 1ms")
		s.command(room, "step")
	})
}
