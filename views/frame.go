package views

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/lab/traffic"
)

// Whole is everything that a page shows of a session at an instant.
type Whole struct {
	Lanes []Lane `json:"lanes"`
	Frame
	// Rows is the table of decisions of the first paint. The script fills it
	// from the requests in the frames.
	Rows []Row `json:"-"`
}

// Frame is what changed since an earlier one, and where everything stands now.
type Frame struct {
	// Generation counts the changes of policies and the resets: numbers of
	// lanes and of requests mean the same only within one.
	Generation uint64 `json:"gen"`
	// Now is lab time in whole microseconds; Clock is the same to read, for the
	// first paint: the script's clock runs by itself.
	Now    int64  `json:"now"`
	Clock  string `json:"-"`
	Paused bool   `json:"paused"`
	// Pace is how fast lab time runs: "0.1" to "100".
	Pace string `json:"pace"`
	// Stream is the steady traffic that runs, in words; empty when none does.
	Stream string `json:"stream,omitempty"`
	Requests
	Meters []Meter `json:"meters"`
	// Key is whose level the meters show. Levels says so in words; it is empty
	// where it goes without saying: there is one key, and it is the default one.
	Key    string `json:"-"`
	Levels string `json:"levels,omitempty"`
	// Ahead says how many requests are still to come and when the next one does,
	// where nothing would happen for a while; empty otherwise.
	Ahead string `json:"ahead,omitempty"`
	// Undecided tells of requests for which the room had no room; empty when
	// there were none.
	Undecided string `json:"undecided,omitempty"`
	// HeldKeys says how many keys the room holds.
	HeldKeys string `json:"held"`
	// Scores is absent when nothing was decided since the earlier frame.
	Scores []Score `json:"scores,omitempty"`
}

// Requests are decided requests, packed: a column an attribute.
type Requests struct {
	// First is the number of the first one.
	First uint64 `json:"first"`
	// At holds when each came, in whole microseconds: the first an instant, the
	// others the distance from the one before.
	At []int64 `json:"at,omitempty"`
	// Verdicts holds one letter a lane for each request, one request after the
	// other: a, d, r, n for allow, delay, refuse, never, and "." where the lane
	// was not there yet.
	Verdicts string `json:"v,omitempty"`
	// Waits holds, for each d in Verdicts in turn, how long that request waits,
	// in whole microseconds, rounded up.
	Waits []int64 `json:"w,omitempty"`
	// Keys and Costs hold what differs from the request before: the place of
	// the request counted from First, and what holds from there on. Before the
	// first entry the key is "default" and the cost 1.
	Keys  []KeyFrom  `json:"k,omitempty"`
	Costs []CostFrom `json:"c,omitempty"`
	// Services is the same for how long the requests stay in progress, in whole
	// microseconds, rounded up; before the first entry it is 0.
	Services []CostFrom `json:"s,omitempty"`
}

// KeyFrom says which key the requests have from place From on.
type KeyFrom struct {
	From int
	Key  string
}

// MarshalJSON writes a pair.
func (k KeyFrom) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{k.From, k.Key})
}

// CostFrom says which cost, or other number, the requests have from place From
// on.
type CostFrom struct {
	From int
	Cost int64
}

// MarshalJSON writes a pair.
func (c CostFrom) MarshalJSON() ([]byte, error) {
	return json.Marshal([]int64{int64(c.From), c.Cost})
}

// MaxFrameRequests bounds the requests of one frame or whole: the newest ones
// are kept, and [Requests.First] says where they start.
const MaxFrameRequests = 2000

// absent is the letter of a lane that was not there yet.
const absent = '.'

var letters = [...]byte{lab.Allow: 'a', lab.Delay: 'd', lab.Refuse: 'r', lab.Never: 'n'}

// paces are those that the page offers.
var paces = []string{"0.1", "0.25", "0.5", "1", "2", "5", "10", "25", "50", "100"}

// each is what a request carries, in the templates of the composer's commands.
const each = " key={key} cost={cost} service={service}"

// WholeOf is the whole of a session now. It shares nothing with s.
func WholeOf(s *session.State) Whole { return wholeOf(s, presentOf(s), 0) }

