package limit

import (
	"encoding/binary"
	"slices"
)

// textRef says where an arena holds a text, as its chunk's number and an offset
// in it; noText says that there is none.
type textRef uint32

const noText textRef = 0

const (
	chunkBits = 16
	chunkSize = 1 << chunkBits
	maxChunks = 1 << (32 - chunkBits)
)

// arena holds texts end to end, each after its length as a varint, in chunks.
// Texts are only ever added. It takes up to 4 GiB.
type arena struct {
	chunks [][]byte // all but the last are full; none has more room than chunkSize
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
		// The first byte stays unused, so that no reference equals noText.
		a.chunks = append(a.chunks, []byte{0})
		last++
	}
	chunk := a.chunks[last]
	ref := textRef(last<<chunkBits | len(chunk))
	if cap(chunk)-len(chunk) < need {
		room := chunkSize
		if last == 0 { // starts small, for the many tables with few keys
			room = min(room, max(256, 2*(len(chunk)+need)))
		}
		chunk = append(make([]byte, 0, room), chunk...)
	}
	a.chunks[last] = append(binary.AppendUvarint(chunk, uint64(len(s))), s...)
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

// clone shares the texts that are there. The copy has no room in the last chunk,
// so that it adds to a chunk of its own.
func (a *arena) clone() arena {
	c := arena{slices.Clone(a.chunks)}
	if last := len(c.chunks) - 1; last >= 0 {
		c.chunks[last] = slices.Clip(c.chunks[last])
	}
	return c
}

// bytes counts texts that are shared with a copy as well.
func (a *arena) bytes() int64 {
	n := int64(cap(a.chunks)) * 24
	for _, c := range a.chunks {
		n += int64(cap(c))
	}
	return n
}
