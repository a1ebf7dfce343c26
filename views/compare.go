package views

import (
	"slices"
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Original is the room from whose past another was made.
type Original struct {
	Room  string
	At    lab.Time // up to which the two are the same
	State *session.State
}

// Comparison is a room beside the one that it was made from: what the lanes said
// of the requests that both had since they parted.
type Comparison struct {
	// Original is the other room, and Since the lab time up to which the two
	// are the same.
	Original RoomInfo
	Since    string
	// Words say how many requests both had since then, and how many only one.
	Words string
	Lanes []Compared
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

// maxMarks bounds the marks of a lane.
const maxMarks = 500

// Pair is a number in this room and in the original.
type Pair struct{ Here, There string }

// Same says that the two are equal.
func (p Pair) Same() bool { return p.Here == p.There }

var comparedColumns = []column{
	{"served", "Served", "Requests that passed, at once or later."},
	{"refused", "Refused", "Requests that were turned away, those that can never pass among them."},
	{"p95", "Wait p95", "95 of 100 served requests waited no longer than this."},
}

// shared is a request that both rooms had.
type shared struct {
	number      uint64 // in this room
	here, there session.Record
}

// lanePair is one lane's decisions of the shared requests.
type lanePair struct {
	here, there tally
	differ      int
	first       *shared
	firstLanes  [2]int
}

// tally counts decisions.
type tally struct {
	served, refused int64
	waits           []time.Duration
}

func (t *tally) add(d lab.Decision) {
	if !d.Verdict.Passed() {
		t.refused++
		return
	}
	t.served++
	t.waits = append(t.waits, d.Wait)
}

// p95 is the nearest rank.
func (t *tally) p95() time.Duration {
	if len(t.waits) == 0 {
		return 0
	}
	slices.Sort(t.waits)
	return t.waits[(len(t.waits)*95+99)/100-1]
}

// Compare compares a room with the one that it was made from. Requests are the
// same when time, key, cost and service time are; of equal ones at one instant
// the first belongs to the first. Requests that one of the two no longer keeps
// are left out.
func Compare(s *session.State, o Original) Comparison {
	both, here, there := match(s, o)
	c := Comparison{Original: RoomInfo{Name: o.Room}, Since: Clock(o.At)}
	c.Words = "Both rooms are the same up to " + c.Since + " and had " + Plural(int64(len(both)), "request", "requests") + " in common since"
	if here > 0 {
		c.Words += "; " + Plural(here, "came", "came") + " only here"
	}
	if there > 0 {
		c.Words += "; " + Plural(there, "came", "came") + " only there"
	}
	c.Words += ". Where a number has changed, the original’s stands before the arrow."
	for _, p := range s.Policies() {
		c.Lanes = append(c.Lanes, compareLane(p, o.State.Policies(), both))
	}
	return c
}

func compareLane(p lab.Policy, theirs []lab.Policy, both []shared) Compared {
	lane := Compared{Title: Title(p), Algorithm: string(p.Algorithm)}
	named := func(q lab.Policy) bool { return q.Name == p.Name }
	i := slices.IndexFunc(theirs, named)
	if i < 0 {
		lane.Alone = true
		return lane
	}
	if lane.Changed = !p.Same(theirs[i]); lane.Changed {
		lane.Was = Summary(theirs[i])
	}
	var pair lanePair
	for n := range both {
		one := &both[n]
		i, j := slices.IndexFunc(one.here.Policies, named), slices.IndexFunc(one.there.Policies, named)
		if i < 0 || j < 0 {
			continue
		}
		here, there := one.here.Decisions[i], one.there.Decisions[j]
		pair.here.add(here)
		pair.there.add(there)
		if here.Verdict != there.Verdict || here.Wait != there.Wait {
			if pair.differ++; pair.first == nil {
				pair.first, pair.firstLanes = one, [2]int{i, j}
			}
			lane.Marks = append(lane.Marks, strconv.FormatUint(one.number, 10))
		}
	}
	lane.Cells = []Pair{
		{Count(pair.here.served), Count(pair.there.served)},
		{Count(pair.here.refused), Count(pair.there.refused)},
		{Span(pair.here.p95()), Span(pair.there.p95())},
	}
	lane.Differ = Count(int64(pair.differ))
	lane.Marks = lane.Marks[max(0, len(lane.Marks)-maxMarks):]
	if f := pair.first; f != nil {
		lane.First = strconv.FormatUint(f.number, 10)
		lane.FirstWords = Outcome(f.here.Decisions[pair.firstLanes[0]]) + " here, " + Outcome(f.there.Decisions[pair.firstLanes[1]]) + " there"
	}
	return lane
}

// match pairs the requests of two rooms from the instant on at which they
// parted, as far as the original had come, and counts those that only one has.
func match(s *session.State, o Original) (both []shared, here, there int64) {
	from := o.At
	until := min(s.Now(), o.State.Now())
	a, b := recordsFrom(s, from, until), recordsFrom(o.State, from, until)
	// What one of them no longer keeps is not held against the other.
	if len(a) > 0 && a[0].number == s.Oldest() && s.Oldest() > 0 {
		b = slices.DeleteFunc(b, func(r numbered) bool { return r.Request.At < a[0].Request.At })
	}
	if len(b) > 0 && b[0].number == o.State.Oldest() && o.State.Oldest() > 0 {
		a = slices.DeleteFunc(a, func(r numbered) bool { return r.Request.At < b[0].Request.At })
	}
	for len(a) > 0 || len(b) > 0 {
		var at lab.Time
		switch {
		case len(a) == 0:
			at = b[0].Request.At
		case len(b) == 0:
			at = a[0].Request.At
		default:
			at = min(a[0].Request.At, b[0].Request.At)
		}
		var ours, theirs []numbered
		ours, a = cut(a, at)
		theirs, b = cut(b, at)
		waiting := map[lab.Request][]numbered{}
		for _, r := range theirs {
			waiting[r.Request] = append(waiting[r.Request], r)
		}
		for _, r := range ours {
			if w := waiting[r.Request]; len(w) > 0 {
				both = append(both, shared{r.number, r.Record, w[0].Record})
				waiting[r.Request] = w[1:]
				continue
			}
			here++
		}
		for _, w := range waiting {
			there += int64(len(w))
		}
	}
	return both, here, there
}

// numbered is a record with its request's number.
type numbered struct {
	number uint64
	session.Record
}

// recordsFrom is what is kept of the requests from one instant to another.
func recordsFrom(s *session.State, from, until lab.Time) []numbered {
	var out []numbered
	for i := s.Decided(); i > s.Oldest(); i-- {
		r, ok := s.Record(i - 1)
		if !ok || r.Request.At < from {
			break
		}
		if r.Request.At <= until {
			out = append(out, numbered{i - 1, r})
		}
	}
	slices.Reverse(out)
	return out
}

// cut takes the records of an instant from the front.
func cut(records []numbered, at lab.Time) (of, rest []numbered) {
	n := 0
	for n < len(records) && records[n].Request.At == at {
		n++
	}
	return records[:n], records[n:]
}
