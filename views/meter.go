package views

import (
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Meter is the level of one policy for one key at an instant, as a picture and
// in words. Positions and widths are thousandths of the picture's width.
type Meter struct {
	// Words is the level: "7.3 of 10". Note is what happens next.
	Words string `json:"words"`
	Note  string `json:"note,omitempty"`
	// Fill is the level's width. Under is a second, fainter one behind it: the
	// part of a sliding counter's estimate that the previous window lends.
	Fill  int `json:"fill"`
	Under int `json:"under,omitempty"`
	// Marks are instants: requests that leave the queue, the log or progress.
	Marks []int `json:"marks,omitempty"`
	// Hand is where a window's or the due time's hand stands; -1 for none.
	Hand int `json:"hand"`
	// Window is where the window begins and ends that a first request has
	// begun, in whole microseconds; empty for other policies.
	Window []int64 `json:"window,omitempty"`
}

// noMeter is that of a lane that was not there yet.
var noMeter = Meter{Words: "—", Hand: -1}

const full = 1000 // a whole picture, in thousandths

// MeterOf draws the state s of policy p.
func MeterOf(p lab.Policy, s lab.State) Meter {
	of := Count(s.Of)
	used := share(s.UsedMilli, s.Of*1000)
	m := Meter{Hand: -1}
	m.Fill, m.Under = fillOf(p, s)
	switch p.Algorithm {
	case lab.TokenBucket:
		m.Words = trimmed((s.Of*1000-s.UsedMilli)/100, 10, 1) + " of " + of
		m.Note = until("next in ", s.Reset)
	case lab.LeakyBucket:
		m.Words = Count(s.UsedMilli/1000) + " of " + of
		m.Note = until("free in ", s.Next.Sub(s.At))
	case lab.GCRA:
		due := max(s.Next.Sub(s.At), 0)
		m.Words = "due now"
		if due > 0 {
			m.Words = "due in " + Span(due)
		}
		m.Note = "room for " + Count(s.Remaining)
		m.Hand = used
	case lab.FixedWindow:
		m.Words = Count(s.Count) + " of " + of
		m.Note, m.Hand = window(p, s)
		m.Window = begun(p, s)
	case lab.SlidingLog:
		m.Words = Count(s.UsedMilli/1000) + " of " + of
		m.Note = until("room in ", s.Reset)
		m.Marks = marks(p.Per, s)
	case lab.SlidingCounter:
		m.Words = milli(s.UsedMilli) + " of " + of
		m.Note = Count(s.Previous) + " before + " + Count(s.Count)
		_, m.Hand = window(p, s)
	case lab.Concurrency:
		m.Words = Count(s.UsedMilli/1000) + " of " + of
		m.Note = until("room in ", s.Reset)
	}
	return m
}

// fillOf is the widths of a meter's two levels.
func fillOf(p lab.Policy, s lab.State) (fill, under int) {
	used := share(s.UsedMilli, s.Of*1000)
	switch p.Algorithm {
	case lab.TokenBucket:
		return full - used, 0
	case lab.SlidingCounter:
		return share(s.Count*1000, s.Of*1000), used
	}
	return used, 0
}

func until(words string, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return words + Span(d)
}

// window is the hand of a window and the words for its end.
func window(p lab.Policy, s lab.State) (note string, hand int) {
	if s.WindowEnd <= s.At {
		return "", 0
	}
	return "new in " + Span(s.WindowEnd.Sub(s.At)), share(int64(s.At.Sub(s.WindowStart)), int64(p.Per))
}

// begun is the window that a first request has begun, while there is one.
func begun(p lab.Policy, s lab.State) []int64 {
	if p.Align != lab.AlignFirstRequest || s.Count == 0 {
		return nil
	}
	return []int64{micros(s.WindowStart), micros(s.WindowEnd)}
}

// marks places the log's entries by when they leave: at the left end the next
// one to go, at the right end one that has just come.
func marks(per time.Duration, s lab.State) []int {
	out := make([]int, 0, len(s.Entries))
	for _, leaves := range s.Entries {
		out = append(out, share(int64(leaves.Sub(s.At)), int64(per)))
	}
	return out
}

// share is part of whole in thousandths, held between 0 and 1000.
func share(part, whole int64) int {
	if whole <= 0 || part <= 0 {
		return 0
	}
	if part >= whole {
		return full
	}
	// Numbers this large only lose what no picture can show.
	for part > 1<<52 {
		part, whole = part>>10, whole>>10
	}
	return int(part * full / whole)
}
