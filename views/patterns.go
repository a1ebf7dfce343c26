package views

import "strings"

// patternKind is a pattern that the composer makes from a few fields.
type patternKind struct {
	Name, Title string
	// Template is the pattern in the notation, with {field} for the fields.
	Template string
}

var patternKinds = []patternKind{
	{"repeat", "Burst, repeated", "{p-count}@0s every {p-gap} x{p-rounds} every {p-every}"},
	{"steady", "Steady", "{p-rate} 0s..{p-for}"},
	{"ramp", "Ramp", "ramp {p-rate}..{p-last} 0s..{p-for}"},
	{"random", "Random, with a seed", "random {p-rate} 0s..{p-for} seed={p-seed}"},
	{"edge", "Edge of a window", "edge {p-count} per {p-per} at {p-edge}"},
}

// command is the command that sends the pattern.
func (k patternKind) command() string { return "send " + k.Template }

// patternFields are the fields of all kinds, in the order of the page, and
// patternUsual is what stands in them at first.
var (
	patternFields = []string{"p-count", "p-gap", "p-rounds", "p-every", "p-rate", "p-last", "p-for", "p-seed", "p-per", "p-edge"}
	patternUsual  = map[string]string{
		"p-count": "10", "p-gap": "0s", "p-rounds": "3", "p-every": "2s", "p-rate": "4/s", "p-last": "20/s",
		"p-for": "10s", "p-seed": "1", "p-per": "1s", "p-edge": "3s",
	}
)

// patternClasses are the kinds that have a field, for the style sheet, which
// hides it in the others.
func patternClasses(field string) string {
	var classes []string
	for _, k := range patternKinds {
		if strings.Contains(k.Template, "{"+field+"}") {
			classes = append(classes, "for-"+k.Name)
		}
	}
	return strings.Join(classes, " ")
}

// pattern is the message for a field of the patterns, or "".
func (p *Problem) pattern() string {
	if p == nil || !strings.HasPrefix(p.Field, "p-") {
		return ""
	}
	return p.Message
}

// patternsOpen says whether a refused form was that of the patterns.
func (p *Problem) patternsOpen() bool { return p != nil && p.Form.Has("kind") }