// MomentOf is a session as it was, s, on a page that has the lanes of now: those
// of policies of a generation. Of the requests up to then it packs the newest
// few, which the table of decisions shows. A lane that was not there yet is
// empty.
func MomentOf(s *session.State, policies []lab.Policy, generation uint64) Whole {
	return wholeOf(s, present{policies, generation}, s.Decided()-min(s.Decided(), maxRows))
}

// present is the lanes that a page has.
type present struct {
	policies   []lab.Policy
	generation uint64
}

func presentOf(s *session.State) present { return present{s.Policies(), s.Generation()} }

// of says, for each lane of the page, which of those of a generation is its own:
// a lane goes on as long as its policy stays the same. -1 where it was not there.
func (p present) of(policies []lab.Policy, generation uint64) []int {
	lanes := make([]int, len(p.policies))
	for n, policy := range p.policies {
		lanes[n] = n
		if generation != p.generation {
			lanes[n] = slices.IndexFunc(policies, policy.Same)
		}
	}
	return lanes
}

func wholeOf(s *session.State, now present, since uint64) Whole {
	w := Whole{Frame: frameOf(s, now, since)}
	w.Scores = scoresOf(s, now)
	newest := newestOf(s, now, maxStrip)
	for n, p := range now.policies {
		lane := laneOf(p)
		said := make([]*lab.Decision, len(newest))
		for i, r := range newest {
			said[i] = r.decisions[n]
		}
		lane.Strip = strip(said)
		w.Lanes = append(w.Lanes, lane)
	}
	for i := len(newest) - 1; i >= 0 && len(w.Rows) < maxRows; i-- {
		w.Rows = append(w.Rows, rowOf(newest[i]))
	}
	return w
}

// FrameOf is what a page that has seen the requests before since needs to show
// the session as it is now. It shares nothing with s.
func FrameOf(s *session.State, since uint64) Frame { return frameOf(s, presentOf(s), since) }

func frameOf(s *session.State, now present, since uint64) Frame {
	f := Frame{
		Generation: now.generation,
		Now:        int64(s.Now()) / int64(time.Microsecond),
		Clock:      Clock(s.Now()),
		Paused:     s.Paused(),
		Pace:       s.Pace().String(),
		Requests:   pack(s, now, since),
		Key:        shownKey(s),
		Undecided:  undecided(s.Undecided()),
		Ahead:      ahead(s),
		HeldKeys:   heldKeys(s.Keys()),
	}
	if s.Keys() > 1 || f.Key != traffic.DefaultKey {
		f.Levels = levels(f.Key)
	}
	if stream, ok := s.Stream(); ok {
		f.Stream = Count(stream.Rate.Count) + strings.TrimLeft(stream.Rate.String(), "0123456789")
	}
	states := s.States(f.Key)
	for n, lane := range now.of(s.Policies(), s.Generation()) {
		m := noMeter
		if lane >= 0 {
			m = MeterOf(now.policies[n], states[lane])
		}
		f.Meters = append(f.Meters, m)
	}
	if s.Decided() > since {
		f.Scores = scoresOf(s, now)
	}
	return f
}

// idle is how long nothing may happen, in real time, before the page says what
// it waits for.
const idle = 3 * time.Second

// ahead says what is still to come, where nothing else comes before it.
func ahead(s *session.State) string {
	next, any := s.NextAt()
	if !any || s.Pending() == 0 {
		return ""
	}
	if due, runs := s.Next(); runs && time.Duration(due-s.Stamp()) < idle {
		return ""
	}
	return Plural(s.Pending(), "request", "requests") + " to come, the next at " + Clock(next)
}

func scoresOf(s *session.State, now present) []Score {
	var out []Score
	sizes, scores := s.Bytes(), s.Scores()
	for n, lane := range now.of(s.Policies(), s.Generation()) {
		score := noScore()
		if lane >= 0 {
			score = ScoreOf(now.policies[n], scores[lane], sizes[lane])
		}
		out = append(out, score)
	}
	return out
}

// keyVotes is how many of the newest requests decide whose level is shown.
const keyVotes = 64

// shownKey is the key whose levels the meters show: the one that most of the
// newest requests carry, so that it does not flicker where keys take turns.
func shownKey(s *session.State) string {
	votes := map[string]int{}
	best := traffic.DefaultKey
	for i := s.Decided(); i > s.Oldest() && s.Decided()-i < keyVotes; i-- {
		r, _ := s.Record(i - 1)
		key := r.Request.Key
		if votes[key]++; len(votes) == 1 || votes[key] > votes[best] {
			best = key
		}
	}
	return best
}

