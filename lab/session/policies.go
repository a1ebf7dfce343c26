package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/policyfile"
)

// Policies sets the policies, one lane each, from now on: `policies
// {"policies":[…]}`. A lane whose policy was there before goes on; every other
// starts fresh, and has decided nothing of what came before.
type Policies struct{ Policies []lab.Policy }

func parsePolicies(args string, offset int) (Command, error) {
	// The name says that it is JSON.
	policies, err := policyfile.Read("policies.json", []byte(args))
	var at *policyfile.Error
	if errors.As(err, &at) {
		return nil, &CommandError{offset + offsetOf(args, at.Line, at.Column), at.Message}
	}
	if err != nil {
		return nil, &CommandError{offset, err.Error()}
	}
	return Policies{policies}, nil
}

// offsetOf is the byte at a line and a column of characters, both from 1.
func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		offset += strings.IndexByte(text[offset:], '\n') + 1
	}
	for i := range text[offset:] {
		if column--; column == 0 {
			return offset + i
		}
	}
	return len(text)
}

func (c Policies) String() string {
	// Marshalling numbers and strings cannot fail.
	text, _ := json.Marshal(map[string][]lab.Policy{"policies": append([]lab.Policy{}, c.Policies...)})
	return "policies " + string(text)
}

// countError says that there are too few or too many policies.
func countError(n int, limits Limits) error {
	return &lab.PolicyError{Reason: fmt.Sprintf("%d policies; expected 1 to %d", n, limits.Policies)}
}

func (c Policies) apply(s *State) error {
	if len(c.Policies) == 0 || len(c.Policies) > s.limits.Policies {
		return countError(len(c.Policies), s.limits)
	}
	if slices.EqualFunc(c.Policies, s.bench.Policies(), lab.Policy.Same) {
		return nil
	}
	if err := s.bench.SetPolicies(c.Policies); err != nil {
		return err
	}
	s.generation++
	s.record.change(s.bench.Policies(), s.generation, s.now)
	return nil
}
