package lab

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is an instant: whole nanoseconds since time zero of the trace's clock.
// For real traffic time zero is the Unix epoch (UTC); for a session it is the
// session's start. Differences are [time.Duration].
type Time int64

// The instants and durations that the engine holds. The bounds leave room for
// every sum that a decision needs: no addition of an instant and a wait can
// overflow 63 bits.
const (
	MaxTime Time = 1<<62 - 1 // the year 2116 on a Unix clock
	MinTime Time = -MaxTime

	// MaxSpan bounds every duration of a policy or a request: per, service
	// time, and the time that a full bucket or queue takes to recover.
	MaxSpan = 50 * 365 * 24 * time.Hour
)

// Add returns t moved by d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns how long t is after u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Millis writes t in milliseconds, exactly, with as few decimals as it needs.
func (t Time) Millis() string { return FormatMillis(time.Duration(t)) }

// FormatMillis writes d in milliseconds, exactly, with as few decimals as it
// needs: 1500000 ns is "1.5".
func FormatMillis(d time.Duration) string {
	const ms = uint64(time.Millisecond)
	sign, u := "", uint64(d)
	if d < 0 {
		sign, u = "-", -u
	}
	whole, frac := u/ms, u%ms
	s := sign + strconv.FormatUint(whole, 10)
	if frac == 0 {
		return s
	}
	return s + "." + strings.TrimRight(fmt.Sprintf("%06d", frac), "0")
}

// ErrOutOfRange is in the errors of [ParseMillis] and [ParseSpan] when what they
// read is a time, but a longer one than they can return.
var ErrOutOfRange = errors.New("out of range")

// ParseMillis reads a decimal number of milliseconds with at most six decimals
// (whole nanoseconds): "-12", "3.000001".
func ParseMillis(s string) (time.Duration, error) {
	digits, neg := strings.CutPrefix(s, "-")
	whole, frac, point := strings.Cut(digits, ".")
	if whole == "" || !allDigits(whole) || !allDigits(frac) || (point && frac == "") {
		return 0, fmt.Errorf("%q is not a decimal number of milliseconds", s)
	}
	if len(frac) > 6 {
		return 0, fmt.Errorf("%q has more than six decimals: time is kept in whole nanoseconds", s)
	}
	ms, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || ms > math.MaxInt64/int64(time.Millisecond)-1 {
		return 0, fmt.Errorf("%q is %w: at most %s ms", s, ErrOutOfRange, MaxTime.Millis())
	}
	ns, _ := strconv.ParseInt((frac + "000000")[:6], 10, 64)
	ns += ms * int64(time.Millisecond)
	if neg {
		ns = -ns
	}
	return time.Duration(ns), nil
}

func allDigits(s string) bool {
	_, rest := cutDigits(s)
	return rest == ""
}

// CeilMillis is d in whole milliseconds, rounded up: how waits are shown, so
// that nobody who waits that long comes too early.
func CeilMillis(d time.Duration) int64 { return ceilDiv(int64(d), int64(time.Millisecond)) }

// CeilSeconds is d in whole seconds, rounded up, as Retry-After wants it
// (RFC 9110, section 10.2.3).
func CeilSeconds(d time.Duration) int64 { return ceilDiv(int64(d), int64(time.Second)) }

func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// FormatSpan writes a duration as Go reads it, without the empty parts that
// [time.Duration.String] adds: "1m", "24h", "1.5s".
func FormatSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
