package scenarios

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// form is how the values of a kind of expectation are written. A value is
// compared by its text: reading a text in any way that a person may write it
// and writing it again gives the one text that stands for the value, exactly.
type form struct {
	// read turns what a scenario says into the one text.
	read func(string) (string, error)
	// list says that the kind's values are a list of any length; else there is
	// one value.
	list bool
}

var (
	counts   = form{read: readCount}
	numbers  = form{read: readNumber}
	spans    = form{read: readSpan}
	verdicts = form{read: readVerdict, list: true}
	texts    = form{read: readText, list: true}
)

func (f form) many() form { f.list = true; return f }

func readCount(s string) (string, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return "", fmt.Errorf("%q is not a whole number from 0", s)
	}
	return formatCount(n), nil
}

func formatCount(n int64) string { return strconv.FormatInt(n, 10) }

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func parseNumber(s string) (*big.Rat, error) {
	if !decimal.MatchString(s) {
		return nil, fmt.Errorf("%q is not a decimal number", s)
	}
	r, _ := new(big.Rat).SetString(s)
	return r, nil
}

func readNumber(s string) (string, error) {
	r, err := parseNumber(s)
	if err != nil {
		return "", err
	}
	return formatNumber(r), nil
}

// formatNumber writes r exactly: as a decimal where that ends, else as a
// fraction.
func formatNumber(r *big.Rat) string {
	digits, exact := r.FloatPrec()
	if !exact {
		return r.RatString()
	}
	return r.FloatString(digits)
}

func readSpan(s string) (string, error) {
	d, err := lab.ParseSpan(s)
	if err != nil {
		return "", err
	}
	return formatSpan(d), nil
}

func formatSpan(d time.Duration) string { return lab.FormatMillis(d) + " ms" }

func readVerdict(s string) (string, error) {
	var v lab.Verdict
	if err := v.UnmarshalText([]byte(s)); err != nil {
		return "", err
	}
	return v.String(), nil
}

func readText(s string) (string, error) { return s, nil }

// repeated is how often a list may say one value in a row at once.
const repeated = 100_000

// unroll writes out what a list says several times in a row: "10 × allow" is
// allow ten times.
func unroll(list []string) ([]string, error) {
	var out []string
	for _, s := range list {
		n := 1
		if count, value, ok := strings.Cut(s, " × "); ok {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 2 || n > repeated {
				return nil, fmt.Errorf("%q: expected 2 to %d times, such as 10 × allow", s, repeated)
			}
			s = value
		}
		for range n {
			out = append(out, s)
		}
	}
	return out, nil
}

// Roll is the opposite of what a scenario's lists are read with: equal values
// in a row become one, such as "10 × allow".
func Roll(list []string) []string {
	var out []string
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j] == list[i] {
			j++
		}
		if n := j - i; n > 1 {
			out = append(out, fmt.Sprintf("%d × %s", n, list[i]))
		} else {
			out = append(out, list[i])
		}
		i = j
	}
	return out
}
