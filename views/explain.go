package views

import (
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/response"
)

// HeaderLine is a field of a response's header, and what it says in words.
type HeaderLine struct {
	response.Field
	Why string
}

// explainFields says what each field of a response of p tells the client. The
// numbers are those of the fields.
func explainFields(p lab.Policy, fields []response.Field) []HeaderLine {
	lines := make([]HeaderLine, len(fields))
	for i, f := range fields {
		lines[i] = HeaderLine{f, explain(p, f)}
	}
	return lines
}

func explain(p lab.Policy, f response.Field) string {
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
	case response.RetryAfter:
		return "Try again in " + f.Value + space + "s: the exact wait in whole seconds, rounded up."
	case response.CacheControl:
		return "No cache on the way may keep this refusal and give it to others."
	case response.ContentType:
		return "The body says what was wrong, in the form of RFC 9457."
	}
	return ""
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
