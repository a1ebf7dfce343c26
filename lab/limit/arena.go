package limit

import "encoding/binary"

// textRef says where an arena holds a text; noText says that there is none.
type textRef uint32

const noText textRef = 0

const (
	chunkBits = 16
	chunkSize = 1 << chunkBits
	maxChunks = 1 << (32 - chunkBits)
)

// arena holds texts end to end, each after its length as a varint, in chunks
// that never move. It takes up to 4 GiB.
type arena struct {
	chunks [][]byte // all but the last are full; each has capacity of at most chunkSize
}

// fits says whether there is room for s.
func (a *arena) fits(s string) bool {
	last := len(a.chunks) - 1
	return last < maxChunks-1 || len(a.chunks[last])+len(s)+binary.MaxVarintLen16 <= chunkSize
}

// add copies s, which fits, into the arena.
func (a *arena) add(s string) textRef {
	need := len(s) + binary.MaxVarintLen16
	last := len(a.chunks) - 1
	if last < 0 || len(a.chunks[last])+need > chunkSize {
		// The first byte stays unused, so that no reference equals noText. A
		// first chunk starts small, for the many tables with few keys.
		size := chunkSize
		if last < 0 {
			size = max(256, need+1)
		}
		a.chunks = append(a.chunks, make([]byte, 1, size))
		last++
	}
	ref := textRef(last<<chunkBits | len(a.chunks[last]))
	a.chunks[last] = append(binary.AppendUvarint(a.chunks[last], uint64(len(s))), s...)
	return ref
}

// bytesAt is the text at ref, in place.
func (a *arena) bytesAt(ref textRef) []byte {
	b := a.chunks[ref>>chunkBits][ref&(chunkSize-1):]
	n := uint(b[0])
	if n < 0x80 {
		return b[1 : 1+n]
	}
	n = n&0x7f | uint(b[1])<<7 // MaxKeyLength needs at most two bytes
	return b[2 : 2+n]
}

func (a *arena) equal(ref textRef, s string) bool { return string(a.bytesAt(ref)) == s }

func (a *arena) get(ref textRef) string { return string(a.bytesAt(ref)) }

func (a *arena) clone() arena {
	c := arena{make([][]byte, len(a.chunks))}
	for i, chunk := range a.chunks {
		c.chunks[i] = append(make([]byte, 0, cap(chunk)), chunk...)
	}
	return c
}

func (a *arena) bytes() int64 {
	n := int64(cap(a.chunks)) * 24
	for _, c := range a.chunks {
		n += int64(cap(c))
	}
	return n
}
