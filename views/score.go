package views

import (
	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// Score is a lane's row of the score table. Its cells stand in the order of
// [scoreColumns].
type Score struct {
	Cells []string `json:"c"`
	// Over says that the busiest span got more than the policy declares, as
	// can happen at a window's edge.
	Over bool `json:"over,omitempty"`
}

// column is one of the score table's.
type column struct {
	Name  string // in the page's hooks
	Title string
	Note  string // what it counts, in a sentence
}

var scoreColumns = []column{
	{"sent", "Sent", "Requests that this policy has decided."},
	{"served", "Served", "Requests that passed, at once or later."},
	{"refused", "Refused", "Requests that were turned away and may come again."},
	{"never", "Never", "Requests that cost more than the policy can ever pass."},
	{"busiest", "Busiest span", "The most that one key got through in any span of that length. ≥ where the room could not keep that many."},
	{"promised", "Promised", "The most that the declared numbers let one expect in that span. What the policy can let through at worst stands in its sentence, at its limits."},
	{"p50", "Wait p50", "Half of the served requests waited no longer than this."},
	{"p95", "p95", "95 of 100 served requests waited no longer than this."},
	{"longest", "Longest", "The longest wait of a served request."},
	{"told", "Retry after", "The shortest and the longest wait that refused requests were told, as in their Retry-After: whole seconds, rounded up."},
	{"state", "State", "Memory that the policy's states take, all keys together."},
}

// ScoreOf is the row of a lane: what policy p did, and the memory that its
// states take.
func ScoreOf(p lab.Policy, s *bench.Score, size int64) Score {
	busiest, _ := s.Busiest()
	got := Count(busiest)
	if s.AtLeast() {
		got = "≥ " + got
	}
	most, bounded := promise(p)
	row := Score{Over: bounded && busiest > most}
	promised := "—"
	if bounded {
		promised = Count(most)
	}
	row.Cells = []string{
		Count(s.Sent), Count(s.Served()), Count(s.Refused), Count(s.Never),
		got + " in " + Span(s.Span()), promised,
		Span(s.Wait(50)), Span(s.Wait(95)), Span(s.LongestWait()),
		retry(s), bytes(size),
	}
	return row
}

// noScore is the row of a lane that was not there yet.
func noScore() Score {
	cells := make([]string, len(scoreColumns))
	for i := range cells {
		cells[i] = "—"
	}
	return Score{Cells: cells}
}

// retry is the range of Retry-After that refused requests were told: "1 s",
// "1–4 s", and a dash when none was refused.
func retry(s *bench.Score) string {
	shortest, longest := s.RetryAfter()
	if longest == 0 {
		return "—"
	}
	from, to := Count(lab.CeilSeconds(shortest)), Count(lab.CeilSeconds(longest))
	if from != to {
		from += "–" + to
	}
	return from + space + "s"
}

// promise is the most that the numbers of p lead one to expect from one key in
// any span of per: what the bucket holds and what flows in meanwhile, or the
// limit itself. A policy on what is in progress promises nothing about a span.
// It is what somebody expects who reads the numbers; [guarantee] is what they are
// worth.
func promise(p lab.Policy) (most int64, bounded bool) {
	switch p.Algorithm {
	case lab.TokenBucket, lab.GCRA:
		return p.Burst + p.Limit, true
	case lab.Concurrency:
		return 0, false
	}
	return p.Limit, true
}
