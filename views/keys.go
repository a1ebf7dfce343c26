package views

import (
	"strconv"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/session"
)

// MaxKeyRows bounds the rows of the table by key, one for all other keys apart.
const MaxKeyRows = 20

// Keys is the score table of one policy key by key.
type Keys struct {
	// Policy is whose numbers they are, and Title how it is called.
	Policy, Title string
	// Decided and Generation say of which state: it is out of date when more
	// requests have been decided, or the lanes have changed.
	Decided, Generation uint64
	// Covers says of which requests they are.
	Covers string
	Rows   []KeyRow
	lanes  []Lane // to choose from
}

// KeyRow is a key's row. Its cells stand in the order of [keyColumns].
type KeyRow struct {
	// Key is the key's text, and Short what of it has room; of the row of all
	// other keys it says how many.
	Key    string
	Short  string
	Others bool
	// Over says that the busiest span got more than the policy declares.
	Over  bool
	Cells []string
}

// keyColumns are those of the score table that mean something for a single key.
var keyColumns = func() []column {
	var out []column
	for _, c := range scoreColumns {
		if c.Name != "promised" && c.Name != "state" {
			out = append(out, c)
		}
	}
	return out
}()

// KeysOf is the table of the policy of that name, or of the first one where
// there is none of it (any more).
func KeysOf(k *session.Kept, policy string) Keys {
	lane := 0
	for n, p := range k.Policies() {
		if p.Name == policy {
			lane = n
		}
	}
	p := k.Policies()[lane]
	scores := k.KeyScores(lane, MaxKeyRows)
	out := Keys{
		Policy: p.Name, Title: Title(p),
		Decided: k.Decided(), Generation: k.Generation(), Covers: covers(scores),
	}
	for _, p := range k.Policies() {
		out.lanes = append(out.lanes, laneOf(p))
	}
	for _, key := range scores.Keys {
		out.Rows = append(out.Rows, keyRow(p, key.Key, key.Score))
	}
	if scores.Others != nil {
		row := keyRow(p, Plural(int64(scores.OtherKeys), "other key", "other keys"), scores.Others)
		row.Others = true
		out.Rows = append(out.Rows, row)
	}
	return out
}

func keyRow(p lab.Policy, key string, s *bench.Score) KeyRow {
	whole := ScoreOf(p, s, 0)
	row := KeyRow{Key: key, Short: lab.Clip(key), Over: whole.Over}
	for n, c := range scoreColumns {
		if c.Name != "promised" && c.Name != "state" {
			row.Cells = append(row.Cells, whole.Cells[n])
		}
	}
	return row
}

// covers says which of a policy's requests are counted.
func covers(s session.KeyScores) string {
	switch {
	case s.Covered == 0:
		return "No request yet."
	case s.Covered == s.Decided:
		return "All " + Plural(s.Decided, "request", "requests") + " that this policy has decided."
	}
	return "The newest " + Count(s.Covered) + " of " + Plural(s.Decided, "request", "requests") + " that this policy has decided: the room keeps no more."
}

// heldKeys is "3 keys".
func heldKeys(n int) string { return Plural(int64(n), "key", "keys") }

// mark is the state of which the numbers are, for the script that renews them.
func (k Keys) mark() string { return strconv.FormatUint(k.Decided, 10) }
