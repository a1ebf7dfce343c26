package views

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/burstlab/burstlab/lab"
)

// FormError says what is wrong with a posted form.
type FormError struct {
	// Field is the field that is wrong; empty when no single one is.
	Field   string
	Message string
}

func (e *FormError) Error() string { return e.Message }

func formError(format string, args ...any) error {
	return &FormError{Message: fmt.Sprintf(format, args...)}
}

// entry is a field of the composer. What it must look like is checked before it
// becomes part of a command, so that a mistake is told in the field's words and
// not in the notation's. The command's own bounds come after.
type entry struct {
	label    string
	pattern  string // a whole match, in the syntax that Go and HTML share
	expected string
	matches  *regexp.Regexp
}

func newEntry(label, pattern, expected string) entry {
	return entry{label, pattern, expected, regexp.MustCompile("^(?:" + pattern + ")$")}
}

const ratePattern = "[0-9]+/[0-9.]*[a-zµμ]+"

const spanPattern = "0|([0-9]+([.][0-9]+)?(ns|us|µs|μs|ms|s|m|h))+"

// entries are the composer's fields by their names.
var entries = map[string]entry{
	"count":   newEntry("Requests", "[0-9]+", "a whole number, such as 14"),
	"gap":     newEntry("One every", spanPattern, "a time, such as 0s or 20ms"),
	"rate":    newEntry("Steady rate", ratePattern, "a rate, such as 4/s"),
	"key":     newEntry("Key", `[^\s]+|".+"`, "a name without spaces, such as ann"),
	"cost":    newEntry("Cost", "[0-9]+", "a whole number, such as 1"),
	"service": newEntry("Service", spanPattern, "a time, such as 500ms"),

	// Those of the patterns.
	"p-count":  newEntry("How many", "[0-9]+", "a whole number, such as 10"),
	"p-gap":    newEntry("One each", spanPattern, "a time, such as 0s or 20ms"),
	"p-rounds": newEntry("Times", "[0-9]+", "a whole number, such as 3"),
	"p-every":  newEntry("Again every", spanPattern, "a time, such as 2s"),
	"p-rate":   newEntry("Rate", ratePattern, "a rate, such as 4/s"),
	"p-last":   newEntry("Up to", ratePattern, "a rate, such as 20/s"),
	"p-for":    newEntry("For", spanPattern, "a time, such as 10s"),
	"p-seed":   newEntry("Seed", "[0-9]+", "a whole number, such as 1"),
	"p-per":    newEntry("Window", spanPattern, "a time, such as 1s"),
	"p-edge":   newEntry("Its edge at", spanPattern, "a time, such as 3s"),
}

// check says what is wrong with what was written.
func (e entry) check(name, text string) error {
	switch {
	case e.matches == nil || e.matches.MatchString(text):
		return nil
	case text == "":
		return &FormError{name, e.label + " is empty; expected " + e.expected}
	}
	return &FormError{name, fmt.Sprintf("%s: %q; expected %s", e.label, lab.Clip(text), e.expected)}
}

// Bounds of a posted form of commands.
const (
	maxCommands      = 8
	maxCommandLength = 64 << 10
	maxFieldName     = 64
)

// Commands turns a posted form into the texts of its commands. Every "command"
// field is a template in which {field} stands for the value of the form's field
// of that name, so that
//
//	command=send {count}@0s every {gap}   count=14   gap=0ms
//
// is "send 14@0s every 0ms". The texts are not parsed here. The error is a
// *[FormError].
func Commands(form url.Values) ([]string, error) {
	templates := form["command"]
	switch {
	case len(templates) == 0:
		return nil, formError("the form has no command; expected the field %q", "command")
	case len(templates) > maxCommands:
		return nil, formError("the form has %d commands; expected at most %d", len(templates), maxCommands)
	}
	var out []string
	for _, t := range templates {
		text, ok, err := fill(t, form)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, formError("the command is longer than %s bytes, which is the most", Count(maxCommandLength))
		}
		out = append(out, text)
	}
	return out, nil
}

// fill replaces the {field} of a template; false when that makes it too long. A
// brace that names no field of the form stays, so JSON in a command passes
// through.
func fill(template string, form url.Values) (text string, ok bool, err error) {
	if len(template) > maxCommandLength {
		return "", false, nil
	}
	var b strings.Builder
	for b.Len() <= maxCommandLength {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		name, _, closed := strings.Cut(template[open+1:min(len(template), open+2+maxFieldName)], "}")
		if !closed || name == "command" || !form.Has(name) {
			b.WriteString(template[:open+1])
			template = template[open+1:]
			continue
		}
		b.WriteString(template[:open])
		value := strings.TrimSpace(form.Get(name))
		if err := entries[name].check(name, value); err != nil {
			return "", false, err
		}
		b.WriteString(value)
		template = template[open+len(name)+2:]
	}
	b.WriteString(template)
	return b.String(), b.Len() <= maxCommandLength, nil
}
