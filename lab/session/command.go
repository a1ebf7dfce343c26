package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab/traffic"
)

// Command is something that somebody does in a session. Its String is one line
// that [Parse] reads back; the log holds it in that form.
type Command interface {
	String() string
	// apply changes the state, whose lab time has been brought up to date. On
	// error nothing has changed.
	apply(s *State) error
}

// MaxCommand bounds the text of a command, in bytes.
const MaxCommand = 64 << 10

// CommandError says what is wrong with a command's text, and where.
type CommandError struct {
	// Offset is the byte in the text at which the mistake is.
	Offset  int
	Message string
}

func (e *CommandError) Error() string { return e.Message }

func commandError(offset int, format string, args ...any) error {
	return &CommandError{offset, fmt.Sprintf(format, args...)}
}

// verbs are all commands, in the order in which help names them.
var verbs = []struct {
	word  string
	parse func(args string, offset int) (Command, error)
}{
	{"send", parseSend},
	{"stream", parseStream},
	{"stop", bare(Stop{})},
	{"policies", parsePolicies},
	{"pause", bare(Pause{})},
	{"resume", bare(Resume{})},
	{"pace", parsePace},
	{"step", parseStep},
	{"reset", bare(Reset{})},
	{"hit", parseHit},
}

// Parse reads a command. The error is a *[CommandError].
func Parse(text string) (Command, error) {
	if len(text) > MaxCommand {
		return nil, commandError(MaxCommand, "the command is too long: %d bytes; expected at most %d", len(text), MaxCommand)
	}
	word, args, _ := strings.Cut(strings.TrimRight(text, " \t\r\n"), " ")
	for _, v := range verbs {
		if v.word == word {
			offset := min(len(word)+1, len(text))
			c, err := v.parse(args, offset)
			if err == nil && !textKeys(c) {
				return nil, commandError(offset, "a key is not text; expected UTF-8")
			}
			// Some verbs complete what they are given to a whole notation, and
			// a mistake may show only beyond the text's end.
			var at *CommandError
			if errors.As(err, &at) {
				at.Offset = min(at.Offset, len(text))
			}
			return c, err
		}
	}
	words := make([]string, len(verbs))
	for i, v := range verbs {
		words[i] = v.word
	}
	return nil, commandError(0, "%.40q is not a command; expected one of %s", word, strings.Join(words, ", "))
}

// textKeys says whether all keys of a command are text: what is told of a session
// as JSON could not tell others apart.
func textKeys(c Command) bool {
	switch c := c.(type) {
	case Send:
		for _, p := range c.Traffic.Patterns {
			// All requests of a pattern have the same key.
			for r := range (traffic.Traffic{Patterns: []traffic.Pattern{p}}).Requests(0) {
				if !utf8.ValidString(r.Key) {
					return false
				}
				break
			}
		}
	case Stream:
		return utf8.ValidString(c.Each.Key)
	case Hit:
		return utf8.ValidString(c.Each.Key)
	}
	return true
}

func bare(c Command) func(string, int) (Command, error) {
	return func(args string, offset int) (Command, error) {
		if strings.TrimSpace(args) != "" {
			return nil, commandError(offset, "%.40q stands after %s; expected nothing", args, c)
		}
		return c, nil
	}
}

// Stamp is real time: nanoseconds since the session was made. The room sets it,
// never a client.
type Stamp int64

// Entry is a command in the log.
type Entry struct {
	// Seq numbers the entries of a session from 1.
	Seq uint64
	// Stamp is when the command was given; never earlier than the entry
	// before's.
	Stamp   Stamp
	Command Command
}

type entryJSON struct {
	Seq     uint64 `json:"seq"`
	Stamp   Stamp  `json:"stamp"`
	Command string `json:"command"`
}

// MarshalJSON writes the entry with its command as text.
func (e Entry) MarshalJSON() ([]byte, error) {
	return json.Marshal(entryJSON{e.Seq, e.Stamp, e.Command.String()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var j entryJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	c, err := Parse(j.Command)
	if err != nil {
		return fmt.Errorf("entry %d: %w", j.Seq, err)
	}
	*e = Entry{j.Seq, j.Stamp, c}
	return nil
}
