package web_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/burstlab/burstlab/web"
)

func TestTheEndpointAnswersAsThePolicyDoes(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for i := range 14 {
			a := s.get(room + "/hit?policy=token")
			want := []string{`"token";q=10;w=1`, `"token";r=` + []string{"9", "8", "7", "6", "5", "4", "3", "2", "1", "0", "0", "0", "0", "0"}[i] + `;t=1`}
			if got := a.Header.Get("RateLimit-Policy"); got != want[0] {
				t.Errorf("hit %d: RateLimit-Policy: %s; expected %s", i, got, want[0])
			}
			if got := a.Header.Get("RateLimit"); got != want[1] {
				t.Errorf("hit %d: RateLimit: %s; expected %s", i, got, want[1])
			}
			if i < 10 {
				if a.StatusCode != http.StatusOK || a.body != "" || a.Header.Get("Retry-After") != "" {
					t.Errorf("hit %d: %s, %q", i, a.Status, a.body)
				}
				continue
			}
			a.want(t, http.StatusTooManyRequests, "application/problem+json")
			a.contains(t, "quota-exceeded")
			a.contains(t, `"violated-policies"`)
			if a.Header.Get("Retry-After") != "1" || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("hit %d: %v", i, a.Header)
			}
		}
	})
}

func TestTheEndpointAddsNothingToThePolicysAnswer(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		var names []string
		for name := range s.get(room + "/hit").Header {
			names = append(names, name)
		}
		slices.Sort(names)
		if want := []string{"Content-Length", "Date", "Ratelimit", "Ratelimit-Policy"}; !slices.Equal(names, want) {
			t.Errorf("a request that passed gets the fields %v; expected %v", names, want)
		}
	})
}

func TestADelayedRequestReallyWaits(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for i := range 3 {
			start := time.Now()
			a := s.get(room + "/hit?policy=leaky")
			if took, want := time.Since(start), time.Duration(min(i, 1))*100*time.Millisecond; a.StatusCode != http.StatusOK || took != want {
				t.Errorf("hit %d: %s after %v; expected 200 after %v", i, a.Status, took, want)
			}
		}
	})
}

func TestAnyMethodHits(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"} {
			a := s.ask(method, room+"/hit", "anything")
			if a.StatusCode != http.StatusOK || a.Header.Get("RateLimit") == "" {
				t.Errorf("%s: %s %v", method, a.Status, a.Header)
			}
		}
	})
}

func TestAHitSaysWhatItIsInQueryOrHeader(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		a := s.get(room+"/hit?policy=fixed&cost=4&key=ann&service=200ms", "X-Burstlab-Policy", "token")
		if got := a.Header.Get("RateLimit"); got != `"fixed";r=6;t=1` {
			t.Errorf("by query: RateLimit: %s", got)
		}
		a = s.get(room+"/hit", "X-Burstlab-Policy", "fixed", "X-Burstlab-Key", "ann", "X-Burstlab-Cost", "2")
		if got := a.Header.Get("RateLimit"); got != `"fixed";r=4;t=1` {
			t.Errorf("by header: RateLimit: %s", got)
		}
		a = s.get(room + "/hit?policy=fixed&cost=11")
		a.want(t, http.StatusTooManyRequests, "application/problem+json")
		if a.Header.Get("Retry-After") != "" {
			t.Error("a request that can never pass is told when to try again")
		}
	})
}

func TestAHitThatCannotBeUnderstoodIsNotDecided(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		before := s.get(room + "/decisions").body
		for query, want := range map[string]string{
			"policy=tokn":                      `"policies":["token","leaky","gcra","fixed","log","counter","in-progress"]`,
			"cost=0":                           "cost: expected a whole number from 1",
			"cost=1.5":                         "cost: expected a whole number from 1",
			"cost=9999999999999999":            "cost: expected a whole number from 1",
			"service=-1s":                      "service: -1s is out of range; expected a duration from 0s to 438000h",
			"service=438001h":                  "service: 438001h is out of range; expected a duration from 0s to 438000h",
			"service=fast":                     `service: \"fast\" is not a duration such as 1s, 1500ms or 24h`,
			"service=20":                       `service: \"20\" has a number without a unit; expected h, m, s, ms, us or ns`,
			"service=0.1ns":                    `service: \"0.1ns\" is not a whole number of nanoseconds; expected fewer decimals`,
			"key=" + strings.Repeat("k", 5000): "the key is too long",
			"key=50%&cost=2":                   "query: invalid URL escape",
			"key=ann;cost=7":                   "query: invalid semicolon separator in query",
			"key=%ff":                          "key: expected text in UTF-8",
			"dialect=Epoch":                    `dialect: \"Epoch\" is not a dialect; expected ietf, seconds or epoch`,
		} {
			a := s.get(room + "/hit?" + query)
			a.want(t, http.StatusBadRequest, "application/problem+json")
			a.contains(t, want)
		}
		if got := s.get(room + "/decisions").body; got != before {
			t.Errorf("something was decided: %q", got)
		}
	})
}

