package traffic

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// Rate is Count requests every Per, as an exact ratio.
type Rate struct {
	Count int64
	Per   time.Duration
}

// units are the spans that a rate names by their unit alone.
var units = map[time.Duration]string{
	time.Hour: "h", time.Minute: "m", time.Second: "s",
	time.Millisecond: "ms", time.Microsecond: "µs", time.Nanosecond: "ns",
}

// String writes the rate as the notation does: "15/s", "3/1.5s".
func (r Rate) String() string {
	per, ok := units[r.Per]
	if !ok {
		per = lab.FormatSpan(r.Per)
	}
	return strconv.FormatInt(r.Count, 10) + "/" + per
}

func (r Rate) check(part string, least int64) error {
	switch {
	case r.Count < least || r.Count > lab.MaxCount:
		return partError(part, "%d is out of range; expected a whole number from %d to %s", r.Count, least, lab.FormatCount(lab.MaxCount))
	case r.Per < 1 || r.Per > lab.MaxSpan:
		return partError(part, "%s is out of range; expected a duration from 1ns to %s", lab.FormatSpan(r.Per), lab.FormatSpan(lab.MaxSpan))
	}
	return nil
}

// due is how many requests an even stream at this rate starts within a span:
// the first at its beginning, so it is the ratio rounded up. It saturates.
func (r Rate) due(span time.Duration) int64 {
	return mulDivUp(uint64(span), uint64(r.Count), uint64(r.Per))
}

// after is when request k of an even stream comes, in whole nanoseconds after
// request 0: k × per / count, rounded down.
func (r Rate) after(k int64) time.Duration {
	q, _ := mulDiv(uint64(k), uint64(r.Per), uint64(r.Count))
	return time.Duration(q)
}

// mulDiv is a × b / c and what remains of it; the quotient must fit 64 bits.
func mulDiv(a, b, c uint64) (q, rest uint64) {
	hi, lo := bits.Mul64(a, b)
	return bits.Div64(hi, lo, c)
}

// mulDivUp is a × b / c rounded up, at most [math.MaxInt64].
func mulDivUp(a, b, c uint64) int64 {
	if hi, _ := bits.Mul64(a, b); hi >= c {
		return math.MaxInt64
	}
	q, rest := mulDiv(a, b, c)
	if rest > 0 && q < math.MaxInt64 {
		q++
	}
	return int64(min(q, math.MaxInt64))
}

func checkInterval(from, to lab.Time) error {
	switch {
	case from < lab.MinTime || from > lab.MaxTime:
		return partError(partFrom, "%s", timeOutOfRange(from))
	case to < lab.MinTime || to > lab.MaxTime:
		return partError(partTo, "%s", timeOutOfRange(to))
	case to <= from:
		return partError(partTo, "%s is not after %s; expected an interval's end after its beginning", formatTime(to), formatTime(from))
	}
	return nil
}

func checkTotal(part string, n, most int64) error {
	if n > most {
		return partError(part, "the pattern makes too many requests; expected at most %s", lab.FormatCount(most))
	}
	return nil
}

func formatTime(t lab.Time) string { return lab.FormatSpan(time.Duration(t)) }

func formatInterval(from, to lab.Time) string { return formatTime(from) + ".." + formatTime(to) }

func timeOutOfRange(t lab.Time) string {
	return formatTime(t) + " is out of range; expected a time from " + formatTime(lab.MinTime) + " to " + formatTime(lab.MaxTime)
}
