package scenarios

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Sent is what a scenario sends: traffic in the notation, a lesson's trace, or
// nothing.
type Sent struct {
	// Notation is the traffic as the scenario writes it down; empty for a trace.
	Notation string
	// Trace names a lesson's trace with its seed, such as "bursty seed 7".
	Trace string
	// Keys is how many keys send it: when not 0, each request is sent once by
	// each of as many keys.
	Keys int

	traffic traffic.Traffic
}

// maxSentKeys bounds Sent.Keys.
const maxSentKeys = 10_000

func readSent(notation, trace string, keys int) (Sent, error) {
	s := Sent{Notation: strings.TrimSpace(notation), Trace: trace, Keys: keys}
	switch {
	case notation != "" && trace != "":
		return Sent{}, errors.New("expected traffic or a trace, not both")
	case keys < 0 || keys > maxSentKeys || keys > 0 && notation == "":
		return Sent{}, fmt.Errorf("keys: expected 1 to %d keys that send the traffic", maxSentKeys)
	case trace != "":
		var err error
		s.traffic, err = readTrace(trace)
		return s, err
	}
	var err error
	if s.traffic, err = traffic.Parse(s.Notation); err != nil {
		return Sent{}, fmt.Errorf("traffic: %w", err)
	}
	return s, nil
}

// String says what is sent, in a line: the notation, or the trace's name.
func (s Sent) String() string {
	switch {
	case s.Keys > 0:
		return fmt.Sprintf("%s, by each of %d keys", s.Notation, s.Keys)
	case s.Notation != "":
		return s.Notation
	case s.Trace != "":
		return "the trace " + s.Trace
	}
	return ""
}

// Preset is a notation that sends the same, for whoever wants to send it again;
// there is none when it would be too long, or when many keys send.
func (s Sent) Preset() (notation string, ok bool) {
	if s.Keys > 0 {
		return "", false
	}
	notation = s.Notation
	if notation == "" {
		notation = s.traffic.String()
	}
	return notation, notation != "" && len(notation) <= traffic.MaxNotation
}

// Count is how many requests are sent.
func (s Sent) Count() int64 { return s.traffic.Count() * int64(max(s.Keys, 1)) }

// Requests are all requests, in time order.
func (s Sent) Requests() iter.Seq[lab.Request] {
	all := s.traffic.Requests(0)
	if s.Keys == 0 {
		return all
	}
	return func(yield func(lab.Request) bool) {
		for r := range all {
			for k := range s.Keys {
				r.Key = "key-" + strconv.Itoa(k+1)
				if !yield(r) {
					return
				}
			}
		}
	}
}
