package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/burstlab/burstlab/web"
)

// viewer is the far end of a socket.
type viewer struct {
	t *testing.T
	*websocket.Conn
}

// heard is any message from the server.
type heard struct {
	Type    string `json:"type"`
	Seq     uint64 `json:"seq"`
	Viewers int    `json:"viewers"`
	First   uint64 `json:"first"`
	V       string `json:"v"`
	Lanes   []any  `json:"lanes"`
	ID      int64  `json:"id"`
	Message string `json:"message"`
	Offset  *int   `json:"offset"`
}

func (s *site) join(room, query string) *viewer {
	s.t.Helper()
	v, resp, err := s.knock(room+"/socket"+query, nil)
	if err != nil {
		s.t.Fatalf("joining %s: %v (%v)", room, err, resp)
	}
	return v
}

func (s *site) knock(path string, header http.Header) (*viewer, *http.Response, error) {
	dialer := websocket.Dialer{
		NetDial:           func(string, string) (net.Conn, error) { return s.pipes.dial() },
		EnableCompression: true,
	}
	conn, resp, err := dialer.Dial("ws://burstlab.test"+path, header)
	if err != nil {
		return nil, resp, err
	}
	return &viewer{s.t, conn}, resp, nil
}

// next is the next message, and its text.
func (v *viewer) next() (heard, string) {
	v.t.Helper()
	_, text, err := v.ReadMessage()
	if err != nil {
		v.t.Fatal(err)
	}
	var h heard
	if err := json.Unmarshal(text, &h); err != nil {
		v.t.Fatalf("%v in %s", err, text)
	}
	return h, string(text)
}

// until is the next message of that type, skipping others.
func (v *viewer) until(kind string) heard {
	v.t.Helper()
	for {
		if h, _ := v.next(); h.Type == kind {
			return h
		}
	}
}

func (v *viewer) say(format string, args ...any) {
	v.t.Helper()
	if err := v.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
		v.t.Fatal(err)
	}
}

// closed is the code with which the server ends the socket.
func (v *viewer) closed() int {
	v.t.Helper()
	for {
		if _, _, err := v.ReadMessage(); err != nil {
			var bye *websocket.CloseError
			if !errors.As(err, &bye) {
				v.t.Fatal(err)
			}
			return bye.Code
		}
	}
}

func TestASocketHearsTheWholeThenFrames(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		v := s.join(s.room(), "")
		defer v.Close()
		whole, _ := v.next()
		if whole.Type != "whole" || len(whole.Lanes) != 7 || whole.Viewers != 1 {
			t.Fatalf("first came %+v", whole)
		}
		v.say(`{"type":"command","id":7,"text":"send 14@0s"}`)
		seq, requests := whole.Seq, 0
		for done := false; !done || requests < 14; {
			m, _ := v.next()
			switch m.Type {
			case "done":
				if done = m.ID == 7; !done {
					t.Fatalf("done with %d; expected 7", m.ID)
				}
			case "frame":
				if m.Seq != seq+1 {
					t.Fatalf("frame %d after %d", m.Seq, seq)
				}
				seq = m.Seq
				requests += len(m.V) / 7
			}
		}
	})
}

func TestTwoViewersHearTheSame(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		a, b := s.join(room, ""), s.join(room, "")
		defer a.Close()
		defer b.Close()
		a.say(`{"type":"command","id":1,"text":"stream 100/s"}`)
		var frames [2]map[uint64]string
		for i, v := range []*viewer{a, b} {
			frames[i] = make(map[uint64]string)
			for len(frames[i]) < 20 {
				if m, text := v.next(); m.Type == "frame" {
					frames[i][m.Seq] = text
				}
			}
		}
		both := 0
		for seq, text := range frames[0] {
			if other, ok := frames[1][seq]; ok {
				both++
				if other != text {
					t.Errorf("frame %d differs:\n%s\n%s", seq, text, other)
				}
			}
		}
		if both < 10 {
			t.Errorf("the two have %d frames in common; expected most of 20", both)
		}
	})
}

func TestALostConnectionIsTakenUpAgain(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		v := s.join(room, "")
		last := v.until("whole").Seq
		v.Close()
		s.command(room, "send 14@0s")
		after(time.Second)
		back := s.join(room, fmt.Sprintf("?seq=%d", last))
		defer back.Close()
		if m, _ := back.next(); m.Type != "frame" || m.Seq != last+1 {
			t.Errorf("came back after %d and heard %s %d", last, m.Type, m.Seq)
		}
		back.say(`{"type":"resume","seq":%d}`, last)
		for m := back.until("frame"); m.Seq != last+1; m = back.until("frame") {
			if m.Seq > last+100 {
				t.Fatalf("asked for what follows %d and heard frame %d", last, m.Seq)
			}
		}
		back.say(`{"type":"resume","seq":0}`)
		back.until("whole")
	})
}

func TestASlowReaderIsNeverWaitedFor(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		slow, quick := s.join(room, ""), s.join(room, "")
		defer slow.Close()
		defer quick.Close()
		quick.until("whole")
		quick.say(`{"type":"command","id":1,"text":"stream 100/s"}`)
		start, frames := time.Now(), 0
		for time.Since(start) < 8*time.Second {
			quick.until("frame")
			frames++
		}
		if frames < 155 {
			t.Errorf("the quick reader heard %d frames in 8 s beside a slow one; expected 160", frames)
		}
		slow.until("whole")
		if next := slow.until("whole"); next.Seq < 60 {
			t.Errorf("the slow reader went on with whole %d; expected a fresh one", next.Seq)
		}
	})
}

