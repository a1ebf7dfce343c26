package scenarios

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// MaxRequests bounds what a scenario sends, because a run keeps every decision.
const MaxRequests = 500_000

// Result is what came of a run.
type Result struct {
	Tables   []Table
	Outcomes []Outcome
}

// Outcome is an expectation beside what was measured.
type Outcome struct {
	Expectation
	// Got is what was measured, one text per value.
	Got []string
	// Holds says whether that is what was expected.
	Holds bool
}

// Failed is how many expectations do not hold.
func (r Result) Failed() int {
	n := 0
	for _, o := range r.Outcomes {
		if !o.Holds {
			n++
		}
	}
	return n
}

// Run gives the scenario's requests to its policies and measures what came of
// it. The error says that the scenario cannot be run, not that an expectation
// does not hold.
func (s Scenario) Run() (Result, error) {
	r, err := s.record()
	if err != nil {
		return Result{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	var result Result
	for _, k := range s.Tables {
		result.Tables = append(result.Tables, tableKinds[k](r))
	}
	for i := range s.Expectations {
		o, err := r.outcome(s.Expectations[i])
		if err != nil {
			return Result{}, fmt.Errorf("scenario %s: %s: %w", s.Name, s.Expectations[i].Label(), err)
		}
		result.Outcomes = append(result.Outcomes, o)
	}
	return result, nil
}

// record is everything that a run's expectations and tables may ask for.
type record struct {
	policies  []lab.Policy
	given     map[string]*big.Rat
	requests  []lab.Request
	decisions [][]lab.Decision // by lane, then by request
	// why, statesAfter and statesAt hold only what expectations ask for.
	why         map[int][]lab.Arithmetic
	statesAfter map[int][]lab.State
	statesAt    map[instantOf][]lab.State
	bytes       []int64 // by lane
	keys        int
}

// instantOf is an instant of one key's states.
type instantOf struct {
	key string
	at  lab.Time
}

func (s Scenario) record() (*record, error) {
	if n := s.Sent.Count(); n > MaxRequests {
		return nil, fmt.Errorf("it sends %d requests; expected at most %d", n, MaxRequests)
	}
	b, err := bench.New(s.Policies, bench.Options{})
	if err != nil {
		return nil, err
	}
	r := &record{
		policies: s.Policies, given: s.Given,
		decisions: make([][]lab.Decision, len(s.Policies)),
		why:       map[int][]lab.Arithmetic{}, statesAfter: map[int][]lab.State{}, statesAt: map[instantOf][]lab.State{},
	}
	asked := s.asked()
	for req := range s.Sent.Requests() {
		i := len(r.requests)
		for len(asked.at) > 0 && asked.at[0].at < req.At {
			r.statesAt[asked.at[0]] = b.States(asked.at[0].key, asked.at[0].at)
			asked.at = asked.at[1:]
		}
		if asked.why[i] {
			if r.why[i], err = b.Explain(req); err != nil {
				return nil, err
			}
		}
		decisions, err := b.Decide(req)
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", i+1, err)
		}
		r.requests = append(r.requests, req)
		for lane, d := range decisions {
			r.decisions[lane] = append(r.decisions[lane], d)
		}
		if asked.after[i] {
			r.statesAfter[i] = b.States(req.Key, req.At)
		}
	}
	for _, a := range asked.at {
		r.statesAt[a] = b.States(a.key, a.at)
	}
	r.bytes, r.keys = b.Bytes(), b.Keys()
	return r, nil
}

// questions are what the expectations ask of a run besides its decisions, by
// the request's index.
type questions struct {
	why, after map[int]bool
	at         []instantOf // in time order
}

func (s Scenario) asked() questions {
	q := questions{map[int]bool{}, map[int]bool{}, nil}
	for i := range s.Expectations {
		e := &s.Expectations[i]
		switch {
		case e.kind.state && e.At != nil:
			q.at = append(q.at, instantOf{e.stateKey(), *e.At})
		case e.kind.state:
			for _, n := range e.Requests {
				q.after[n-1] = true
			}
		case e.Kind == kindCompared:
			for _, n := range e.Requests {
				q.why[n-1] = true
			}
		}
	}
	slices.SortStableFunc(q.at, func(a, b instantOf) int { return int(min(max(a.at-b.at, -1), 1)) })
	return q
}

func (r *record) outcome(e Expectation) (Outcome, error) {
	got, err := e.kind.measure(r, &e)
	return Outcome{e, got, err == nil && slices.Equal(got, e.Is)}, err
}

// each calls f with the index of each request that e means.
func (r *record) each(e *Expectation, f func(i int)) error {
	if e.Requests == nil {
		for i := range r.requests {
			if r.ofKey(e, i) {
				f(i)
			}
		}
		return nil
	}
	for _, n := range e.Requests {
		if n > len(r.requests) {
			return fmt.Errorf("there is no request %d: %d were sent", n, len(r.requests))
		}
		if r.ofKey(e, n-1) {
			f(n - 1)
		}
	}
	return nil
}

func (r *record) ofKey(e *Expectation, i int) bool { return e.Key == "" || e.Key == r.requests[i].Key }

func (r *record) decision(e *Expectation, i int) lab.Decision { return r.decisions[e.lane][i] }

// bytesPerKey is the memory that a lane's states take, per key, rounded down.
func (r *record) bytesPerKey(lane int) int64 { return r.bytes[lane] / int64(max(r.keys, 1)) }
