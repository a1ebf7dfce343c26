package policyfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// parseJSON reads one JSON value.
func parseJSON(data []byte) (*node, *problem) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, refuse(place{1, 1}, "the file is empty; %s", shape)
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(data, &whole); {
	case errors.As(err, &syntax):
		// The offset is behind the character that is wrong.
		at := min(max(int(syntax.Offset)-1, 0), len(data))
		switch message := syntax.Error(); {
		case message == "unexpected end of JSON input":
			return nil, refuse(placeOf(data, len(data)), "the file ends in the middle of a value; expected the rest of it")
		case strings.HasSuffix(message, "exceeded max depth"):
			return nil, tooDeep(placeOf(data, at))
		}
		return nil, refuse(placeOf(data, at), "this is not JSON: %v", err)
	case err != nil:
		return nil, refuse(place{1, 1}, "this is not JSON: %v", err)
	}
	r := &jsonReader{data: data, tokens: json.NewDecoder(bytes.NewReader(data))}
	r.tokens.UseNumber()
	return r.value(0)
}

// jsonReader builds nodes of JSON that is known to be correct.
type jsonReader struct {
	data   []byte
	tokens *json.Decoder
	// counted is how far placed has got, so that places cost one walk in all.
	counted int
	placed  place
}

// next returns the next token and its place.
func (r *jsonReader) next() (json.Token, place) {
	at := int(r.tokens.InputOffset())
	for bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	if r.placed == (place{}) {
		r.placed = place{1, 1}
	}
	for _, c := range string(r.data[r.counted:at]) {
		r.placed.column++
		if c == '\n' {
			r.placed = place{r.placed.line + 1, 1}
		}
	}
	r.counted = at
	token, err := r.tokens.Token()
	if err != nil {
		panic(fmt.Sprintf("policyfile: correct JSON has no token at %d: %v", at, err))
	}
	return token, r.placed
}

func (r *jsonReader) value(depth int) (*node, *problem) {
	token, at := r.next()
	if depth > maxDepth {
		return nil, tooDeep(at)
	}
	n := &node{place: at}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			n.kind = list
			for r.tokens.More() {
				item, p := r.value(depth + 1)
				if p != nil {
					return nil, p
				}
				n.items = append(n.items, item)
			}
		} else {
			n.kind = object
			for r.tokens.More() {
				key, keyAt := r.next()
				value, p := r.value(depth + 1)
				if p != nil {
					return nil, p
				}
				n.entries = append(n.entries, entry{key.(string), keyAt, value})
			}
		}
		r.next() // the closing bracket
	case string:
		n.kind, n.text = text, v
	case json.Number:
		n.kind, n.text = number, v.String()
	case bool:
		n.kind = truth
	case nil:
		n.kind = null
	}
	return n, nil
}
