package scenarios

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/limit"
	"github.com/burstlab/burstlab/lab/response"
)

// field is something that an expectation may say besides its kind and value.
type field string

const (
	onPolicy   field = "policy"
	onWith     field = "with"
	onKey      field = "key"
	onDuring   field = "from"
	onRequests field = "requests"
	onAt       field = "at"
	onSpan     field = "span"
	onPercent  field = "percent"
	onFormula  field = "formula"
	onUnit     field = "unit"
)

// kind is a way to measure a run.
type kind struct {
	// words name what is measured, for a reader.
	words string
	// of is the form of its values.
	of form
	// perRequest says that there is a value for each request named; a list
	// unless it is one request.
	perRequest bool
	// state says that it measures states, at an instant or after requests.
	state        bool
	needs, takes []field
	// measure returns the values, in the form's text. It has no error for what
	// the run did, only for an expectation that the run cannot answer.
	measure func(*record, *Expectation) ([]string, error)
}

const (
	kindFormula    = "formula"
	kindBusiest    = "busiest"
	kindPercentile = "wait-percentile"
	kindResponse   = "response"
	kindCompared   = "compared"
	kindPerSecond  = "per-second"
)

// kinds are all there are.
var kinds = map[string]kind{
	// Requests sent.
	"sent": tally("sent", func(*record, *Expectation, int) bool { return true }, sentAt, onKey, onDuring),
	// Requests let through at once.
	"allowed": laneTally("passed at once", lab.Allow),
	// Requests let through later.
	"delayed": laneTally("delayed", lab.Delay),
	// Requests refused.
	"refused": laneTally("refused", lab.Refuse),
	// Requests that could never pass.
	"never": laneTally("never", lab.Never),
	// Requests that reached the service, by when they reached it.
	"served": needing(tally("served",
		func(r *record, e *Expectation, i int) bool { return r.decisions[e.lane][i].Verdict.Passed() }, servedAt, onKey, onDuring), onPolicy),

	// The verdict on each request.
	"decisions": perRequest("decisions", verdicts, func(r *record, e *Expectation, i int) (string, bool) {
		return r.decision(e, i).Verdict.String(), true
	}),
	// What is left after each request.
	"remaining": perRequest("left", counts, func(r *record, e *Expectation, i int) (string, bool) {
		return formatCount(r.decision(e, i).Remaining), true
	}),
	// When each request that passed reaches the service.
	"leaves": perRequest("reach the service at", spans.many(), func(r *record, e *Expectation, i int) (string, bool) {
		d := r.decision(e, i)
		return formatTime(d.Leaves()), d.Verdict.Passed()
	}),
	// How long each request that passed waits.
	"wait": perRequest("wait", spans, func(r *record, e *Expectation, i int) (string, bool) {
		d := r.decision(e, i)
		return formatSpan(d.Wait), d.Verdict.Passed()
	}),
	// How long each refused request must wait.
	"retry-after": perRequest("retry after", spans, func(r *record, e *Expectation, i int) (string, bool) {
		d := r.decision(e, i)
		return formatSpan(d.RetryAfter), d.Verdict == lab.Refuse
	}),
	// The number that was compared with the limit.
	kindCompared: needing(perRequest("compared with the limit", numbers, func(r *record, e *Expectation, i int) (string, bool) {
		return formatNumber(r.why[i][e.lane].Value.Value), true
	}), onRequests),

	// The tokens in the bucket.
	"tokens": ofState("tokens", numbers, func(s lab.State) string { return formatNumber(thousandths(s.Of*1000 - s.UsedMilli)) }),
	// How much of the quota is taken.
	"used": ofState("used", numbers, func(s lab.State) string { return formatNumber(thousandths(s.UsedMilli)) }),
	// When the next request is due, or the outlet free.
	"next": ofState("next due", spans, func(s lab.State) string { return formatTime(s.Next) }),
	// When the oldest request inside leaves.
	"oldest-leaves": ofState("the oldest leaves", spans, oldestLeaves),

	// Requests in each second, from second 0 on: those sent, or those that reached the service.
	kindPerSecond: {
		words: "in each second",
		of:    counts.many(),
		takes: []field{onPolicy, onKey}, measure: perSecond,
	},
	// The most that the service got from one key in any span of this length.
	kindBusiest: {
		words: "busiest",
		of:    counts,
		needs: []field{onPolicy, onSpan}, measure: busiest,
	},
	// The longest wait of a request that passed.
	"longest-wait": {
		words: "longest wait",
		of:    spans,
		needs: []field{onPolicy}, measure: func(r *record, e *Expectation) ([]string, error) {
			return []string{formatSpan(r.score(e, time.Second).LongestWait())}, nil
		},
	},
	// The wait that this share of the served requests does not exceed.
	kindPercentile: {
		words: "wait",
		of:    spans,
		needs: []field{onPolicy, onPercent}, measure: func(r *record, e *Expectation) ([]string, error) {
			return []string{formatSpan(r.score(e, time.Second).Wait(e.Percent))}, nil
		},
	},
	// The time from the first request served to the last.
	"served-within": {
		words: "from the first served to the last",
		of:    spans,
		needs: []field{onPolicy}, takes: []field{onKey, onDuring}, measure: servedWithin,
	},
	// Requests on which two policies decide the same.
	"same": {
		words: "decided the same as",
		of:    counts,
		needs: []field{onPolicy, onWith}, measure: same,
	},
	// The status line and the header fields that a client gets.
	kindResponse: {
		words: "response",
		of:    texts,
		needs: []field{onPolicy, onRequests}, measure: responseLines,
	},
	// The memory that a policy's states take in the engine, per key, in whole bytes.
	"state-bytes": {
		words: "bytes of state per key",
		of:    counts,
		needs: []field{onPolicy}, measure: func(r *record, e *Expectation) ([]string, error) {
			return []string{formatCount(r.bytesPerKey(e.lane))}, nil
		},
	},
	// Arithmetic over a policy's numbers, the run's counts and given numbers.
	kindFormula: {
		of:    numbers,
		needs: []field{onFormula}, takes: []field{onPolicy, onUnit}, measure: formulaValue,
	},
}

