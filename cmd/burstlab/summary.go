package main

import (
	"fmt"
	"io"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/scenarios"
)

// summary is what a replay comes to.
type summary struct {
	trace       string
	requests    int64
	first, last lab.Time
}

func (s *summary) add(r lab.Request) {
	if s.requests == 0 {
		s.first, s.last = r.At, r.At
	}
	s.first, s.last = min(s.first, r.At), max(s.last, r.At)
	s.requests++
}

// write writes a table with a line for every policy.
func (s *summary) write(out io.Writer, b *bench.Bench) {
	table := scenarios.Table{
		Title:   fmt.Sprintf("%s: %s with %s", s.trace, counted(s.requests, "request"), counted(int64(b.Keys()), "key")),
		Columns: []string{"policy", "sent", "served", "delayed", "refused", "never", "busiest", "longest wait", "p50", "p95", "p99", "state"},
		Left:    1,
	}
	if s.requests > 0 {
		table.Title += fmt.Sprintf(", from %s to %s ms", s.first.Millis(), s.last.Millis())
	}
	bytes := b.Bytes()
	for i, score := range b.Scores() {
		cost, _ := score.Busiest()
		busiest := lab.FormatCount(cost)
		if score.AtLeast() {
			busiest = "≥ " + busiest
		}
		table.Rows = append(table.Rows, []string{
			b.Policies()[i].Name,
			lab.FormatCount(score.Sent), lab.FormatCount(score.Served()), lab.FormatCount(score.Delayed), lab.FormatCount(score.Refused), lab.FormatCount(score.Never),
			busiest + " in " + lab.FormatSpan(score.Span()),
			wait(score.LongestWait()), wait(score.Wait(50)), wait(score.Wait(95)), wait(score.Wait(99)),
			lab.FormatCount(bytes[i]) + " B",
		})
	}
	fmt.Fprintf(out, "%s\nServed includes delayed. Busiest is the most that the service got from one key within any span of that length.\n"+
		"Waits are those of served requests. The keys take %s B more, shared by all policies.\n", table, lab.FormatCount(b.TableBytes()))
}

func wait(d time.Duration) string { return lab.FormatCount(lab.CeilMillis(d)) + " ms" }

// counted is a number of things: "1 key", "2,000 keys".
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return lab.FormatCount(n) + " " + noun
}
