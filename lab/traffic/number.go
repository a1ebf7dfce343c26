package traffic

import (
	"fmt"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// millis reads a decimal number of milliseconds and says what is wrong with it,
// if anything.
func millis(text []byte) (d time.Duration, problem string) {
	if d, ok := shortMillis(text); ok {
		return d, ""
	}
	const expected = "expected a decimal number of milliseconds with at most six decimals, such as 1500 or 0.25"
	if len(text) == 0 {
		return 0, "nothing stands here; " + expected
	}
	if len(text) > 40 {
		return 0, fmt.Sprintf("%q is too long; %s", lab.Clip(string(text)), expected)
	}
	d, err := lab.ParseMillis(string(text))
	if err != nil {
		return 0, err.Error() + "; " + expected
	}
	return d, ""
}

// shortMillis is lab.ParseMillis for the numbers that rows have, within the
// engine's time. It says false for any other text.
func shortMillis(text []byte) (time.Duration, bool) {
	rest := text
	negative := len(rest) > 0 && rest[0] == '-'
	if negative {
		rest = rest[1:]
	}
	ns, n := leadingDigits(rest)
	if n == 0 || n > 18 || ns >= int64(lab.MaxTime)/int64(time.Millisecond) {
		return 0, false
	}
	rest = rest[n:]
	ns *= int64(time.Millisecond)
	if len(rest) > 0 {
		frac, n := leadingDigits(rest[1:])
		if rest[0] != '.' || n == 0 || n > 6 || n+1 != len(rest) {
			return 0, false
		}
		for ; n < 6; n++ {
			frac *= 10
		}
		ns += frac
	}
	if negative {
		ns = -ns
	}
	return time.Duration(ns), true
}

// wholeNumber reads a whole number of at most 18 digits.
func wholeNumber(text []byte) (int64, bool) {
	v, n := leadingDigits(text)
	return v, n > 0 && n < 19 && n == len(text)
}

// leadingDigits reads the digits that text begins with and how many there are;
// the number means nothing when there are more than 18.
func leadingDigits(text []byte) (v int64, n int) {
	for n < len(text) && isDigit(text[n]) {
		v = v*10 + int64(text[n]-'0')
		n++
	}
	return v, n
}
