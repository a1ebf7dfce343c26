package lab

import "strconv"

// AppendLine appends a decision as a line of compact JSON, the form in which
// decisions are printed, fetched and compared to the byte:
//
//	{"i":0,"policy":"api","decision":"allow","wait_ms":0,"remaining":9,"retry_after_ms":0,"reset_ms":100}
//
// I is the request's number from 0. Waits are whole milliseconds, rounded up;
// [Never] has no retry_after_ms. The policy's name is one that Policy.Check lets
// through: of printable ASCII only the quote and the backslash are escaped.
func AppendLine(b []byte, i uint64, policy string, d *Decision) []byte {
	b = append(b, `{"i":`...)
	b = strconv.AppendUint(b, i, 10)
	b = append(b, `,"policy":"`...)
	for _, c := range []byte(policy) {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	b = append(b, `","decision":"`...)
	b = append(b, d.Verdict.String()...)
	b = append(b, `","wait_ms":`...)
	b = strconv.AppendInt(b, CeilMillis(d.Wait), 10)
	b = append(b, `,"remaining":`...)
	b = strconv.AppendInt(b, d.Remaining, 10)
	if d.Verdict != Never {
		b = append(b, `,"retry_after_ms":`...)
		b = strconv.AppendInt(b, CeilMillis(d.RetryAfter), 10)
	}
	b = append(b, `,"reset_ms":`...)
	b = strconv.AppendInt(b, CeilMillis(d.Reset), 10)
	return append(b, "}\n"...)
}
