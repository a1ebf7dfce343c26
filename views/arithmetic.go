package views

import (
	"math/big"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// places is how many decimals a formula shows before it cuts with "…".
const places = 6

// Formula writes why a request got its verdict, with the real numbers in it:
// "previous 10 × 4,995 ms / 10,000 ms + current 5 = 9.995 < 10: allowed".
func Formula(a lab.Arithmetic, v lab.Verdict) string {
	op := a.Op
	if !a.Holds {
		op = opposite(op)
	}
	left, right := side(a.Left, a.Value, true), side(a.Right, a.RightValue, len(a.Right) > 1)
	return left + " " + string(op) + " " + right + ": " + [...]string{
		lab.Allow: "allowed", lab.Delay: "delayed", lab.Refuse: "refused", lab.Never: "never passes",
	}[v]
}

// opposite is the sign that holds when op does not.
func opposite(op lab.Sign) lab.Sign {
	switch op {
	case lab.Less:
		return lab.AtLeast
	case lab.AtMost:
		return ">"
	case lab.AtLeast:
		return lab.Less
	}
	return "not " + op
}

// side writes the terms and, where there is something to add up, their value.
// Factors go without their names, or the line would be too long to read.
func side(terms []lab.Term, value lab.Quantity, named bool) string {
	if len(terms) == 0 {
		return number(value)
	}
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" " + string(t.Sign) + " ")
		}
		if named && t.Name != "" && t.Sign != lab.Times && t.Sign != lab.Over {
			b.WriteString(t.Name + space)
		}
		b.WriteString(number(t.Quantity))
	}
	if len(terms) > 1 {
		b.WriteString(" = " + number(value))
	}
	return b.String()
}

// number writes a quantity's value with its unit where it has one of time.
func number(q lab.Quantity) string {
	if q.Value == nil {
		return "0"
	}
	switch q.Unit {
	case lab.Nanoseconds, lab.Instant:
		ms := new(big.Rat).Quo(q.Value, new(big.Rat).SetInt64(int64(time.Millisecond)))
		return decimals(ms, places) + space + "ms"
	}
	return decimals(q.Value, places)
}

// Consequences says what passing does to the state, one sentence each: "leaves
// at 1,500 ms".
func Consequences(a lab.Arithmetic) []string {
	var out []string
	for _, q := range a.Then {
		out = append(out, q.Name+space+number(q))
	}
	return out
}