// form is the form of e's values.
func (k kind) form(e Expectation) form {
	f := k.of
	if k.perRequest || k.state {
		f.list = f.list || e.At == nil && len(e.Requests) != 1
	}
	return f
}

func needing(k kind, f ...field) kind { k.needs = append(k.needs, f...); return k }

// tally is a kind that counts requests.
func tally(words string, counted func(*record, *Expectation, int) bool, when func(*record, *Expectation, int) lab.Time, takes ...field) kind {
	return kind{words: words, of: counts, takes: takes, measure: func(r *record, e *Expectation) ([]string, error) {
		n := int64(0)
		for i := range r.requests {
			if r.ofKey(e, i) && counted(r, e, i) && e.During.Holds(when(r, e, i)) {
				n++
			}
		}
		return []string{formatCount(n)}, nil
	}}
}

func laneTally(words string, v lab.Verdict) kind {
	return needing(tally(words, func(r *record, e *Expectation, i int) bool { return r.decisions[e.lane][i].Verdict == v }, sentAt, onKey, onDuring), onPolicy)
}

func sentAt(r *record, _ *Expectation, i int) lab.Time   { return r.requests[i].At }
func servedAt(r *record, e *Expectation, i int) lab.Time { return r.decisions[e.lane][i].Leaves() }

// perRequest is a kind with a value for each request, or for each of them that
// has one.
func perRequest(words string, of form, value func(*record, *Expectation, int) (string, bool)) kind {
	return kind{words: words, of: of, perRequest: true, needs: []field{onPolicy}, takes: []field{onRequests, onKey}, measure: func(r *record, e *Expectation) ([]string, error) {
		var out []string
		err := r.each(e, func(i int) {
			if v, ok := value(r, e, i); ok {
				out = append(out, v)
			}
		})
		return out, err
	}}
}

// ofState is a kind that reads a number off a state.
func ofState(words string, of form, value func(lab.State) string) kind {
	return kind{words: words, of: of, state: true, needs: []field{onPolicy}, takes: []field{onKey, onAt, onRequests}, measure: func(r *record, e *Expectation) ([]string, error) {
		if e.At != nil {
			return []string{value(r.statesAt[instantOf{e.stateKey(), *e.At}][e.lane])}, nil
		}
		var out []string
		err := r.each(e, func(i int) { out = append(out, value(r.statesAfter[i][e.lane])) })
		return out, err
	}}
}

func thousandths(n int64) *big.Rat { return big.NewRat(n, 1000) }

func formatTime(t lab.Time) string { return formatSpan(time.Duration(t)) }

func oldestLeaves(s lab.State) string {
	if len(s.Entries) == 0 {
		return "nothing is inside"
	}
	return formatTime(s.Entries[0])
}