// seen is a recorded request as the lanes of the page see it.
type seen struct {
	number  uint64
	request lab.Request
	// decisions are those of the page's lanes; nil where a lane was not there
	// yet.
	decisions []*lab.Decision
}

// newestOf is the newest requests, at most n of them, oldest first.
func newestOf(s *session.State, now present, n uint64) []seen {
	var out []seen
	for i := max(s.Oldest(), s.Decided()-min(n, s.Decided())); i < s.Decided(); i++ {
		r, ok := s.Record(i)
		if !ok {
			continue
		}
		one := seen{number: i, request: r.Request}
		for _, lane := range now.of(r.Policies, r.Generation) {
			var d *lab.Decision
			if lane >= 0 {
				d = new(r.Decisions[lane])
			}
			one.decisions = append(one.decisions, d)
		}
		out = append(out, one)
	}
	return out
}

// pack packs the requests from since on, the newest MaxFrameRequests of them.
func pack(s *session.State, now present, since uint64) Requests {
	end := s.Decided()
	first := max(min(since, end), s.Oldest(), end-min(end, MaxFrameRequests))
	first = max(first, keysFit(s, first, end))
	out := Requests{First: first}
	var (
		verdicts   []byte
		lanes      []int
		generation uint64
		before     int64
		key        = traffic.DefaultKey
		cost       = int64(traffic.DefaultCost)
		service    int64
	)
	for i := first; i < end; i++ {
		r, ok := s.Record(i)
		if !ok {
			continue
		}
		if lanes == nil || r.Generation != generation {
			lanes, generation = now.of(r.Policies, r.Generation), r.Generation
		}
		at := int64(r.Request.At) / int64(time.Microsecond)
		out.At = append(out.At, at-before)
		before = at
		for _, lane := range lanes {
			if lane < 0 {
				verdicts = append(verdicts, absent)
				continue
			}
			d := r.Decisions[lane]
			verdicts = append(verdicts, letters[d.Verdict])
			if d.Verdict == lab.Delay {
				out.Waits = append(out.Waits, (int64(d.Wait)+999)/1000)
			}
		}
		place := int(i - first)
		if r.Request.Key != key {
			key = r.Request.Key
			out.Keys = append(out.Keys, KeyFrom{place, key})
		}
		if r.Request.Cost != cost {
			cost = r.Request.Cost
			out.Costs = append(out.Costs, CostFrom{place, cost})
		}
		if us := (int64(r.Request.Service) + 999) / 1000; us != service {
			service = us
			out.Services = append(out.Services, CostFrom{place, service})
		}
	}
	out.Verdicts = string(verdicts)
	return out
}

// maxFrameKeys bounds the keys' text in one frame, in bytes: keys may be long,
// and take turns.
const maxFrameKeys = 64 << 10

// keysFit is the first request from which on the keys that change are not longer
// together than a frame may hold.
func keysFit(s *session.State, first, end uint64) uint64 {
	length, key := 0, ""
	for i := end; i > first; i-- {
		r, ok := s.Record(i - 1)
		if !ok {
			return i
		}
		if r.Request.Key != key {
			key = r.Request.Key
			length += len(key)
		}
		if length > maxFrameKeys {
			return i
		}
	}
	return first
}

// InspectionOf is request i of a room seen closely; an error when it is not kept.
func InspectionOf(s *session.State, i uint64, room RoomInfo) (Inspection, error) {
	e, ok := s.Explain(i)
	if !ok {
		return Inspection{}, notKept(s, i)
	}
	in := inspect(i, e, room)
	for n, one := range in.Policies {
		if !slices.ContainsFunc(s.Policies(), func(p lab.Policy) bool { return p.Name == one.Name }) {
			in.Policies[n].Send.Gone = "The room has no policy of this name now, so the endpoint would answer 400."
		}
	}
	in.Earlier, in.Later = i > s.Oldest(), i+1 < s.Decided()
	return in, nil
}

// notKept says which requests there are instead of request i.
func notKept(s *session.State, i uint64) error {
	if s.Oldest() == s.Decided() {
		return fmt.Errorf("request %d is not kept; the room holds no request now", i)
	}
	return fmt.Errorf("request %d is not kept; the room keeps its newest requests, now %d to %d", i, s.Oldest(), s.Decided()-1)
}
