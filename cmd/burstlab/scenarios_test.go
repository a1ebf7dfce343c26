package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/scenarios"
)

// spoiled is a scenario whose limiter has one token less than it promises.
func spoiled(t *testing.T) scenarios.Scenario {
	t.Helper()
	s, ok := scenarios.ByName("app-script")
	if !ok {
		t.Fatal("there is no scenario app-script")
	}
	s.Policies = slices.Clone(s.Policies)
	s.Policies[0].Burst--
	return s
}

func TestRunOneFails(t *testing.T) {
	var out bytes.Buffer
	if err := runOne(&out, spoiled(t)); !errors.Is(err, errFailed) {
		t.Errorf("error %v, want %v", err, errFailed)
	}
	if want := "FAILS  token: decisions"; !strings.Contains(out.String(), want) {
		t.Errorf("the report does not say %q:\n%s", want, out.String())
	}
}

func TestRunAllFails(t *testing.T) {
	sound, _ := scenarios.ByName("window-edge")
	var out bytes.Buffer
	if err := runAll(t.Context(), &out, []scenarios.Scenario{sound, spoiled(t), sound}); !errors.Is(err, errFailed) {
		t.Errorf("error %v, want %v", err, errFailed)
	}
	for _, want := range []string{"holds  window-edge: 5 expectations\n", "FAILS  app-script: 2 of 6 expectations\n", "3 scenarios, 16 expectations: 2 of them fail\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output does not say %q:\n%s", want, out.String())
		}
	}
}

// TestRunCannotStart: a scenario that cannot be run is an error of its own.
func TestRunCannotStart(t *testing.T) {
	s := spoiled(t)
	s.Policies[0].Algorithm = lab.Algorithm("no-such")
	for _, err := range []error{runOne(io.Discard, s), runAll(t.Context(), io.Discard, []scenarios.Scenario{s})} {
		if err == nil || errors.Is(err, errFailed) || !strings.Contains(err.Error(), "no-such") {
			t.Errorf("error %v, want one that names the algorithm", err)
		}
	}
}

func TestScenariosToAReaderThatHasGone(t *testing.T) {
	for _, args := range [][]string{{"scenarios"}, {"scenarios", "run", "window-edge"}, {"scenarios", "run", "--all"}} {
		if status, stderr := try(t.Context(), nil, failingWriter{errors.New("no space left")}, args...); status != 1 || stderr != "burstlab: no space left\n" {
			t.Errorf("%v: status %d, stderr %q", args, status, stderr)
		}
	}
}
