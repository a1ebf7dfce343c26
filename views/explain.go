package views

import (
	"strconv"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

// HeaderLine is a field of a response's header, and what it says in words.
type HeaderLine struct {
	response.Field
	Why string
	// In has a bit for each dialect that has the field; see [HeaderLine.dialects].
	In uint8
}

// dialects are those that have the field, their words apart by spaces; empty when
// all have it.
func (l HeaderLine) dialects() string {
	var in []string
	for _, d := range response.Dialects {
		if l.In&(1<<d) != 0 {
			in = append(in, d.String())
		}
	}
	if len(in) == len(response.Dialects) {
		return ""
	}
	return strings.Join(in, " ")
}

// dialectWords are what the page calls a dialect.
var dialectWords = [...]string{response.IETF: "IETF draft", response.Seconds: "Seconds left", response.Epoch: "Epoch"}

// explainFields says what each field of a response of p tells the client. The
// numbers are those of the fields.
func explainFields(p lab.Policy, fields []response.Field, dialect response.Dialect) []HeaderLine {
	lines := make([]HeaderLine, len(fields))
	for i, f := range fields {
		lines[i] = HeaderLine{Field: f, Why: explain(p, f, dialect)}
	}
	return lines
}

func explain(p lab.Policy, f response.Field, dialect response.Dialect) string {
	switch f.Name {
	case response.RateLimitPolicy:
		if p.Algorithm == lab.Concurrency {
			return "The quota (q): " + parameter(f.Value, "q") + " requests in progress at once (qu)."
		}
		why := "The quota (q): " + parameter(f.Value, "q") + " requests"
		if w := parameter(f.Value, "w"); w != "" {
			switch p.Algorithm {
			case lab.FixedWindow, lab.SlidingLog, lab.SlidingCounter:
				why += " in " + w + space + "s (w)"
			default:
				why += ", all of which come back in " + w + space + "s (w)"
			}
		}
		return why + "."
	case response.RateLimit:
		why := parameter(f.Value, "r") + " more would pass now (r)."
		if t := parameter(f.Value, "t"); t != "" {
			return why + " There is room for one more in " + t + space + "s (t), in whole seconds, rounded up."
		}
		return why
	case response.XLimit:
		if p.Algorithm == lab.Concurrency {
			return "The quota: " + f.Value + " requests in progress at once."
		}
		return "The quota: " + f.Value + " requests. Over what time is not said."
	case response.XRemaining:
		return f.Value + " more would pass now."
	case response.XReset:
		if dialect == response.Epoch {
			return "There is room for one more at " + unix(f.Value) + ": whole seconds since 1970, rounded up. GitHub counts like this."
		}
		return "There is room for one more in " + f.Value + space + "s: whole seconds left, rounded up. Who takes it for seconds since 1970 comes at once."
	case response.RetryAfter:
		return "Try again in " + f.Value + space + "s: the exact wait in whole seconds, rounded up."
	case response.CacheControl:
		return "No cache on the way may keep this refusal and give it to others."
	case response.ContentType:
		return "The body says what was wrong, in the form of RFC 9457."
	}
	return ""
}

// unix writes whole seconds since the Unix epoch as a date and a time of day.
func unix(seconds string) string {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return seconds
	}
	return time.Unix(n, 0).UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// parameter is the value of a parameter of a structured field's only item, or "".
func parameter(field, name string) string {
	// The item itself, a quoted name, may look like anything.
	end := 1
	for end < len(field) && field[end] != '"' {
		if field[end] == '\\' {
			end++
		}
		end++
	}
	_, value, found := strings.Cut(field[min(end, len(field)):], ";"+name+"=")
	if !found {
		return ""
	}
	value, _, _ = strings.Cut(value, ";")
	return value
}
