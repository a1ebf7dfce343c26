package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// earliest says when the request passes or would have passed, to the nanosecond;
// of one that never passes, why, and what would have to change.
func earliest(p lab.Policy, r lab.Request, d lab.Decision) string {
	switch d.Verdict {
	case lab.Allow:
		return "Passed at once."
	case lab.Delay:
		return "Waits " + precise(d.Wait) + ", leaves at " + exactClock(d.Leaves()) + "."
	case lab.Refuse:
		// Its own clock may have been behind: the wait is the client's.
		at := d.At.Add(d.RetryAfter)
		return "Would have passed at " + exactClock(at) + ", " + precise(at.Sub(r.At)) + " later."
	}
	most, cost := Count(p.Most()), Count(r.Cost)
	return "Costs " + cost + "; at most " + most + " can ever pass at once, whatever the wait. A " + string(largest(p)) + " of " + cost +
		" or more would let it pass, or a cost of " + most + " or less."
}

// largest is the field of p that bounds what can pass at once.
func largest(p lab.Policy) lab.Field {
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		return lab.FieldBurst
	case lab.LeakyBucket:
		return lab.FieldQueue
	}
	return lab.FieldLimit
}

// exactClock writes an instant of lab time exactly: as a clock does, and with three
// or six more decimals where it is no whole millisecond.
func exactClock(t lab.Time) string {
	below := int64(t) % int64(time.Millisecond)
	switch {
	case t < 0:
		return "−" + exactClock(-t)
	case below == 0:
		return Clock(t)
	case below%1000 == 0:
		return Clock(t) + fmt.Sprintf("%03d", below/1000)
	}
	return Clock(t) + fmt.Sprintf("%06d", below)
}

// precise writes a wait to the nanosecond up to a minute: "1 ns", "142.857143 ms",
// "12.345 s". A longer one is told in whole seconds, rounded up.
func precise(d time.Duration) string {
	n := int64(d)
	switch {
	case n < 0:
		return "−" + precise(-d)
	case n == 0:
		return "0" + space + "ms"
	case d < time.Microsecond:
		return Count(n) + space + "ns"
	case d < time.Millisecond:
		return trimmed(n, 1000, 3) + space + "µs"
	case d < time.Second:
		return trimmed(n, 1_000_000, 6) + space + "ms"
	case d < time.Minute:
		return trimmed(n, 1_000_000_000, 9) + space + "s"
	}
	s := lab.CeilSeconds(d)
	var out []string
	for _, u := range []struct {
		seconds int64
		name    string
	}{{86_400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}} {
		if q := s / u.seconds; q > 0 {
			out = append(out, Count(q)+space+u.name)
		}
		s %= u.seconds
	}
	return strings.Join(out, " ")
}
