package lab

import "math/big"

// Unit says what a number of an [Arithmetic] counts, so that a view can write
// it with the right word.
type Unit uint8

const (
	// Plain is a bare number: a cost, a factor, a window's number.
	Plain Unit = iota
	// Requests counts requests by their cost.
	Requests
	// Tokens counts tokens of a bucket.
	Tokens
	// Nanoseconds is a length of time.
	Nanoseconds
	// Instant is a [Time].
	Instant
)

// Quantity is one named number, exact.
type Quantity struct {
	Name  string
	Unit  Unit
	Value *big.Rat
}

// Sign joins a term to the ones before it.
type Sign string

const (
	Plus    Sign = "+"
	Minus   Sign = "−"
	Times   Sign = "×"
	Over    Sign = "/"
	Less    Sign = "<"
	AtMost  Sign = "≤"
	AtLeast Sign = "≥"
)

// Term is a quantity with the sign that stands before it. The first term of a
// side has no sign. Signs bind as in school: × and / before + and −.
type Term struct {
	Sign Sign
	Quantity
}

// Arithmetic is why a request passes or not, as data: the terms of the left
// side, its value, and the number with which it is compared. The request passes
// exactly when "Value Op Right" holds. It describes a decision and never makes
// one.
type Arithmetic struct {
	Left  []Term
	Value Quantity
	Op    Sign
	Right []Term
	// RightValue is the value of the right side.
	RightValue Quantity
	// Holds says whether the comparison holds: whether the request passes.
	Holds bool
	// Then holds what the request would do to the state when it passes, for
	// instance a leaky bucket's leaving time. Empty when there is nothing to
	// say.
	Then []Quantity
}
