package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
	"github.com/burstlab/burstlab/lab/traffic"
)

// TableKind names a table that a run can make.
type TableKind string

// The tables there are.
const (
	Requests  TableKind = "requests"  // each request and what each policy decided
	Seconds   TableKind = "seconds"   // what reached the service in each second
	Summary   TableKind = "summary"   // totals of each policy
	Responses TableKind = "responses" // what the client got for each request
	Memory    TableKind = "memory"    // what each policy keeps per key
)

var tableKinds = map[TableKind]func(*record) Table{
	Requests: requestTable, Seconds: secondTable, Summary: summaryTable, Responses: responseTable, Memory: memoryTable,
}

// Table is rows of text under a heading.
type Table struct {
	Title   string
	Columns []string
	// A row may be shorter than the columns; its last cell may then be as long
	// as it likes.
	Rows [][]string
	// Left is how many columns, from the first, are words and stand to the
	// left; the others are numbers.
	Left int
}

// String lays the table out in columns, under its title.
func (t Table) String() string {
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	t.write(&b)
	return b.String()
}

func (t Table) write(b *strings.Builder) {
	all := t.Rows
	if t.Columns != nil {
		all = append([][]string{t.Columns}, t.Rows...)
	}
	var widths []int
	for _, row := range all {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || len(row) == len(all[0]) {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
			if i > 0 {
				line.WriteString("  ")
			}
			if i < t.Left {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		b.WriteString("  " + strings.TrimRight(line.String(), " ") + "\n")
	}
}

func (r *record) policyNames() []string {
	list := make([]string, len(r.policies))
	for i, p := range r.policies {
		list[i] = p.Name
	}
	return list
}

func requestTable(r *record) Table {
	costs := slices.ContainsFunc(r.requests, func(q lab.Request) bool { return q.Cost != traffic.DefaultCost })
	t := Table{Title: "Every request", Columns: []string{"#", "at (ms)"}}
	if costs {
		t.Columns = append(t.Columns, "cost")
	}
	t.Columns = append(t.Columns, r.policyNames()...)
	for i, req := range r.requests {
		row := []string{fmt.Sprint(i + 1), req.At.Millis()}
		if costs {
			row = append(row, formatCount(req.Cost))
		}
		for lane := range r.policies {
			row = append(row, verdictCell(r.decisions[lane][i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// verdictCell says a decision in a few words.
func verdictCell(d lab.Decision) string {
	switch d.Verdict {
	case lab.Allow:
		return fmt.Sprintf("passed, %d left", d.Remaining)
	case lab.Delay:
		return fmt.Sprintf("leaves at %s ms, %d left", d.Leaves().Millis(), d.Remaining)
	case lab.Refuse:
		return fmt.Sprintf("refused, retry after %d ms", lab.CeilMillis(d.RetryAfter))
	}
	return "never"
}

func secondTable(r *record) Table {
	t := Table{Title: "Requests that reached the service in each second", Columns: append([]string{"second", "sent"}, r.policyNames()...)}
	var columns [][]string
	longest := 0
	for lane := -1; lane < len(r.policies); lane++ {
		column, err := perSecond(r, &Expectation{lane: lane})
		if err != nil {
			panic(err) // perSecond fails on nothing that a run can hold
		}
		columns = append(columns, column)
		longest = max(longest, len(column))
	}
	first := slices.IndexFunc(columns[0], func(sent string) bool { return sent != "0" })
	for s := max(first, 0); s < longest; s++ {
		row := []string{fmt.Sprint(s)}
		for _, c := range columns {
			if s < len(c) {
				row = append(row, c[s])
			} else {
				row = append(row, "0")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func summaryTable(r *record) Table {
	t := Table{
		Title: "Summary", Left: 1,
		Columns: append([]string{""}, r.policyNames()...),
		Rows:    [][]string{{"sent"}, {"served"}, {"refused"}, {"never"}, {"busiest span"}, {"longest wait (ms)"}},
	}
	for lane, p := range r.policies {
		span := p.Per
		if span == 0 {
			span = time.Second
		}
		score := r.score(&Expectation{lane: lane}, span)
		most, _ := score.Busiest()
		for i, cell := range []string{
			formatCount(score.Sent), formatCount(score.Served()), formatCount(score.Refused), formatCount(score.Never),
			fmt.Sprintf("%d in %s", most, lab.FormatSpan(span)), lab.FormatMillis(score.LongestWait()),
		} {
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	return t
}

func responseTable(r *record) Table {
	t := Table{Title: "What the client gets", Columns: []string{"at (ms)", "policy", "response"}, Left: 3}
	for i, req := range r.requests {
		for lane, p := range r.policies {
			resp := response.Of(p, req, r.decisions[lane][i], response.Options{})
			t.Rows = append(t.Rows, []string{req.At.Millis(), p.Name, resp.StatusLine()})
			for _, f := range resp.Fields() {
				t.Rows = append(t.Rows, []string{"", "", f.String()})
			}
		}
	}
	return t
}

func memoryTable(r *record) Table {
	t := Table{
		Title: fmt.Sprintf("State per key: a busy key's numbers, %d bytes each, and what this engine's states took (keys held: %d)", numberBytes, r.keys),
		Left:  1, Columns: []string{"", "numbers", "bytes", "measured bytes"},
	}
	for lane, p := range r.policies {
		numbers, bytes := "varies", "varies"
		if n := numbersKept(p); n > 0 {
			numbers, bytes = formatCount(n), formatCount(n*numberBytes)
		}
		t.Rows = append(t.Rows, []string{p.Name, numbers, bytes, formatCount(r.bytesPerKey(lane))})
	}
	return t
}
