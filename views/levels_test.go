package views

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// at are the instants of levels in microseconds, and what each lane held.
func (l Levels) at(lanes int) (at []int64, levels [][]int) {
	var now int64
	for i, step := range l.At {
		now += step
		at = append(at, now)
		levels = append(levels, l.Levels[i*lanes:(i+1)*lanes])
	}
	return at, levels
}

// A burst empties the bucket at once, which then fills evenly; the queue fills
// at once and empties one by one.
func TestLevelsFallAndRiseAsTheyDid(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 14@1s")
	l.Advance(session.Stamp(2 * time.Second))
	at, levels := LevelsOf(l.State, 0).at(2)
	if !slices.IsSorted(at) || at[0] != 0 || at[len(at)-1] != 2_000_000 {
		t.Fatalf("instants %v", at)
	}
	jump := slices.Index(at, 1_000_000)
	got := [][]int{levels[0], levels[jump-1], levels[jump], levels[len(at)-1]}
	want := [][]int{{1000, 0}, {1000, 0}, {0, 1000}, {1000, 0}}
	if at[jump-1] != 999_999 {
		t.Errorf("just before the burst comes %d µs", at[jump-1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at the start, before, after, and in the end (-want +got):\n%s", diff)
	}
	for i := jump; i < len(at); i++ {
		// Instants are told in whole microseconds, rounded down.
		if least := int((at[i] - 1_000_000) / 1000); levels[i][0] < least || levels[i][0] > least+1 {
			t.Errorf("%d µs after the burst the bucket is at %d; expected %d", at[i]-1_000_000, levels[i][0], least)
		}
	}
}

func TestLevelsOfANewLaneBeginWithIt(t *testing.T) {
	l := begin(t, budget[:1])
	l.give(t, 0, "send 1@0s; 1@2s")
	l.give(t, time.Second, session.Policies{Policies: []lab.Policy{budget[1], budget[0]}}.String())
	l.Advance(session.Stamp(3 * time.Second))
	at, levels := LevelsOf(l.State, 0).at(2)
	for i := range at {
		if there := levels[i][0] >= 0; there != (at[i] >= 1_000_000) || levels[i][1] < 0 {
			t.Fatalf("at %d µs: %v; the queue came at 1 s, the bucket was there", at[i], levels[i])
		}
	}
}

func TestLevelsAreBounded(t *testing.T) {
	l := begin(t, budget)
	l.give(t, 0, "send 20/s 0s..1h")
	l.give(t, time.Second, "step 3h")
	at, _ := LevelsOf(l.State, 0).at(2)
	if n := len(at); n > levelSteps+2*levelJumps+1 || at[0] < int64(l.Now().Add(-MaxLevelSpan))/1000 {
		t.Errorf("%d instants from %d µs on; now it is %d", n, at[0], l.Now())
	}
}
