package web

import (
	"bytes"

	"github.com/burstlab/burstlab/lab"
)

// writeDecision writes one line as `burstlab replay` prints it.
func writeDecision(b *bytes.Buffer, i uint64, p lab.Policy, d lab.Decision) {
	b.Write(lab.AppendLine(b.AvailableBuffer(), i, p.Name, &d))
}
