package scenarios

import (
	"fmt"
	"slices"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// Decide gives the scenario's requests to its policies: what each decided, by
// policy, then by request.
func (s Scenario) Decide() ([]lab.Request, [][]lab.Decision, error) {
	s.Expectations = nil
	r, err := s.record()
	if err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return r.requests, r.decisions, nil
}

// Explain is what one policy decided about request number n, counted from 1, and
// why.
func (s Scenario) Explain(policy string, n int) (lab.Decision, lab.Arithmetic, error) {
	lane := slices.IndexFunc(s.Policies, func(p lab.Policy) bool { return p.Name == policy })
	if lane < 0 {
		return lab.Decision{}, lab.Arithmetic{}, fmt.Errorf("scenario %s has no policy %q", s.Name, policy)
	}
	b, err := bench.New(s.Policies, bench.Options{})
	if err != nil {
		return lab.Decision{}, lab.Arithmetic{}, err
	}
	i := 0
	for req := range s.Sent.Requests() {
		if i++; i > MaxRequests {
			break
		}
		if i < n {
			if _, err := b.Decide(req); err != nil {
				return lab.Decision{}, lab.Arithmetic{}, err
			}
			continue
		}
		why, err := b.Explain(req)
		if err != nil {
			return lab.Decision{}, lab.Arithmetic{}, err
		}
		decisions, err := b.Decide(req)
		if err != nil {
			return lab.Decision{}, lab.Arithmetic{}, err
		}
		return decisions[lane], why[lane], nil
	}
	return lab.Decision{}, lab.Arithmetic{}, fmt.Errorf("scenario %s has no request %d", s.Name, n)
}

// Reads turns a text in which a person may write a value of the expectation's
// kind into the one text that stands for it, to be compared with [Expectation.Is].
func (e Expectation) Reads(text string) (string, error) { return e.kind.of.read(text) }
