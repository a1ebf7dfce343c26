package scenarios

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
)

// formula is arithmetic over named numbers, exact: + - * / and parentheses, as
// in Go. A formula has no names but those that it is evaluated with.
type formula struct {
	text string
	expr ast.Expr
}

func parseFormula(text string) (formula, error) {
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return formula{}, fmt.Errorf("formula %q: %w", text, err)
	}
	f := formula{text, expr}
	// Whatever the names mean, the formula's shape can be checked now.
	anything := func(string) (*big.Rat, bool) { return big.NewRat(1, 1), true }
	if _, err := f.value(anything); err != nil && err != errDivision {
		return formula{}, err
	}
	return f, nil
}

var errDivision = fmt.Errorf("a formula divides by 0")

// value is what the formula comes to when its names mean what lookup says.
func (f formula) value(lookup func(name string) (*big.Rat, bool)) (*big.Rat, error) {
	return f.eval(f.expr, lookup)
}

func (f formula) eval(e ast.Expr, lookup func(string) (*big.Rat, bool)) (*big.Rat, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.eval(e.X, lookup)
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return parseNumber(e.Value)
		}
	case *ast.Ident:
		if r, ok := lookup(e.Name); ok {
			return r, nil
		}
		return nil, fmt.Errorf("formula %q: %q means nothing here", f.text, e.Name)
	case *ast.BinaryExpr:
		x, err := f.eval(e.X, lookup)
		if err != nil {
			return nil, err
		}
		y, err := f.eval(e.Y, lookup)
		if err != nil {
			return nil, err
		}
		r := new(big.Rat)
		switch e.Op {
		case token.ADD:
			return r.Add(x, y), nil
		case token.SUB:
			return r.Sub(x, y), nil
		case token.MUL:
			return r.Mul(x, y), nil
		case token.QUO:
			if y.Sign() == 0 {
				return nil, errDivision
			}
			return r.Quo(x, y), nil
		}
	}
	return nil, fmt.Errorf("formula %q: expected whole numbers, decimals and names with + - * / and parentheses", f.text)
}
