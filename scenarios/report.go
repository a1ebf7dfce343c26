package scenarios

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
)

// Report writes a run for a person to read: the words, the policies, what was
// sent, the tables, and every expectation beside what was measured.
func Report(w io.Writer, s Scenario, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n\n", s.Name, s.Title, wrap(s.Words, textWidth))
	setting := Table{Left: 3}
	for _, p := range s.Policies {
		setting.Rows = append(setting.Rows, []string{p.Name, string(p.Algorithm), numbersOf(p)})
	}
	setting.write(&b)
	if sent := s.Sent.String(); sent != "" {
		fmt.Fprintf(&b, "  sent: %s\n", sent)
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s", t)
	}
	b.WriteString("\nExpectations\n")
	writeOutcomes(&b, r.Outcomes)
	_, err := io.WriteString(w, b.String())
	return err
}

// textWidth is the width of running text.
const textWidth = 100

// wrap breaks running text into lines of at most width, where words allow it.
func wrap(text string, width int) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case length+1+n > width:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

// numbersOf writes a policy's fields as they are declared: "limit 5, per 1s,
// burst 10". Options that have their default are left out.
func numbersOf(p lab.Policy) string {
	var parts []string
	for _, f := range p.Algorithm.Fields() {
		switch n, o := p.Count(f), p.Option(f); {
		case n != nil:
			parts = append(parts, fmt.Sprintf("%s %d", f, *n))
		case f == lab.FieldPer:
			parts = append(parts, fmt.Sprintf("%s %s", f, lab.FormatSpan(p.Per)))
		case *o != "" && *o != f.Options()[0]:
			parts = append(parts, fmt.Sprintf("%s %s", f, *o))
		}
	}
	return strings.Join(parts, ", ")
}

// cellWidth is how long a value may be to stand in a column; longer ones get
// lines of their own.
const cellWidth = 28

func writeOutcomes(b *strings.Builder, outcomes []Outcome) {
	t := Table{Left: 4, Rows: [][]string{{"", "", "expected", "measured"}}}
	for _, o := range outcomes {
		mark := "holds"
		if !o.Holds {
			mark = "FAILS"
		}
		expected, measured := o.Is, o.Got
		if o.kind.perRequest || o.kind.state {
			expected, measured = Roll(expected), Roll(measured)
		}
		row := []string{mark, o.Label(), strings.Join(expected, ", "), strings.Join(measured, ", ")}
		if max(utf8.RuneCountInString(row[2]), utf8.RuneCountInString(row[3])) <= cellWidth {
			t.Rows = append(t.Rows, row)
		} else {
			t.Rows = append(t.Rows, row[:2])
			t.Rows = append(t.Rows, longRows("expected", expected)...)
			t.Rows = append(t.Rows, longRows("measured", measured)...)
		}
		if o.Says != "" {
			t.Rows = append(t.Rows, []string{"", "  (" + o.Says + ")"})
		}
	}
	t.write(b)
}

// longRows are values on lines of their own, as many on a line as fit; a
// response keeps its lines.
func longRows(head string, values []string) [][]string {
	text := strings.Join(values, "\n")
	if !strings.HasPrefix(text, "HTTP/") {
		text = wrap(strings.Join(values, ", "), textWidth-30)
	}
	var rows [][]string
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, []string{"", fmt.Sprintf("  %-8s  %s", head, line)})
		head = ""
	}
	return rows
}
