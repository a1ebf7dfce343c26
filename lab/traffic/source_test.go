package traffic_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// drain takes all that is left.
func drain(t *rapid.T, s *traffic.Source) []lab.Request {
	var rest []lab.Request
	for left := s.Left(); ; left-- {
		if s.Left() != left {
			t.Fatalf("Left = %d, want %d", s.Left(), left)
		}
		r, ok := s.Peek()
		if !ok {
			if left != 0 {
				t.Fatalf("%d are left at the end", left)
			}
			return rest
		}
		rest = append(rest, r)
		s.Take()
	}
}

func TestSourceGivesTheRequestsFromAnyPlace(t *testing.T) {
	sent := parse(t, "3@1s every 1s x2 every 9s; 3/s 0s..5s key=a; ramp 5/s..0/s 0s..9s; random 4/s 0s..9s; edge 4 per 1s at 2s; at 0s 7s; trace 1s, 8s key=b")
	want := slices.Collect(sent.Requests(sec))
	rapid.Check(t, func(t *rapid.T) {
		s := traffic.NewSource(sent, sec)
		at := rapid.IntRange(0, len(want)).Draw(t, "taken")
		for range at {
			s.Take()
		}
		c := s.Clone()
		for name, source := range map[string]*traffic.Source{"the source": s, "its copy": c} {
			if got := drain(t, source); !slices.Equal(got, want[at:]) {
				t.Fatalf("%s after %d: got %v, want %v", name, at, got, want[at:])
			}
		}
	})
}