func perSecond(r *record, e *Expectation) ([]string, error) {
	seconds := bench.PerSecond{}
	for i := range r.requests {
		switch {
		case !r.ofKey(e, i):
		case e.lane < 0:
			seconds.Add(sentAt(r, e, i))
		case r.decisions[e.lane][i].Verdict.Passed():
			seconds.Add(servedAt(r, e, i))
		}
	}
	if len(seconds) == 0 {
		return nil, nil
	}
	var out []string
	for s := range slices.Max(slices.Collect(maps.Keys(seconds))) + 1 {
		out = append(out, formatCount(seconds[s]))
	}
	return out, nil
}

func busiest(r *record, e *Expectation) ([]string, error) {
	n, _ := r.score(e, e.Span).Busiest()
	return []string{formatCount(n)}, nil
}

// score tallies a lane's decisions with the bench's own score.
func (r *record) score(e *Expectation, span time.Duration) *bench.Score {
	s := bench.NewScore(span, 0)
	keys := map[string]limit.Key{}
	for i, req := range r.requests {
		k, ok := keys[req.Key]
		if !ok {
			k = limit.Key(len(keys))
			keys[req.Key] = k
		}
		s.Add(k, req.Cost, &r.decisions[e.lane][i])
	}
	return s
}

func servedWithin(r *record, e *Expectation) ([]string, error) {
	var first, last lab.Time
	n := 0
	for i := range r.requests {
		at := servedAt(r, e, i)
		if !r.ofKey(e, i) || !r.decisions[e.lane][i].Verdict.Passed() || !e.During.Holds(at) {
			continue
		}
		if n == 0 {
			first, last = at, at
		}
		first, last = min(first, at), max(last, at)
		n++
	}
	return []string{formatSpan(last.Sub(first))}, nil
}

func same(r *record, e *Expectation) ([]string, error) {
	n := int64(0)
	for i := range r.requests {
		if r.decisions[e.lane][i].Verdict == r.decisions[e.with][i].Verdict {
			n++
		}
	}
	return []string{formatCount(n)}, nil
}

func responseLines(r *record, e *Expectation) ([]string, error) {
	var lines []string
	err := r.each(e, func(i int) {
		resp := response.Of(r.policies[e.lane], r.requests[i], r.decisions[e.lane][i], response.Options{})
		lines = append(lines, resp.StatusLine())
		for _, f := range resp.Fields() {
			lines = append(lines, f.String())
		}
	})
	return lines, err
}

// formulaNames are the names that every formula knows, besides a scenario's
// given numbers: the policy's own (per in seconds), how many
// numbers its algorithm keeps per key, and the run's counts.
var formulaNames = []string{"limit", "per", "burst", "queue", "sent", "served", "refused", "keys", "numbers", "state_bytes"}

// formulaUnits are the units that a formula's value can be told in.
var formulaUnits = map[string]int64{"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}

func formulaValue(r *record, e *Expectation) ([]string, error) {
	v, err := e.formula.value(func(name string) (*big.Rat, bool) { return r.number(e, name) })
	if err != nil {
		return nil, err
	}
	if e.Unit == "" {
		return []string{formatNumber(v)}, nil
	}
	scale, ok := formulaUnits[e.Unit]
	if !ok {
		return nil, fmt.Errorf("unit: %q is unknown; expected one of %s", e.Unit, names(formulaUnits))
	}
	rounded, err := readNumber(v.Quo(v, big.NewRat(scale, 1)).FloatString(1))
	return []string{rounded}, err
}

// number is what a name of a formula means.
func (r *record) number(e *Expectation, name string) (*big.Rat, bool) {
	if n, ok := r.given[name]; ok {
		return n, true
	}
	switch name {
	case "sent":
		return big.NewRat(int64(len(r.requests)), 1), true
	case "keys":
		return big.NewRat(int64(r.keys), 1), true
	}
	if e.lane < 0 {
		return nil, false
	}
	p := r.policies[e.lane]
	score := func() *bench.Score { return r.score(e, time.Second) }
	switch name {
	case "limit":
		return big.NewRat(p.Limit, 1), true
	case "per":
		return big.NewRat(int64(p.Per), int64(time.Second)), p.Per > 0
	case "burst":
		return big.NewRat(p.Burst, 1), p.Burst > 0
	case "queue":
		return big.NewRat(p.Queue, 1), p.Queue > 0
	case "served":
		return big.NewRat(score().Served(), 1), true
	case "refused":
		return big.NewRat(score().Refused, 1), true
	case "numbers":
		n := numbersKept(p)
		return big.NewRat(n, 1), n > 0
	case "state_bytes":
		return big.NewRat(r.bytesPerKey(e.lane), 1), true
	}
	return nil, false
}

// names lists a map's keys in order, for a person.
func names[K ~string, V any](m map[K]V) string {
	var list []string
	for k := range m {
		list = append(list, string(k))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
