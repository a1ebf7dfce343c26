package views

import (
	"strconv"

	"github.com/burstlab/burstlab/lab"
)

// Row is a request in the table of decisions.
type Row struct {
	Number string
	Time   string
	Key    string
	Cost   string
	// Cells holds what each lane said, in the order of the lanes.
	Cells []Cell
}

// Cell is what one lane said of a request. Verdict is empty when the lane was
// not there yet.
type Cell struct {
	Verdict string
	Words   string
}

// maxRows bounds the table of decisions.
const maxRows = 20

func rowOf(r seen) Row {
	row := Row{
		Number: strconv.FormatUint(r.number, 10),
		Time:   Clock(r.request.At),
		Key:    r.request.Key,
		Cost:   Count(r.request.Cost),
	}
	for _, d := range r.decisions {
		if d == nil {
			row.Cells = append(row.Cells, Cell{})
			continue
		}
		row.Cells = append(row.Cells, cellOf(*d))
	}
	return row
}

func cellOf(d lab.Decision) Cell {
	return Cell{Verdict: d.Verdict.String(), Words: Outcome(d)}
}

// differ says whether the policies' verdicts differ on a request that the page
// shows.
func (w Whole) differ() bool {
	for _, row := range w.Rows {
		for _, c := range row.Cells {
			if c.Verdict != row.Cells[0].Verdict {
				return true
			}
		}
	}
	return false
}