func TestAReaderWhoTakesNothingIsCutOff(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		v := s.join(room, "")
		defer v.Close()
		after(15 * time.Second)
		s.get("/metrics").contains(t, "burstlab_viewers 0\n")
	})
}

func TestASilentClientIsLetGo(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		v := s.join(room, "")
		defer v.Close()
		v.SetPingHandler(func(string) error { return nil }) // hears the pings and says nothing
		start := time.Now()
		for {
			if _, _, err := v.ReadMessage(); err != nil {
				break
			}
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("let go after %v; expected a minute", took)
		}
	})
}

func TestAWatchingClientStays(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		v := s.join(s.room(), "")
		defer v.Close()
		start := time.Now()
		for time.Since(start) < 5*time.Minute {
			v.until("frame")
		}
	})
}

func TestACommandThatCannotBeDoneIsAnsweredWithItsPlace(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		v := s.join(s.room(), "")
		defer v.Close()
		v.say(`{"type":"command","id":3,"text":"send 14@@0s"}`)
		if m := v.until("error"); m.ID != 3 || m.Offset == nil || *m.Offset < 5 || m.Message == "" {
			t.Errorf("heard %+v", m)
		}
		v.say(`{"type":"command","id":4,"text":"resume"}`)
		if m := v.until("error"); m.ID != 4 || m.Message != "not paused" {
			t.Errorf("heard %+v", m)
		}
	})
}

func TestWhatASocketMayNotSay(t *testing.T) {
	for text, code := range map[string]int{
		"hello":                       websocket.CloseUnsupportedData,
		`{"type":"whole"}`:            websocket.CloseUnsupportedData,
		`{"type":"command","id"`:      websocket.CloseUnsupportedData,
		`{"type":"resume","seq":-1}`:  websocket.CloseUnsupportedData,
		strings.Repeat(" ", 64<<10+1): websocket.CloseMessageTooBig,
	} {
		visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
			v := s.join(s.room(), "")
			defer v.Close()
			go v.WriteMessage(websocket.TextMessage, []byte(text))
			if got := v.closed(); got != code {
				t.Errorf("%.30q: closed with %d; expected %d", text, got, code)
			}
		})
	}
}

func TestASocketIsOnlyForTheSamePage(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		room := s.room()
		for origin, want := range map[string]int{
			"http://elsewhere.test":     http.StatusForbidden,
			"http://burstlab.test:8080": http.StatusForbidden,
			"null":                      http.StatusForbidden,
			"http://burstlab.test":      http.StatusSwitchingProtocols,
		} {
			v, resp, _ := s.knock(room+"/socket", http.Header{"Origin": {origin}})
			if resp.StatusCode != want {
				t.Errorf("from %s: %s; expected %d", origin, resp.Status, want)
			}
			if v != nil {
				v.Close()
			}
		}
		s.get(room+"/socket").want(t, http.StatusUpgradeRequired, "application/problem+json")
		if _, resp, _ := s.knock("/r/MANGO-0000-0000/socket", nil); resp.StatusCode != http.StatusNotFound {
			t.Errorf("a room that is not there: %s", resp.Status)
		}
		if _, resp, _ := s.knock(room+"/socket?seq=x", nil); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("seq=x: %s", resp.Status)
		}
	})
}

func TestViewersOfARoomAreBounded(t *testing.T) {
	bounds := web.DefaultBounds
	bounds.Viewers = 2
	visit(t, bounds, func(t *testing.T, s *site) {
		room := s.room()
		for range 2 {
			defer s.join(room, "").Close()
		}
		if _, resp, _ := s.knock(room+"/socket", nil); resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a third viewer: %s", resp.Status)
		}
	})
}

func TestOneSocketCannotFloodARoomWithCommands(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		v := s.join(s.room(), "")
		defer v.Close()
		var done, refused int
		for i := range 100 {
			v.say(`{"type":"command","id":%d,"text":"send 1@0s"}`, i)
			for answered := false; !answered; {
				switch m, _ := v.next(); m.Type {
				case "done":
					done++
					answered = true
				case "error":
					if !strings.Contains(m.Message, "one client") {
						t.Fatalf("heard %+v", m)
					}
					refused++
					answered = true
				}
			}
		}
		if done != 60 || refused != 40 {
			t.Errorf("%d done, %d refused at once; expected 60 and 40", done, refused)
		}
	})
}

func TestSocketsAreClosedWithAReasonWhenTheServerStops(t *testing.T) {
	visit(t, web.DefaultBounds, func(t *testing.T, s *site) {
		v := s.join(s.room(), "")
		defer v.Close()
		code := make(chan int, 1)
		go func() { code <- v.closed() }()
		synctest.Wait()
		s.stop()
		if got := <-code; got != websocket.CloseGoingAway {
			t.Errorf("closed with %d; expected %d", got, websocket.CloseGoingAway)
		}
	})
}
