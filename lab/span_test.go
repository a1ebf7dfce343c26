package lab_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
)

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "-0": 0, "1s": time.Second, "1500ms": 1500 * time.Millisecond, "24h": 24 * time.Hour,
		"1h30m": 90 * time.Minute, "-0.25s": -250 * time.Millisecond, "3us4µs5μs": 12 * time.Microsecond,
		"0.0000000000025h": 9, "1.50m": 90 * time.Second, "2562046h": 2562046 * time.Hour, "2562047h": 2562047 * time.Hour,
		"2562047h47m16.854775807s": math.MaxInt64, "9223372036854775807ns": math.MaxInt64, "2562047.75h": 2562047*time.Hour + 45*time.Minute,
	} {
		if got, err := lab.ParseSpan(text); err != nil || got != want {
			t.Errorf("ParseSpan(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":              `"" is not a duration such as 1s, 1500ms or 24h`,
		"-":             `"-" is not a duration such as 1s, 1500ms or 24h`,
		"soon":          `"soon" is not a duration such as 1s, 1500ms or 24h`,
		".5s":           `".5s" is not a duration such as 1s, 1500ms or 24h`,
		"1.s":           `"1.s" is not a duration such as 1s, 1500ms or 24h`,
		"1s ":           `"1s " is not a duration such as 1s, 1500ms or 24h`,
		"+1s":           `"+1s" is not a duration such as 1s, 1500ms or 24h`,
		"5":             `"5" has a number without a unit; expected h, m, s, ms, us or ns`,
		"5s3":           `"5s3" has a number without a unit; expected h, m, s, ms, us or ns`,
		"5d":            `"5d" has a unit that is none of h, m, s, ms, us and ns`,
		"1.5ns":         `"1.5ns" is not a whole number of nanoseconds; expected fewer decimals`,
		"1.0000000001s": `"1.0000000001s" is not a whole number of nanoseconds; expected fewer decimals`,
		"2562048h":      `"2562048h" is out of range; expected at most 2562047h`,
		"2562047.8h":    `"2562047.8h" is out of range; expected at most 2562047h`,
		"2562047h48m":   `"2562047h48m" is out of range; expected at most 2562047h`,
		"2562046h120m":  `"2562046h120m" is out of range; expected at most 2562047h`,
		"99999999999999999999999999999999999999999h": `"9999999999999999999999999999999999999999…" is out of range; expected at most 2562047h`,
	} {
		if _, err := lab.ParseSpan(text); err == nil || err.Error() != want {
			t.Errorf("ParseSpan(%q):\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestParseSpanReadsWhatFormatSpanWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(int64(lab.MinTime), int64(lab.MaxTime)).Draw(t, "d"))
		if got, err := lab.ParseSpan(lab.FormatSpan(d)); err != nil || got != d {
			t.Fatalf("%s became %d, %v", lab.FormatSpan(d), got, err)
		}
	})
}
