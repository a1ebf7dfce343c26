package views

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
)

// space is a no-break space: it stands between a number and its unit.
const space = "\u00a0"

// Count writes a whole number with its thousands apart: "12,345".
func Count(n int64) string {
	return strings.Replace(lab.FormatCount(n), "-", "−", 1)
}

// sentence begins a text with a capital and ends it with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// Plural is a count with its noun: "1 request", "2 requests".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1" + space + one
	}
	return Count(n) + space + many
}

// TrafficWords says how many requests a traffic has, and when they come after it
// is sent: "14 requests at 0 s", "12 requests from 0 ms to 2.75 s".
func TrafficWords(t traffic.Traffic) string {
	n := t.Count()
	if n == 0 {
		return "no requests"
	}
	first, last := t.Span()
	words := Plural(n, "request", "requests")
	if first == last {
		return words + " at " + Span(first.Sub(0))
	}
	return words + " from " + Span(first.Sub(0)) + " to " + Span(last.Sub(0))
}

// Span writes a wait or a length of time for a person: whole milliseconds under
// a second, milliseconds up to ten seconds, then coarser; finer than a
// millisecond only where there is less than one. It rounds up, so that nobody
// who waits that long comes too early.
func Span(d time.Duration) string {
	if d < 0 {
		return "−" + Span(-d)
	}
	ms := lab.CeilMillis(d)
	switch {
	case d > 0 && d < time.Microsecond:
		return Count(int64(d)) + space + "ns"
	case d > 0 && d < time.Millisecond:
		return Count(ceil(int64(d), 1000)) + space + "µs"
	case ms < 1000:
		return Count(ms) + space + "ms"
	case ms < 10_000:
		return trimmed(ms, 1000, 3) + space + "s"
	case ms < 60_000:
		return trimmed(ceil(ms, 100), 10, 1) + space + "s"
	}
	s := lab.CeilSeconds(d)
	switch {
	case s < 3600:
		return parts(s/60, "min", s%60, "s")
	case s < 86_400:
		m := ceil(s, 60)
		return parts(m/60, "h", m%60, "min")
	}
	h := ceil(s, 3600)
	return parts(h/24, "d", h%24, "h")
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

func parts(a int64, unit string, b int64, small string) string {
	if b == 0 {
		return Count(a) + space + unit
	}
	return Count(a) + space + unit + " " + Count(b) + space + small
}

// trimmed is n/unit with at most places decimals and no zeros at the end; unit
// is 10 to the power of places.
func trimmed(n, unit int64, places int) string {
	s := Count(n / unit)
	if r := n % unit; r != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%0*d", places, r), "0")
	}
	return s
}

// Clock writes an instant of lab time as minutes, seconds and milliseconds:
// "00:12.340"; hours stand before them when there are any. It rounds down, as a
// clock does.
func Clock(t lab.Time) string {
	ms, sign := int64(t)/int64(time.Millisecond), ""
	if ms < 0 {
		ms, sign = -ms, "−"
	}
	h, m, s := ms/3_600_000, ms/60_000%60, ms/1000%60
	if h > 0 {
		return fmt.Sprintf("%s%d:%02d:%02d.%03d", sign, h, m, s, ms%1000)
	}
	return fmt.Sprintf("%s%02d:%02d.%03d", sign, m, s, ms%1000)
}

// milli writes a number of thousandths: 7300 is "7.3".
func milli(n int64) string { return trimmed(n, 1000, 3) }

// bytes writes a size in memory.
func bytes(n int64) string {
	switch {
	case n < 10_000:
		return Count(n) + space + "B"
	case n < 10_000_000:
		return trimmed(n/100, 10, 1) + space + "kB"
	}
	return trimmed(n/100_000, 10, 1) + space + "MB"
}

// decimals writes x with at most places decimals. A value that needs more is
// cut towards zero and ends in "…", so that it never looks like the exact
// number beside it.
func decimals(x *big.Rat, places int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	sign := ""
	if x.Sign() < 0 {
		sign = "−"
		whole.Neg(whole)
	}
	units, frac := new(big.Int).QuoRem(whole, scale, new(big.Int))
	s := sign + lab.GroupDigits(units.String())
	if rest.Sign() != 0 {
		return s + "." + fmt.Sprintf("%0*d", places, frac) + "…"
	}
	if frac.Sign() != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%0*d", places, frac), "0")
	}
	return s
}

