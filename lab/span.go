package lab

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// spanUnits are the units of a duration as Go writes them, longer names first
// where one begins with another.
var spanUnits = []struct {
	name string
	unit time.Duration
}{
	{"ns", time.Nanosecond},
	{"us", time.Microsecond}, {"µs", time.Microsecond}, {"μs", time.Microsecond}, // U+00B5 and U+03BC
	{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour},
}

// ParseSpan reads a duration as Go writes it: "1s", "1500ms", "1h30m", "-0.25s",
// "0". Where [time.ParseDuration] rounds what is finer than a nanosecond,
// ParseSpan refuses it.
func ParseSpan(s string) (time.Duration, error) {
	rest, negative := strings.CutPrefix(s, "-")
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return 0, spanError(s, notSpan)
	}
	var sum time.Duration
	for rest != "" {
		var whole, frac string
		whole, rest = cutDigits(rest)
		if after, ok := strings.CutPrefix(rest, "."); ok {
			frac, rest = cutDigits(after)
			if frac == "" {
				return 0, spanError(s, notSpan)
			}
		}
		if whole == "" {
			return 0, spanError(s, notSpan)
		}
		unit, n := spanUnit(rest)
		if n == 0 {
			if rest == "" || '0' <= rest[0] && rest[0] <= '9' {
				return 0, spanError(s, "has a number without a unit; expected h, m, s, ms, us or ns")
			}
			return 0, spanError(s, "has a unit that is none of h, m, s, ms, us and ns")
		}
		rest = rest[n:]
		part, err := scaleSpan(whole, frac, unit)
		if err != "" {
			return 0, spanError(s, err)
		}
		if part > math.MaxInt64-sum {
			return 0, spanError(s, spanOutOfRange)
		}
		sum += part
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

const (
	notSpan        = "is not a duration such as 1s, 1500ms or 24h"
	spanOutOfRange = "is out of range"
)

func spanError(s, problem string) error {
	if problem == spanOutOfRange {
		return fmt.Errorf("%q is %w; expected at most 2562047h", Clip(s), ErrOutOfRange)
	}
	return fmt.Errorf("%q %s", Clip(s), problem)
}

func spanUnit(s string) (time.Duration, int) {
	for _, u := range spanUnits {
		if strings.HasPrefix(s, u.name) {
			return u.unit, len(u.name)
		}
	}
	return 0, 0
}

// scaleSpan is whole.frac units, exactly.
func scaleSpan(whole, frac string, unit time.Duration) (d time.Duration, problem string) {
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) {
		return 0, spanOutOfRange
	}
	d = time.Duration(n) * unit
	frac = strings.TrimRight(frac, "0")
	if frac == "" {
		return d, ""
	}
	// An hour is 2¹³·3²·5¹¹ ns: no unit has whole nanoseconds beyond the 13th
	// decimal.
	if len(frac) <= 13 {
		f, _ := strconv.ParseUint(frac, 10, 64)
		ten := uint64(1)
		for range frac {
			ten *= 10
		}
		hi, lo := bits.Mul64(f, uint64(unit))
		q, rest := bits.Div64(hi, lo, ten)
		if rest == 0 && time.Duration(q) > math.MaxInt64-d {
			return 0, spanOutOfRange
		}
		if rest == 0 {
			return d + time.Duration(q), ""
		}
	}
	return 0, "is not a whole number of nanoseconds; expected fewer decimals"
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}
