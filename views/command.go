package views

import (
	"fmt"
	"net/url"
	"strings"
)

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
// is "send 14@0s every 0ms". The texts are not parsed here.
func Commands(form url.Values) ([]string, error) {
	templates := form["command"]
	switch {
	case len(templates) == 0:
		return nil, fmt.Errorf("the form has no command; expected the field %q", "command")
	case len(templates) > maxCommands:
		return nil, fmt.Errorf("the form has %d commands; expected at most %d", len(templates), maxCommands)
	}
	var out []string
	for _, t := range templates {
		text, ok := fill(t, form)
		if !ok {
			return nil, fmt.Errorf("the command is longer than %s bytes, which is the most", Count(maxCommandLength))
		}
		out = append(out, text)
	}
	return out, nil
}

// fill replaces the {field} of a template; false when that makes it too long. A
// brace that names no field of the form stays, so JSON in a command passes
// through.
func fill(template string, form url.Values) (string, bool) {
	if len(template) > maxCommandLength {
		return "", false
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
		b.WriteString(strings.TrimSpace(form.Get(name)))
		template = template[open+len(name)+2:]
	}
	b.WriteString(template)
	return b.String(), b.Len() <= maxCommandLength
}
