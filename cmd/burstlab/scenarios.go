package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/burstlab/burstlab/scenarios"
)

// scenariosCommand lists and runs the worked examples.
type scenariosCommand struct {
	List listScenarios `cmd:"" default:"1" help:"List the scenarios."`
	Run  runScenarios  `cmd:"" help:"Run a scenario: print its tables, and each number that it promises beside the one that came out."`
}

type listScenarios struct{}

// Run is the command.
func (listScenarios) Run(e *environment) error {
	out := bufio.NewWriter(e.stdout)
	all := scenarios.All()
	width := 0
	for _, s := range all {
		width = max(width, len(s.Name))
	}
	group := ""
	for _, s := range all {
		if s.Group != group {
			if group != "" {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, s.Group)
			group = s.Group
		}
		fmt.Fprintf(out, "  %-*s  %s\n", width, s.Name, s.Title)
	}
	return out.Flush()
}

type runScenarios struct {
	Name string `arg:"" optional:"" help:"The scenario's name, as the list has it."`
	All  bool   `help:"Run every scenario; only those with a number that did not come out are printed whole."`
}

// Run is the command. It fails when a number did not come out as promised.
func (c *runScenarios) Run(e *environment) error {
	switch {
	case c.All && c.Name != "":
		return inputError{errors.New("expected a scenario's name or --all, not both")}
	case c.All:
		return runAll(e.ctx, e.stdout, scenarios.All())
	case c.Name == "":
		return inputError{errors.New(`expected a scenario's name, or --all; run "burstlab scenarios" to see the names`)}
	}
	s, ok := scenarios.ByName(c.Name)
	if !ok {
		meant := ""
		if near := scenarios.Nearest(c.Name); near != "" {
			meant = fmt.Sprintf("; did you mean %q?", near)
		}
		return inputError{fmt.Errorf("there is no scenario %q%s Run \"burstlab scenarios\" to see all", c.Name, cmp.Or(meant, "."))}
	}
	return runOne(e.stdout, s)
}

// runOne runs a scenario and prints it whole.
func runOne(w io.Writer, s scenarios.Scenario) error {
	result, err := s.Run()
	if err != nil {
		return err
	}
	if err := scenarios.Report(w, s, result); err != nil {
		return err
	}
	if result.Failed() > 0 {
		return errFailed
	}
	return nil
}

// runAll runs a list of scenarios and prints a line for each, and those that
// fail whole.
func runAll(ctx context.Context, w io.Writer, list []scenarios.Scenario) error {
	out := bufio.NewWriter(w)
	expectations, failed := int64(0), 0
	for _, s := range list {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		result, err := s.Run()
		if err != nil {
			return err
		}
		expectations += int64(len(result.Outcomes))
		failed += result.Failed()
		if n := result.Failed(); n > 0 {
			fmt.Fprintf(out, "FAILS  %s: %d of %d expectations\n\n", s.Name, n, len(result.Outcomes))
			if err := scenarios.Report(out, s, result); err != nil {
				return err
			}
			fmt.Fprintln(out)
			continue
		}
		fmt.Fprintf(out, "holds  %s: %s\n", s.Name, counted(int64(len(result.Outcomes)), "expectation"))
	}
	fmt.Fprintf(out, "\n%s, %s: ", counted(int64(len(list)), "scenario"), counted(expectations, "expectation"))
	if failed == 0 {
		fmt.Fprintln(out, "all hold")
		return out.Flush()
	}
	fmt.Fprintf(out, "%d of them fail\n", failed)
	return errors.Join(out.Flush(), errFailed)
}
