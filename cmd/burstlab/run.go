package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// commands are the program's commands, each in a file of its own. A command's
// Run method is called with the environment.
type commands struct {
	Serve     serve            `cmd:"" default:"withargs" help:"Serve the lab to browsers and to scripts. The default."`
	Replay    replay           `cmd:"" help:"Run policies over a trace of requests and print every decision, or a summary."`
	Scenarios scenariosCommand `cmd:"" help:"List and run worked examples, each with the numbers that must come out."`
	Lesson    lessonCommand    `cmd:"" help:"Check lessons of your own."`
}

// environment is what a command may touch of the outside.
type environment struct {
	ctx            context.Context // done at an interrupt or a request to terminate
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// The program's exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the work could not be done, or a check failed
	exitUsage  = 2 // wrong flags or wrong input
)

// inputError is an error of what the person gave: it ends with exitUsage.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// errFailed ends the program with exitFailed after a command has said all itself.
var errFailed = errors.New("failed")

// run is the program: it reads the arguments, runs a command and returns the
// exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) (status int) {
	// Kong exits by itself after --help.
	type exit int
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exit:
			status = int(e)
		default:
			panic(e)
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the program at once, whatever it waits for.
	context.AfterFunc(ctx, stop)

	var c commands
	parser := kong.Must(&c,
		kong.Name("burstlab"),
		kong.Description("A lab for rate limiting: send bursts, watch every algorithm decide, and see why."),
		kong.Writers(stdout, stderr),
		kong.Vars{"maxkeys": strconv.Itoa(limit.MaxKeys)},
		kong.Exit(func(code int) { panic(exit(code)) }),
	)
	chosen, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "burstlab: %v\nRun \"burstlab --help\" to see what there is.\n", err)
		return exitUsage
	}
	done := make(chan error, 1)
	go func() { done <- chosen.Run(&environment{ctx, stdin, stdout, stderr, getenv}) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = wound(done, chosen.Command() == "serve")
	}
	return exitStatus(err, stderr)
}

// patience is how long an interrupted command may take to end by itself. It may
// wait for a file, a pipe or a reader that never comes to anything.
const patience = 500 * time.Millisecond

// wound waits for an interrupted command. A server has time-outs of its own.
func wound(done <-chan error, server bool) error {
	if server {
		return <-done
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errors.New("interrupted")
	}
}

// exitStatus says what there is to say of a command's error.
func exitStatus(err error, stderr io.Writer) int {
	var wrong inputError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, blamed(wrong.error))
		return exitUsage
	case errors.Is(err, errFailed), errors.Is(err, syscall.EPIPE):
		// A reader that has gone, as in "burstlab replay … | head", needs no word.
		return exitFailed
	}
	fmt.Fprintf(stderr, "burstlab: %v\n", err)
	return exitFailed
}

// isTerminal says whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// blamed begins a message with who says it: the program, unless it names a place
// in a file, as compilers do.
func blamed(err error) string {
	if place := (*lab.FileError)(nil); errors.As(err, &place) {
		return err.Error()
	}
	return "burstlab: " + err.Error()
}
