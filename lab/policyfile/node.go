package policyfile

// node is a value of a file, whatever its language, with its place.
type node struct {
	place
	kind    kind
	text    string  // of a text, and of a number or another word as it is written
	entries []entry // of an object
	items   []*node // of a list
}

type kind int

const (
	object kind = iota
	list
	text
	number
	truth
	null
)

func (k kind) String() string {
	return [...]string{"an object", "a list", "a text", "a number", "true or false", "null"}[k]
}

// entry is a field of an object; keyAt is the place of its name.
type entry struct {
	key   string
	keyAt place
	value *node
}

// maxDepth bounds how deep values nest. Policies need three.
const maxDepth = 8

func tooDeep(at place) *problem {
	return refuse(at, "values nest too deeply; expected policies in a list in an object")
}
