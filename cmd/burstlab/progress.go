package main

import (
	"fmt"
	"io"
	"time"

	"github.com/burstlab/burstlab/lab"
)

// progress shows how far a long replay is, on a terminal.
type progress struct {
	to    io.Writer // nil when there is no terminal
	next  time.Time // when to write again
	shown bool
}

// The first word comes when the work turns out to be long.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

func newProgress(stderr io.Writer) *progress {
	p := &progress{next: time.Now().Add(progressAfter)}
	if isTerminal(stderr) {
		p.to = stderr
	}
	return p
}

// show writes over the line before. Size is that of the whole input, in bytes; 0
// when it is not known.
func (p *progress) show(what string, requests, read, size int64) {
	if p.to == nil || time.Now().Before(p.next) {
		return
	}
	p.next, p.shown = time.Now().Add(progressEvery), true
	share := ""
	if size > 0 {
		share = fmt.Sprintf(", %d %%", min(100, 100*read/size))
	}
	fmt.Fprintf(p.to, "\r\x1b[K%s: %s requests%s", what, lab.FormatCount(requests), share)
}

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
}
