package views

import (
	"strconv"

	"github.com/burstlab/burstlab/lab"
)

// Lane is one policy on the page.
type Lane struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Algorithm string `json:"algorithm"`
	Summary   string `json:"summary"`
	// Windows is the length of the windows that begin at whole multiples of it,
	// in nanoseconds; 0 for a policy that has none.
	Windows int64 `json:"windows,omitempty"`
	// Stays is how long a request that has passed stays in the log, in
	// nanoseconds; 0 for a policy that has none, and -1 for one in which it stays
	// for its own service time.
	Stays int64 `json:"stays,omitempty"`
	// Full is the level in thousandths at which requests are refused: that of a
	// full queue or a limit that is reached, or of an empty bucket.
	Full int `json:"full"`

	// Sentence says what Summary does, and the most that gets through.
	Sentence string     `json:"-"`
	Policy   lab.Policy `json:"-"`
	// Slots is how many equal parts the meter is divided into; 0 when they
	// would be too thin to see.
	Slots int `json:"-"`
	// Strip is the newest verdicts as marks, for a page without script.
	Strip []Run `json:"-"`
}

// Run is marks of one verdict that follow each other.
type Run struct{ Verdict, Marks string }

// strip writes verdicts as marks; nil is a request that the lane has not seen.
func strip(decisions []*lab.Decision) (runs []Run) {
	for _, d := range decisions {
		if d == nil {
			continue
		}
		verdict := d.Verdict.String()
		if len(runs) == 0 || runs[len(runs)-1].Verdict != verdict {
			runs = append(runs, Run{Verdict: verdict})
		}
		runs[len(runs)-1].Marks += stripMarks[d.Verdict]
	}
	return runs
}

const (
	maxSlots = 24 // parts of a meter that can still be told apart
	maxStrip = 40 // marks in a lane without script
)

func laneOf(p lab.Policy) Lane {
	l := Lane{Name: p.Name, Title: Title(p), Algorithm: string(p.Algorithm), Summary: Summary(p), Sentence: Sentence(p), Policy: p, Full: full}
	switch p.Algorithm {
	case lab.TokenBucket:
		l.Full = 0
	case lab.SlidingLog:
		l.Stays = int64(p.Per)
	case lab.Concurrency:
		l.Stays = -1
	case lab.SlidingCounter:
		l.Windows = int64(p.Per)
	case lab.FixedWindow:
		if p.Align != lab.AlignFirstRequest {
			l.Windows = int64(p.Per)
		}
	}
	if most := p.Most(); most <= maxSlots && p.Algorithm != lab.SlidingLog && p.Algorithm != lab.GCRA {
		l.Slots = int(most)
	}
	return l
}

// stripMarks are the marks of the verdicts in plain text.
var stripMarks = [...]string{lab.Allow: "●", lab.Delay: "○", lab.Refuse: "×", lab.Never: "▨"}

// cuts draws the lines between a meter's slots, as an SVG path.
func (l Lane) cuts() string {
	d := ""
	for i := 1; i < l.Slots; i++ {
		d += "M" + strconv.Itoa(i*full/l.Slots) + " 0V20"
	}
	return d
}

// path draws a meter's marks, as an SVG path.
func (m Meter) path() string {
	d := ""
	for _, x := range m.Marks {
		d += "M" + strconv.Itoa(x) + " 2V18"
	}
	return d
}

// hand draws the meter's hand, as an SVG path; empty when it has none.
func (m Meter) hand() string {
	if m.Hand < 0 {
		return ""
	}
	return "M" + strconv.Itoa(m.Hand) + " 0V20"
}

// field is an input of a policy's form.
type field struct {
	Name    lab.Field
	Label   string
	Value   string
	Options []string
	Error   string
}

var fieldLabels = map[lab.Field]string{
	lab.FieldName:      "Name",
	lab.FieldAlgorithm: "Algorithm",
	lab.FieldLimit:     "Limit",
	lab.FieldPer:       "Per",
	lab.FieldBurst:     "Burst",
	lab.FieldQueue:     "Queue",
	lab.FieldInitial:   "At the start",
	lab.FieldFirst:     "The first leaves",
	lab.FieldAlign:     "Windows start",
}

var optionWords = map[string]string{
	lab.InitialFull:       "full",
	lab.InitialEmpty:      "empty",
	lab.FirstImmediate:    "at once",
	lab.FirstAfterGap:     "after a gap",
	lab.AlignEpoch:        "on the clock",
	lab.AlignFirstRequest: "at a first request",
}

// fields are the inputs for policy p. What a refused form held stands in them
// in place of p's own values.
func fields(p lab.Policy, form *Problem) []field {
	refused := form.of(p.Name)
	out := []field{{Name: lab.FieldName, Value: p.Name}}
	for _, f := range p.Algorithm.Fields() {
		in := field{Name: f, Options: f.Options()}
		switch {
		case f == lab.FieldPer:
			in.Value = lab.FormatSpan(p.Per)
		case in.Options != nil:
			in.Value = *p.Option(f)
			if in.Value == "" {
				in.Value = in.Options[0]
			}
		default:
			in.Value = strconv.FormatInt(*p.Count(f), 10)
		}
		out = append(out, in)
	}
	for i := range out {
		f := &out[i]
		f.Label = fieldLabels[f.Name]
		if refused {
			f.Value = form.Form.Get(string(f.Name))
			f.Error = form.at(p.Name, f.Name)
		}
	}
	return out
}

// newFields are the inputs of the form that adds a policy: every field there
// is, with the budget that the others share, or ten a second.
func newFields(b Budget, form *Problem) []field {
	limit := strconv.FormatInt(b.limit, 10)
	usual := map[lab.Field]string{
		lab.FieldLimit: limit, lab.FieldPer: b.per, lab.FieldBurst: limit, lab.FieldQueue: limit,
	}
	refused := form.of("")
	var out []field
	for _, name := range []lab.Field{
		lab.FieldName, lab.FieldLimit, lab.FieldPer, lab.FieldBurst, lab.FieldQueue, lab.FieldInitial, lab.FieldFirst, lab.FieldAlign,
	} {
		f := field{Name: name, Label: fieldLabels[name], Value: usual[name], Options: name.Options()}
		if refused {
			f.Value, f.Error = form.Form.Get(string(name)), form.at("", name)
		}
		out = append(out, f)
	}
	return out
}

// inputMode is the keyboard that a touch screen shows.
func (f field) inputMode() string {
	switch f.Name {
	case lab.FieldLimit, lab.FieldBurst, lab.FieldQueue:
		return "numeric"
	}
	return "text"
}
