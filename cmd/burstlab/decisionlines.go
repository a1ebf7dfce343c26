package main

import (
	"strconv"

	"github.com/burstlab/burstlab/lab"
)

// decisionLines writes decisions as lines of compact JSON, one a policy:
//
//	{"i":0,"policy":"api","decision":"allow","wait_ms":0,"remaining":9,"retry_after_ms":0,"reset_ms":100}
type decisionLines struct {
	i        int64 // of the next request
	policies []string
	buf      []byte // reused
}

func newDecisionLines(policies []lab.Policy) *decisionLines {
	l := &decisionLines{}
	for _, p := range policies {
		// Names are printable ASCII, which Go quotes as JSON does.
		l.policies = append(l.policies, `,"policy":`+strconv.Quote(p.Name)+`,"decision":"`)
	}
	return l
}

// next returns the lines of the next request, in a slice that the call after
// overwrites.
func (l *decisionLines) next(decisions []lab.Decision) []byte {
	b := l.buf[:0]
	for p := range decisions {
		d := &decisions[p]
		b = append(b, `{"i":`...)
		b = strconv.AppendInt(b, l.i, 10)
		b = append(b, l.policies[p]...)
		b = append(b, d.Verdict.String()...)
		b = append(b, `","wait_ms":`...)
		b = strconv.AppendInt(b, lab.CeilMillis(d.Wait), 10)
		b = append(b, `,"remaining":`...)
		b = strconv.AppendInt(b, d.Remaining, 10)
		if d.Verdict != lab.Never {
			b = append(b, `,"retry_after_ms":`...)
			b = strconv.AppendInt(b, lab.CeilMillis(d.RetryAfter), 10)
		}
		b = append(b, `,"reset_ms":`...)
		b = strconv.AppendInt(b, lab.CeilMillis(d.Reset), 10)
		b = append(b, "}\n"...)
	}
	l.i++
	l.buf = b
	return b
}
