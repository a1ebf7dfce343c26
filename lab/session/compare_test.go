package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Of a burst at one instant, two sessions may keep different parts. What is left
// of it is not compared: request by request it would be with another.
func TestCompareLeavesOutWhatIsKeptInPart(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 0, `policies {"policies":[{"name":"leaky","algorithm":"leaky-bucket","limit":1000,"per":"1s","queue":90000},{"name":"token","algorithm":"token-bucket","limit":1,"per":"1s","burst":25000}]}`)
	give(t, h, 1000*ms, "send 30000@0s; 5@1s")
	h.Advance(3000 * ms)
	altered, err := h.Log().Alter(lab.Time(500*time.Millisecond), mustParse(t, "send 700@0s key=ann"))
	if err != nil {
		t.Fatal(err)
	}
	c := session.Compare(altered.State().Kept(), h.State().Kept(), altered.Shared())
	if c.Both != 5 || c.Here != 0 || c.There != 0 {
		t.Errorf("%d in common, %d only here, %d only there", c.Both, c.Here, c.There)
	}
	for _, lane := range c.Lanes {
		if lane.Differ != 0 {
			t.Errorf("%s: %d differ, the first is %+v", lane.Policy.Name, lane.Differ, *lane.First)
		}
	}
}

// What came up to the instant of parting is not in common since then.
func TestCompareBeginsWhereTwoSessionsParted(t *testing.T) {
	h := mustHistory(t, session.DefaultLimits)
	give(t, h, 1000*ms, "send 14@0s; 3@1s")
	h.Advance(3000 * ms)
	altered, err := h.Log().Alter(lab.Time(time.Second), mustParse(t, "send 1@0s key=ann"))
	if err != nil {
		t.Fatal(err)
	}
	if n := altered.Shared(); n != 14 {
		t.Fatalf("%d requests are shared", n)
	}
	c := session.Compare(altered.State().Kept(), h.State().Kept(), altered.Shared())
	if c.Both != 3 || c.Here != 1 || c.There != 0 {
		t.Errorf("%d in common, %d only here, %d only there", c.Both, c.Here, c.There)
	}
}

// A session with long keys takes as much as they do, once each.
func TestKeysAreWeighed(t *testing.T) {
	long := strings.Repeat("k", 4000)
	weigh := func(commands ...string) int64 {
		h := mustHistory(t, session.DefaultLimits)
		for _, c := range commands {
			give(t, h, h.State().Stamp(), c)
		}
		h.Advance(10_000 * ms)
		return h.Memory()
	}
	short := weigh("send 1000@0s key=a")
	if got := weigh("send 1000@0s key="+long) - short; got < 4000 || got > 100_000 {
		t.Errorf("a long key takes %d bytes more", got)
	}
	var many []string
	for i := range 500 {
		many = append(many, "hit key="+long+string(rune('a'+i%26))+strings.Repeat("b", i/26))
	}
	if got := weigh(many...); got < 2*500*4000 {
		t.Errorf("500 long keys take %d bytes", got)
	}
	stream := weigh("stream 2/s key="+long, "send 9@0s", "send 9@1s", "send 9@2s")
	if stream > short+1_000_000 {
		t.Errorf("two keys in turn take %d bytes", stream)
	}
}
