package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/burstlab/burstlab/lab"
)

// Policies sets the policies, one lane each, from now on: `policies
// {"policies":[…]}`. A lane whose policy was there before goes on; every other
// starts fresh, and has decided nothing of what came before.
type Policies struct{ Policies []lab.Policy }

func parsePolicies(args string, offset int) (Command, error) {
	var file struct {
		Policies []lab.Policy `json:"policies"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(args)))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, commandError(offset+int(d.InputOffset()), "the policies cannot be read: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, commandError(offset+int(d.InputOffset()), "text stands after the policies; expected nothing")
	}
	if err := lab.CheckPolicies(file.Policies); err != nil {
		return nil, &CommandError{offset, err.Error()}
	}
	return Policies{file.Policies}, nil
}

func (c Policies) String() string {
	// Marshalling numbers and strings cannot fail.
	text, _ := json.Marshal(map[string][]lab.Policy{"policies": append([]lab.Policy{}, c.Policies...)})
	return "policies " + string(text)
}

func (c Policies) apply(s *State) error {
	if len(c.Policies) == 0 || len(c.Policies) > s.limits.Policies {
		return refusal("%d policies; expected 1 to %d", len(c.Policies), s.limits.Policies)
	}
	if slices.Equal(c.Policies, s.bench.Policies()) {
		return nil
	}
	if err := s.bench.SetPolicies(c.Policies); err != nil {
		return err
	}
	s.generation++
	return nil
}