// algorithmWords are the names that people use.
var algorithmWords = map[lab.Algorithm]string{
	lab.TokenBucket:    "Token bucket",
	lab.LeakyBucket:    "Leaky bucket",
	lab.GCRA:           "GCRA",
	lab.FixedWindow:    "Fixed window",
	lab.SlidingLog:     "Sliding log",
	lab.SlidingCounter: "Sliding counter",
	lab.Concurrency:    "In progress",
}

// AlgorithmWord is the name of an algorithm as people say it.
func AlgorithmWord(a lab.Algorithm) string {
	if w, ok := algorithmWords[a]; ok {
		return w
	}
	return string(a)
}

// plainNames are names of policies that say no more than the algorithm does.
var plainNames = map[lab.Algorithm]string{
	lab.TokenBucket: "token", lab.LeakyBucket: "leaky", lab.GCRA: "gcra", lab.FixedWindow: "fixed",
	lab.SlidingLog: "log", lab.SlidingCounter: "counter", lab.Concurrency: "in-progress",
}

// Title is how a policy is called on screen: by its algorithm when its name
// says no more than that, else by its own name. Two policies never have the same
// title, as they never have the same name.
func Title(p lab.Policy) string {
	switch number, numbered := strings.CutPrefix(p.Name, plainNames[p.Algorithm]+"-"); {
	case p.Name == plainNames[p.Algorithm]:
		return AlgorithmWord(p.Algorithm)
	case numbered && isNumber(number):
		return AlgorithmWord(p.Algorithm) + " " + number
	}
	return p.Name
}

// isNumber says whether s is a whole number from 2, as a person writes it.
func isNumber(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 2 && strconv.Itoa(n) == s
}

// rate is the steady rate of a policy: "1 per 100 ms", or "7 per 1 s" where one
// request takes no whole number of nanoseconds.
func rate(p lab.Policy) string {
	if p.Limit != 1 && gap(p) > 0 {
		return "1 per " + exact(gap(p))
	}
	return Count(p.Limit) + " per " + exact(p.Per)
}

// Summary says in a few words what a policy lets through; [Sentence] says all.
func Summary(p lab.Policy) string {
	switch p.Algorithm {
	case lab.TokenBucket:
		if p.Initial == lab.InitialEmpty {
			return "starts empty, " + rate(p) + ", up to " + Count(p.Burst)
		}
		return Count(p.Burst) + " at once, then " + rate(p)
	case lab.GCRA:
		return Count(p.Burst) + " at once, then " + rate(p)
	case lab.LeakyBucket:
		s := "leaks " + rate(p) + ", holds " + Count(p.Queue)
		if p.First == lab.FirstAfterGap {
			s += ", first after a gap"
		}
		return s
	case lab.FixedWindow:
		s := Count(p.Limit) + " in each " + exact(p.Per) + " window"
		if p.Align == lab.AlignFirstRequest {
			s += ", from a first request"
		}
		return s
	case lab.SlidingLog:
		return Count(p.Limit) + " in any " + exact(p.Per)
	case lab.SlidingCounter:
		return "about " + Count(p.Limit) + " in any " + exact(p.Per)
	case lab.Concurrency:
		return Count(p.Limit) + " in progress at once"
	}
	return ""
}

// levels says whose levels the meters show.
func levels(key string) string { return "levels of key " + key }

// undecided tells of requests that no lane decided.
func undecided(n int64) string {
	if n == 0 {
		return ""
	}
	return Plural(n, "request was", "requests were") + " not decided: the room holds as many keys and entries as it can"
}

// verdictWords are what the page calls a verdict; never "blocked" or "dropped".
var verdictWords = [...]string{lab.Allow: "passed", lab.Delay: "delayed", lab.Refuse: "refused", lab.Never: "never"}

// VerdictWord is what the page calls a verdict.
func VerdictWord(v lab.Verdict) string { return verdictWords[v] }

// Outcome is a decision in a few words: "passed", "+640 ms", "refused", "never".
func Outcome(d lab.Decision) string {
	if d.Verdict == lab.Delay {
		return "+" + Span(d.Wait)
	}
	return VerdictWord(d.Verdict)
}
