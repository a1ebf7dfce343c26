package session

import (
	"errors"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Send sends a traffic whose times are relative to the moment at which the
// command is given: "send 14@0s; 4/s 1s..3s".
type Send struct{ Traffic traffic.Traffic }

func parseSend(args string, offset int) (Command, error) {
	t, err := traffic.Parse(args)
	if err != nil {
		return nil, moved(err, offset)
	}
	if t.Count() == 0 {
		return nil, commandError(offset, "nothing to send; expected traffic such as 14@0s")
	}
	if first, _ := t.Span(); first < 0 {
		return nil, commandError(offset, "the first request is %s ms before now; expected times from 0s on", (-first).Millis())
	}
	return Send{t}, nil
}

// moved tells a traffic's mistake by its place in the whole command.
func moved(err error, offset int) error {
	var syntax *traffic.SyntaxError
	if errors.As(err, &syntax) {
		return &CommandError{syntax.Offset + offset, syntax.Message}
	}
	return &CommandError{offset, err.Error()}
}

func (c Send) String() string { return "send " + c.Traffic.String() }

func (c Send) apply(s *State) error {
	n := c.Traffic.Count()
	if left := s.limits.Pending - s.Pending(); n > left {
		return refusal("no room for %s more: %s requests are still to come, and at most %s may be", lab.FormatCount(n), lab.FormatCount(s.Pending()), lab.FormatCount(s.limits.Pending))
	}
	if len(s.sources) == maxSources {
		return refusal("%d sent traffics are still under way; wait until one has ended, or reset", maxSources)
	}
	patterns := len(c.Traffic.Patterns)
	for _, source := range s.sources {
		patterns += source.Patterns()
	}
	if patterns > maxPatterns {
		return refusal("%d patterns would be under way at once; expected at most %d: wait until some have ended, or reset", patterns, maxPatterns)
	}
	_, last := c.Traffic.Span()
	if last > MaxNow-s.now {
		return refusal("the last request would come at %s ms, after the session's end at %s ms", (s.now + last).Millis(), MaxNow.Millis())
	}
	s.sources = append(s.sources, traffic.NewSource(c.Traffic, s.now))
	s.decideDue()
	return nil
}

// maxSources bounds the traffics that are under way at once, and maxPatterns
// the patterns that they have.
const (
	maxSources  = 64
	maxPatterns = 2000
)

// MaxNow is the latest lab time of a session: over 36 years.
const MaxNow lab.Time = 1 << 60