func TestAWaitingRequestIsToldWhenTheServerStops(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "pause")
		s.get(room + "/hit?policy=leaky")
		told := make(chan answer, 1)
		go func() { told <- s.get(room + "/hit?policy=leaky") }()
		synctest.Wait()
		s.stop()
		a := <-told
		a.want(t, http.StatusServiceUnavailable, "application/problem+json")
		a.contains(t, "the room has closed")
	})
}

func TestAClientThatGoesAwayLeavesNothingBehind(t *testing.T) {
	bounds := web.DefaultBounds
	bounds.Waiting = 1
	visit(t, bounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "pause")
		s.get(room + "/hit?policy=leaky")
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := s.try(ctx, http.MethodGet, room+"/hit?policy=leaky", "")
			gone <- err
		}()
		synctest.Wait()
		s.get(room+"/hit?policy=leaky").want(t, http.StatusServiceUnavailable, "application/problem+json")
		cancel()
		<-gone
		synctest.Wait()
		s.command(room, "resume")
		if a := s.get(room + "/hit?policy=leaky"); a.StatusCode != http.StatusOK {
			t.Errorf("after the other went away: %s", a.Status)
		}
	})
}

func TestARequestThatWaitsTooLongIsToldSo(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "pause")
		s.get(room + "/hit?policy=leaky")
		a := s.get(room + "/hit?policy=leaky")
		a.want(t, http.StatusServiceUnavailable, "application/problem+json")
		a.contains(t, "later than the server keeps a connection waiting")
	})
}

// TestTheEndpointAnswersInADialect: the quota is told in the fields that the
// client asks for. Lab time stands still for a minute before the last requests;
// an instant is still one to come.
func TestTheEndpointAnswersInADialect(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		s.command(room, "pause")
		for range 9 {
			s.get(room + "/hit?policy=token")
		}
		after(time.Minute)
		// A second is 100 ms rounded up; a whole minute has passed since 2000.
		epoch := strconv.FormatInt(time.Now().Unix()+1, 10)
		for _, ask := range []struct {
			query, header string
			want          map[string]string
		}{
			{"", "", map[string]string{"RateLimit": `"token";r=0;t=1`}},
			{"dialect=ietf", "epoch", map[string]string{"RateLimit": `"token";r=0;t=1`}},
			{"dialect=", "", map[string]string{"RateLimit": `"token";r=0;t=1`}},
			{"dialect=seconds", "", map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}},
			{"dialect=epoch", "", map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch}},
			{"", "epoch", map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch}},
		} {
			var header []string
			if ask.header != "" {
				header = []string{"X-Burstlab-Dialect", ask.header}
			}
			a := s.get(room+"/hit?policy=token&"+ask.query, header...)
			got := map[string]string{}
			for _, name := range []string{"RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
				if value := a.Header.Get(name); value != "" {
					got[name] = value
				}
			}
			if !maps.Equal(got, ask.want) {
				t.Errorf("%q, header %q: %v; expected %v", ask.query, ask.header, got, ask.want)
			}
			if refused := a.StatusCode == http.StatusTooManyRequests; refused != (a.Header.Get("Retry-After") == "1") {
				t.Errorf("%q: %s with Retry-After %q", ask.query, a.Status, a.Header.Get("Retry-After"))
			}
		}
		a := s.ask(http.MethodGet, room+"/hit", "", "X-Burstlab-Dialect", "both")
		a.want(t, http.StatusBadRequest, "application/problem+json")
		a.contains(t, "expected ietf, seconds or epoch")
	})
}
