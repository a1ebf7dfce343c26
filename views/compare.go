package views

import (
	"strconv"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Comparison is a room beside the one that it was made from: what the lanes said
// of the requests that both had since they parted.
type Comparison struct {
	// Original is the other room, and Since the lab time up to which the two
	// are the same.
	Original RoomInfo
	Since    string
	at       lab.Time
	// Words say how many requests both had since then, and how many only one.
	Words string
	Lanes []Compared
}

// since is where the two part, in whole microseconds of lab time; empty without a
// comparison.
func (c *Comparison) since() string {
	if c == nil {
		return ""
	}
	return strconv.FormatInt(micros(c.at), 10)
}

// Compared is one lane in both rooms. Its numbers are of the shared requests.
type Compared struct {
	Title, Algorithm string
	// Changed says that the policy is another than in the original, and Was what
	// it promised there.
	Changed bool
	Was     string
	// Alone says that only this room has the lane; there is nothing to compare
	// then.
	Alone bool
	// Cells are this room's numbers and the original's, in the order of
	// [comparedColumns].
	Cells []Pair
	// Differ is how many requests the two decided differently. First is the
	// first of them, as this room numbers it; empty when there is none.
	Differ string
	First  string
	// FirstWords says what each decided.
	FirstWords string
	// Marks are the numbers of the newest requests that the two decided
	// differently, as this room numbers them, for the picture.
	Marks []string
}

// Pair is a number in this room and in the original.
type Pair struct{ Here, There string }

// Same says that the two are equal.
func (p Pair) Same() bool { return p.Here == p.There }

var comparedColumns = []column{
	{"served", "Served", "Requests that passed, at once or later."},
	{"refused", "Refused", "Requests that were turned away, those that can never pass among them."},
	{"p95", "Wait p95", "95 of 100 served requests waited no longer than this."},
}

// Compare tells in words and numbers how a room and the one that it was made
// from compare; the two were the same up to an instant.
func Compare(c session.Comparison, original string, at lab.Time) Comparison {
	out := Comparison{Original: RoomInfo{Name: original}, Since: Clock(at), at: at}
	out.Words = "Both rooms are the same up to " + out.Since + " and had " + Plural(c.Both, "request", "requests") + " in common since"
	if c.Here > 0 {
		out.Words += "; " + Plural(c.Here, "came", "came") + " only here"
	}
	if c.There > 0 {
		out.Words += "; " + Plural(c.There, "came", "came") + " only there"
	}
	out.Words += ". Where a number has changed, the original’s stands before the arrow."
	for _, lane := range c.Lanes {
		out.Lanes = append(out.Lanes, comparedLane(lane))
	}
	return out
}

func comparedLane(l session.LaneComparison) Compared {
	lane := Compared{Title: Title(l.Policy), Algorithm: string(l.Policy.Algorithm)}
	if l.Original == nil {
		lane.Alone = true
		return lane
	}
	if lane.Changed = !l.Policy.Same(*l.Original); lane.Changed {
		lane.Was = Summary(*l.Original)
	}
	lane.Cells = []Pair{
		{Count(l.Here.Served()), Count(l.There.Served())},
		{Count(l.Here.Refused + l.Here.Never), Count(l.There.Refused + l.There.Never)},
		{Span(l.Here.Wait(95)), Span(l.There.Wait(95))},
	}
	lane.Differ = Count(l.Differ)
	for _, n := range l.Numbers {
		lane.Marks = append(lane.Marks, strconv.FormatUint(n, 10))
	}
	if f := l.First; f != nil {
		lane.First = strconv.FormatUint(f.Number, 10)
		lane.FirstWords = Outcome(f.Here) + " here, " + Outcome(f.There) + " there"
	}
	return lane
}
