// Package policyfile reads and writes policies as people keep them: a file in
// JSON or YAML of the shape
//
//	{"policies": [{"name": "api", "algorithm": "token-bucket", "limit": 10, "per": "1s", "burst": 10}]}
//
// Reading is strict. What is not a policy down to the last character is refused
// with its line and column and what was expected there.
package policyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/burstlab/burstlab/lab"
)

const (
	// MaxSize bounds a file, in bytes; MaxYAML one in YAML, which takes much
	// longer to read.
	MaxSize = 1 << 20
	MaxYAML = 64 << 10
	// MaxPolicies bounds the policies of a file.
	MaxPolicies = 64
)

// Error says where a file is wrong, and what was expected there.
type Error = lab.FileError

// place is a line and a column from 1.
type place struct {
	line, column int
}

// problem is an Error before its file is known.
type problem struct {
	place
	message string
}

// refuse says what is wrong at a place.
func refuse(at place, format string, args ...any) *problem {
	return &problem{at, fmt.Sprintf(format, args...)}
}

// Read reads policies, 1 to MaxPolicies of them, that pass their check and have
// different names. A file whose name ends in .json is JSON and one that ends in
// .yaml or .yml is YAML; any other is JSON when it begins with a brace. The error
// is an *[Error].
func Read(file string, data []byte) ([]lab.Policy, error) {
	policies, p := read(file, data)
	if p != nil {
		return nil, &Error{File: file, Line: p.line, Column: p.column, Message: p.message}
	}
	return policies, nil
}

func read(file string, data []byte) ([]lab.Policy, *problem) {
	if len(data) > MaxSize {
		return nil, refuse(place{1, 1}, "the file is too long; expected at most %d bytes", MaxSize)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := firstNotUTF8(data); at >= 0 {
		return nil, refuse(placeOf(data, at), "the byte %#x is not UTF-8; expected text in UTF-8", data[at])
	}
	parse := parseYAML
	if isJSON(file, data) {
		parse = parseJSON
	}
	root, p := parse(data)
	if p != nil {
		return nil, p
	}
	return decode(root)
}

func isJSON(file string, data []byte) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".json":
		return true
	case ".yaml", ".yml":
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

func firstNotUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// placeOf is the place of an offset.
func placeOf(data []byte, offset int) place {
	line, column := lab.Place(string(data), offset)
	return place{line, column}
}

// Write writes policies as indented JSON that Read reads.
func Write(policies []lab.Policy) []byte {
	data, err := json.MarshalIndent(struct {
		Policies []lab.Policy `json:"policies"`
	}{policies}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("policyfile: a policy cannot be written: %v", err))
	}
	return append(data, '\n')
}
