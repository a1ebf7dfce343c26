package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
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
	fmt.Fprintf(out, "%s: %s %s with %s %s", s.trace,
		grouped(s.requests), plural(s.requests, "request"), grouped(int64(b.Keys())), plural(int64(b.Keys()), "key"))
	if s.requests > 0 {
		fmt.Fprintf(out, ", from %s to %s ms", s.first.Millis(), s.last.Millis())
	}
	fmt.Fprint(out, "\n\n")

	table := [][]string{{"policy", "sent", "served", "delayed", "refused", "never", "busiest", "longest wait", "p50", "p95", "p99", "state"}}
	bytes := b.Bytes()
	for i, score := range b.Scores() {
		busiest, _ := score.Busiest()
		table = append(table, []string{
			b.Policies()[i].Name,
			grouped(score.Sent), grouped(score.Served()), grouped(score.Delayed), grouped(score.Refused), grouped(score.Never),
			grouped(busiest) + " in " + lab.FormatSpan(score.Span()),
			wait(score.LongestWait()), wait(score.Wait(50)), wait(score.Wait(95)), wait(score.Wait(99)),
			grouped(bytes[i]) + " B",
		})
	}
	writeTable(out, table)

	fmt.Fprintf(out, "\nServed includes delayed. Busiest is the most that the service got from one key within any span of that length.\n"+
		"Waits are those of served requests. The keys take %s B more, shared by all policies.\n", grouped(b.TableBytes()))
}

func wait(d time.Duration) string { return grouped(lab.CeilMillis(d)) + " ms" }

func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// grouped writes n with a comma between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// writeTable writes rows with their columns aligned: the first to the left, the
// others to the right.
func writeTable(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprint(out, cell+pad)
			} else {
				fmt.Fprint(out, "  "+pad+cell)
			}
		}
		fmt.Fprintln(out)
	}
}
