package lab

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// FileError says where a file that a person gave is wrong, and what was expected
// there.
type FileError struct {
	File string
	// Line and Column count from 1; columns count characters.
	Line, Column int
	Message      string
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Place is the line and the column of an offset in bytes, as a [FileError] has
// them.
func Place(text string, offset int) (line, column int) {
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Clip shortens what an error quotes.
func Clip(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
