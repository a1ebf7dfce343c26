package views

import (
	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Selection is a span of time and what each policy did in it.
type Selection struct {
	// From and To are lab time in whole microseconds; To does not belong to it.
	From, To int64
	// Begins and Ends are the same to read, and Length is how long it is.
	Begins, Ends, Length string
	// Sent says how many requests came in it.
	Sent string
	// Note says that not everything is kept any more; empty otherwise.
	Note  string
	Lanes []Selected
}

// Selected is what one policy did in a span.
type Selected struct {
	Title, Algorithm                      string
	Sent, Served, Delayed, Refused, Never string
	// Busiest is the most that one key got through in any span of the policy's
	// own length, of the requests that came in this one.
	Busiest string
}

// SelectionOf counts the requests that came from one instant on and before
// another.
func SelectionOf(k *session.Kept, from, to lab.Time) Selection {
	s := Selection{
		From: micros(from), To: micros(to), Begins: Clock(from), Ends: Clock(to), Length: Span(to.Sub(from)),
	}
	var most int64
	for n, score := range k.SpanScores(from, to) {
		p := k.Policies()[n]
		busiest, _ := score.Busiest()
		most = max(most, score.Sent)
		s.Lanes = append(s.Lanes, Selected{
			Title: Title(p), Algorithm: string(p.Algorithm),
			Sent: Count(score.Sent), Served: Count(score.Served()), Delayed: Count(score.Delayed),
			Refused: Count(score.Refused), Never: Count(score.Never),
			Busiest: Count(busiest) + " in " + Span(score.Span()),
		})
	}
	s.Sent = Plural(most, "request", "requests")
	if since, lost := k.Since(); lost && from < since {
		s.Note = "What came before " + Clock(since) + " is no longer kept, and not counted."
	}
	return s
}

// seconds writes whole microseconds as the notation does: "1.2s".
func seconds(us int64) string { return lab.FormatSpan(lab.Time(us * 1000).Sub(0)) }
