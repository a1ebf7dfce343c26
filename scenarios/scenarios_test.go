package scenarios

import (
	"testing"
)

// TestScenarios runs every scenario and checks every number that it promises.
func TestScenarios(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			result, err := s.Run()
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range result.Outcomes {
				if !o.Holds {
					t.Errorf("%s = %v, want %v", o.Label(), Roll(o.Got), Roll(o.Is))
				}
			}
		})
	}
}
