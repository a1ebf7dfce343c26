// Package link writes a session into an address, so that a link reproduces it:
// policies, traffic with its seeds, pace, and where one looks. The text is a
// version, a point, and JSON that is compressed (zlib, RFC 1950, whose checksum
// tells a damaged link) and written in the base64 for addresses (RFC 4648,
// section 5).
package link

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/policyfile"
	"github.com/burstlab/burstlab/lab/session"
)

// Bounds of a link. An address of MaxLength is understood by every browser, and
// by this server within its bound on a request's head.
const (
	MaxLength   = 8000    // characters of a link's text
	maxContent  = 1 << 20 // bytes of what it holds when it is inflated
	maxCommands = 5000    // commands in it
	// MaxRequests bounds the requests that it makes.
	MaxRequests = 200_000
)

// version stands before the text. Another one is another format.
const version = "2"

// Link is what a link's text holds.
type Link struct {
	Recording session.Recording
	// Cursor is the lab time at which one looks, from 0 to the recording's end.
	Cursor lab.Time
}

// TooLongError says why a session does not fit into a link.
type TooLongError struct{ Reason string }

func (e *TooLongError) Error() string { return e.Reason }

func tooLong(format string, args ...any) error {
	return &TooLongError{"the session is too long for a link: " + fmt.Sprintf(format, args...)}
}

// Error says why a text cannot be read as a link.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

func linkError(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// content is the JSON. Lab times are in nanoseconds; a command's is told as the
// distance from the one before, which deflates better.
type content struct {
	Policies json.RawMessage `json:"p"`
	Commands []timed         `json:"c,omitempty"`
	End      lab.Time        `json:"e"`
	Pace     session.Tempo   `json:"x"`
	Cursor   lab.Time        `json:"u"`
}

type timed struct {
	after   int64
	command string
}

func (t timed) MarshalJSON() ([]byte, error) { return json.Marshal([]any{t.after, t.command}) }

func (t *timed) UnmarshalJSON(data []byte) error {
	pair := []any{&t.after, &t.command}
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("%d values; expected a time and a command", len(pair))
	}
	return nil
}

// Write writes the link's text. The error is a *[TooLongError].
func (l Link) Write() (string, error) {
	r := l.Recording
	switch n := r.Requests(); {
	case n > MaxRequests:
		return "", tooLong("up to %s requests; a link reproduces at most %s", lab.FormatCount(n), lab.FormatCount(MaxRequests))
	case len(r.Given) > maxCommands:
		return "", tooLong("%s commands; a link holds at most %s", lab.FormatCount(int64(len(r.Given))), lab.FormatCount(maxCommands))
	}
	c := content{Policies: policyfile.Write(r.Policies), End: r.End, Pace: r.Pace, Cursor: l.Cursor}
	before := lab.Time(0)
	for _, g := range r.Given {
		c.Commands = append(c.Commands, timed{int64(g.At - before), g.Command.String()})
		before = g.At
	}
	// Marshalling numbers and strings, and writing to memory, cannot fail.
	text, _ := json.Marshal(c)
	if len(text) > maxContent {
		return "", tooLong("%s bytes; a link holds at most %s", lab.FormatCount(int64(len(text))), lab.FormatCount(maxContent))
	}
	var packed bytes.Buffer
	w, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	_, _ = w.Write(text)
	_ = w.Close()
	link := version + "." + base64.RawURLEncoding.EncodeToString(packed.Bytes())
	if len(link) > MaxLength {
		return "", tooLong("%s characters; a link has at most %s", lab.FormatCount(int64(len(link))), lab.FormatCount(MaxLength))
	}
	return link, nil
}

// damaged is what a text is that no version has written.
const damaged = "the link is cut off or damaged"

// Read reads a link's text. The error is an *[Error]. The recording is as the
// text says; whether it can be played, [session.Recording.History] finds out.
func Read(text string) (Link, error) {
	if len(text) > MaxLength {
		return Link{}, linkError("the link is too long: %s characters; expected at most %s", lab.FormatCount(int64(len(text))), lab.FormatCount(MaxLength))
	}
	v, body, _ := strings.Cut(text, ".")
	if v != version {
		if isVersion(v) {
			return Link{}, linkError("the link is of version %s; this Burstlab reads version %s", v, version)
		}
		return Link{}, linkError("this is not a link of Burstlab; expected its text to begin with %q", version+".")
	}
	packed, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil {
		return Link{}, linkError("%s: expected letters, digits, - and _ after %q", damaged, version+".")
	}
	rest := bytes.NewReader(packed)
	inflated, err := zlib.NewReader(rest)
	if err != nil {
		return Link{}, linkError("%s: its beginning is not as expected", damaged)
	}
	content, err := io.ReadAll(io.LimitReader(inflated, maxContent+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Link{}, linkError("%s: its end is missing", damaged)
	case err != nil:
		return Link{}, linkError("%s: some of it has been changed", damaged)
	case len(content) > maxContent:
		return Link{}, linkError("the link holds too much: expected at most %s bytes", lab.FormatCount(maxContent))
	case rest.Len() > 0:
		return Link{}, linkError("%s: something stands after its end", damaged)
	}
	return decode(content)
}

func isVersion(v string) bool {
	return v != "" && len(v) <= 3 && strings.Trim(v, "0123456789") == "" && v[0] != '0'
}

func decode(text []byte) (Link, error) {
	var c content
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil || d.More() {
		return Link{}, linkError("%s: what it holds is not as expected", damaged)
	}
	if len(c.Commands) > maxCommands {
		return Link{}, linkError("the link holds %s commands; expected at most %s", lab.FormatCount(int64(len(c.Commands))), lab.FormatCount(maxCommands))
	}
	policies, err := policyfile.Read("link.json", c.Policies)
	if err != nil {
		return Link{}, linkError("the link’s policies: %v", err)
	}
	if c.End < 0 || c.End > session.MaxNow {
		return Link{}, linkError("the link ends at %s ms; expected a lab time from 0 to %s ms", c.End.Millis(), session.MaxNow.Millis())
	}
	if c.Cursor < 0 || c.Cursor > c.End {
		return Link{}, linkError("the link looks at %s ms; expected a lab time from 0 to its end at %s ms", c.Cursor.Millis(), c.End.Millis())
	}
	if c.Pace < session.MinTempo || c.Pace > session.MaxTempo {
		return Link{}, linkError("the link’s pace is %s; expected %s to %s", c.Pace, session.MinTempo, session.MaxTempo)
	}
	r := session.Recording{Policies: policies, End: c.End, Pace: c.Pace}
	at := lab.Time(0)
	for i, t := range c.Commands {
		if t.after < 0 || t.after > int64(c.End-at) {
			return Link{}, linkError("command %d of the link is given %d ns after the one before; expected 0 to the link’s end", i+1, t.after)
		}
		at += lab.Time(t.after)
		command, err := session.Parse(t.command)
		if err != nil {
			return Link{}, linkError("command %d of the link: %v", i+1, err)
		}
		switch command.(type) {
		case session.Send, session.Stream, session.Stop, session.Hit, session.Policies:
		default:
			return Link{}, linkError("command %d of the link is %.20q; expected what sends or sets policies", i+1, t.command)
		}
		r.Given = append(r.Given, session.Given{At: at, Command: command})
	}
	if n := r.Requests(); n > MaxRequests {
		return Link{}, linkError("the link makes up to %s requests; expected at most %s", lab.FormatCount(n), lab.FormatCount(MaxRequests))
	}
	return Link{r, c.Cursor}, nil
}
