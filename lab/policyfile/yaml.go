package policyfile

import (
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxTokens bounds the words and signs of a YAML file before it is parsed, and
// with it the time, the memory and the depth of parsing, some of which grow with
// its square. 64 policies have about 2,300.
const maxTokens = 4096

// parseYAML reads one YAML document. Anchors, aliases, merge keys and tags are
// refused: policies do not need them, and aliases can make a small file large.
func parseYAML(data []byte) (*node, *problem) {
	if len(data) > MaxYAML {
		return nil, refuse(place{1, 1}, "the file is too long; expected at most %d bytes in YAML", MaxYAML)
	}
	if at := indentingTab(data); at >= 0 {
		return nil, refuse(placeOf(data, at), "a tab indents this line; expected spaces")
	}
	tokens := lexer.Tokenize(string(data))
	if len(tokens) > maxTokens {
		return nil, refuse(tokenPlace(tokens[maxTokens]), "the file has too many parts; expected at most %d policies", MaxPolicies)
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	var syntax yaml.Error
	switch {
	case errors.As(err, &syntax):
		return nil, refuse(tokenPlace(syntax.GetToken()), "this is not YAML: %s", syntax.GetMessage())
	case err != nil:
		return nil, refuse(place{1, 1}, "this is not YAML: %v", err)
	}
	var root ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType:
		case doc.Body.Type() == ast.DirectiveType:
			return nil, refuse(nodePlace(doc.Body), "found %s; %s", yamlName(doc.Body), shape)
		case root != nil:
			return nil, refuse(nodePlace(doc.Body), "a second document begins here; expected one")
		default:
			root = doc.Body
		}
	}
	if root == nil {
		return nil, refuse(place{1, 1}, "the file is empty; %s", shape)
	}
	return yamlNode(root, 0)
}

// indentingTab is the offset of the first tab that indents a line, or -1.
func indentingTab(data []byte) int {
	indent := true
	for at, c := range data {
		if c == '\t' && indent {
			return at
		}
		indent = c == '\n' || indent && c == ' '
	}
	return -1
}

func tokenPlace(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// nodePlace is where n begins; the token of a mapping is its first colon.
func nodePlace(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return nodePlace(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return nodePlace(n.Key)
	case *ast.LiteralNode:
		return tokenPlace(n.Start)
	}
	return tokenPlace(n.GetToken())
}

func yamlNode(from ast.Node, depth int) (*node, *problem) {
	at := nodePlace(from)
	if depth > maxDepth {
		return nil, tooDeep(at)
	}
	n := &node{place: at}
	switch v := from.(type) {
	case *ast.MappingNode:
		n.kind = object
		return n, n.addEntries(v.Values, depth)
	case *ast.MappingValueNode:
		n.kind = object
		return n, n.addEntries([]*ast.MappingValueNode{v}, depth)
	case *ast.SequenceNode:
		n.kind = list
		for _, value := range v.Values {
			item, p := yamlNode(value, depth+1)
			if p != nil {
				return nil, p
			}
			n.items = append(n.items, item)
		}
	case *ast.StringNode:
		n.kind, n.text = text, v.Value
	case *ast.LiteralNode:
		n.kind, n.text = text, v.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		n.kind, n.text = number, v.GetToken().Value
	case *ast.BoolNode:
		n.kind = truth
	case *ast.NullNode:
		n.kind = null
	default:
		return nil, refuse(at, "found %s; expected plain values, without anchors, aliases, merge keys and tags", yamlName(from))
	}
	return n, nil
}

// addEntries adds the fields of a mapping.
func (n *node) addEntries(values []*ast.MappingValueNode, depth int) *problem {
	for _, v := range values {
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			return refuse(nodePlace(v.Key), "found %s as a field's name; expected a plain word", yamlName(v.Key))
		}
		value, p := yamlNode(v.Value, depth+1)
		if p != nil {
			return p
		}
		n.entries = append(n.entries, entry{key.Value, nodePlace(key), value})
	}
	return nil
}

func yamlName(n ast.Node) string {
	switch n.(type) {
	case *ast.AnchorNode:
		return "an anchor (&)"
	case *ast.AliasNode:
		return "an alias (*)"
	case *ast.MergeKeyNode:
		return "a merge key (<<)"
	case *ast.TagNode:
		return "a tag (!)"
	case *ast.MappingKeyNode:
		return "a key that is marked with ?"
	case *ast.DirectiveNode:
		return "a directive (%)"
	case *ast.NullNode:
		return "nothing"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	}
	return "something else"
}
