package session

import (
	"strings"

	"github.com/burstlab/burstlab/lab/traffic"
)

// Hit is one request at this moment, from the real endpoint: "hit key=ann
// cost=2". It is decided when the command is applied; its number is then
// Decided() − 1.
type Hit struct{ Each traffic.Each }

// hitPattern is the notation of a hit but for its key, cost and service time.
const hitPattern = "1@0s"

func parseHit(args string, offset int) (Command, error) {
	t, err := traffic.Parse(hitPattern + " " + args)
	if err != nil {
		return nil, moved(err, offset-len(hitPattern)-1)
	}
	burst, ok := onlyPattern(t).(traffic.Burst)
	if !ok || burst != (traffic.Burst{Requests: 1, Each: burst.Each}) {
		return nil, commandError(offset, "%.40q does not belong to a hit; expected key=, cost= and service=", args)
	}
	return Hit{burst.Each}, nil
}

func (c Hit) String() string {
	return "hit" + strings.TrimPrefix(traffic.Burst{Requests: 1, Each: c.Each}.String(), hitPattern)
}

func (c Hit) apply(s *State) error {
	return s.decide(c.Each.Request(s.now))
}
