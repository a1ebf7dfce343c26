package web

import (
	"bytes"
	"strconv"

	"github.com/burstlab/burstlab/lab"
)

// writeDecision writes one line as `burstlab replay` prints it.
func writeDecision(b *bytes.Buffer, i uint64, p lab.Policy, d lab.Decision) {
	b.WriteString(`{"i":` + strconv.FormatUint(i, 10))
	b.WriteString(`,"policy":` + strconv.Quote(p.Name))
	b.WriteString(`,"decision":"` + d.Verdict.String() + `"`)
	b.WriteString(`,"wait_ms":` + strconv.FormatInt(lab.CeilMillis(d.Wait), 10))
	b.WriteString(`,"remaining":` + strconv.FormatInt(d.Remaining, 10))
	if d.Verdict != lab.Never {
		b.WriteString(`,"retry_after_ms":` + strconv.FormatInt(lab.CeilMillis(d.RetryAfter), 10))
	}
	b.WriteString(`,"reset_ms":` + strconv.FormatInt(lab.CeilMillis(d.Reset), 10) + "}\n")
}
