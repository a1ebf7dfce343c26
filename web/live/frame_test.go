package live

import "testing"

type sized int

func (s sized) Size() int { return int(s) }

// The ring keeps the newest frames, as many and as long as it may, and always
// the very newest.
func TestRing(t *testing.T) {
	for _, c := range []struct {
		size, kept int
	}{{1, ringSize}, {ringBytes / ringSize, ringSize}, {ringBytes / 10, 10}, {ringBytes * 2, 1}} {
		var r ring
		for range 3 * ringSize {
			r.add(sized(c.size))
		}
		missed, ok := r.since(r.last - uint64(c.kept))
		if !ok || len(missed) != c.kept {
			t.Errorf("frames of %d bytes: %d of the newest %d are kept", c.size, len(missed), c.kept)
		}
		if _, ok := r.since(r.last - uint64(c.kept) - 1); ok {
			t.Errorf("frames of %d bytes: more than %d are kept", c.size, c.kept)
		}
		if r.bytes != int64(c.size*c.kept) {
			t.Errorf("frames of %d bytes: %d kept are said to be %d bytes", c.size, c.kept, r.bytes)
		}
		held := 0
		for _, m := range r.frames {
			if m != nil {
				held++
			}
		}
		if held != c.kept {
			t.Errorf("frames of %d bytes: the ring holds on to %d, want %d", c.size, held, c.kept)
		}
	}
}
