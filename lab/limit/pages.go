package limit

import "unsafe"

// pageSize is a compromise: small enough that a room with three keys costs
// little, large enough that a million keys need few pages.
const (
	pageBits = 8
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

// pages is an array by key number that grows without moving what it holds, so
// that growing neither copies nor leaves slack.
type pages[T any] struct {
	list []*[pageSize]T
}

// at returns the element of k, growing the array when k is new.
func (p *pages[T]) at(k Key) *T {
	i := int(k >> pageBits)
	if i >= len(p.list) {
		p.grow(i)
	}
	return &p.list[i][k&pageMask]
}

func (p *pages[T]) grow(i int) {
	for len(p.list) <= i {
		p.list = append(p.list, new([pageSize]T))
	}
}

// get returns k's element without growing: the zero value when there is none.
func (p *pages[T]) get(k Key) T {
	i := int(k >> pageBits)
	if i >= len(p.list) {
		var zero T
		return zero
	}
	return p.list[i][k&pageMask]
}

// clear makes k's element zero.
func (p *pages[T]) clear(k Key) {
	if i := int(k >> pageBits); i < len(p.list) {
		var zero T
		p.list[i][k&pageMask] = zero
	}
}

func (p *pages[T]) clone() pages[T] {
	c := pages[T]{make([]*[pageSize]T, len(p.list))}
	for i, page := range p.list {
		copied := *page
		c.list[i] = &copied
	}
	return c
}

func (p *pages[T]) bytes() int64 {
	var page [pageSize]T
	return int64(len(p.list)) * int64(unsafe.Sizeof(page)+unsafe.Sizeof(&page))
}

// spare is how many elements an empty list may have room for. A key that once had
// many gives the rest back, or a bound on entries would not bound memory.
const spare = 64
