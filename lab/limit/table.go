package limit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/burstlab/burstlab/lab"
)

// Errors of [Table.Arrive]. The request was not decided and left no trace.
var (
	ErrKeysFull   = errors.New("the key table is full: a request with a new key cannot be decided until keys are dropped")
	ErrKeyTooLong = fmt.Errorf("the key is too long: at most %d bytes", MaxKeyLength)
)

const (
	// MaxKeyLength bounds a key's text, in bytes.
	MaxKeyLength = 4096
	// MaxKeys bounds the keys of any table.
	MaxKeys = 1 << 28
)

// Table gives every key a small dense number and remembers the latest time seen
// for it. No two keys ever share a number, whatever they hash to.
//
// It takes 12 bytes per key and 5 bytes per slot of the index, which is filled
// to between 7/16 and 7/8: 17.7 to 23.4 bytes per key, plus the key's text and
// one or two bytes of its length.
type Table struct {
	seed  maphash.Seed
	max   int
	index []group // a power of two of them
	room  int     // how many more keys the index takes before it grows
	keys  pages[keyEntry]
	next  Key   // the first number never given out
	free  []Key // numbers given back
	texts arena

	// The key of the last request. Requests come in bursts of one key, which then
	// needs neither a hash nor a lookup. lastText is the caller's string, held
	// until another key comes; lastEntry is nil when there is none.
	lastText  string
	last      Key
	lastEntry *keyEntry
}

// keyEntry is 12 bytes: the time is in two halves so that it needs no more than
// 4-byte alignment.
type keyEntry struct {
	seenLow, seenHigh uint32
	text              textRef
}

func (e *keyEntry) seen() lab.Time { return lab.Time(uint64(e.seenHigh)<<32 | uint64(e.seenLow)) }

func (e *keyEntry) setSeen(t lab.Time) {
	e.seenLow, e.seenHigh = uint32(t), uint32(uint64(t)>>32)
}

// group is eight slots of the index. A control byte is 0 for an empty slot and
// otherwise 0x80 with seven bits of the key's hash, so that a lookup compares
// texts almost only for the key that it seeks. The way of a Swiss table
// (abseil.io/about/design/swisstables), with key numbers as its elements.
type group struct {
	control [8]uint8
	keys    [8]Key
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// NewTable returns an empty table that takes at most maxKeys keys; 0 means
// MaxKeys.
func NewTable(maxKeys int) *Table {
	t := &Table{seed: maphash.MakeSeed()}
	t.SetMax(maxKeys)
	t.setIndex(1)
	return t
}

// SetMax bounds the keys anew; 0 means MaxKeys. Keys over the bound stay.
func (t *Table) SetMax(maxKeys int) {
	if maxKeys <= 0 || maxKeys > MaxKeys {
		maxKeys = MaxKeys
	}
	t.max = maxKeys
}

// Len is how many keys the table holds.
func (t *Table) Len() int { return int(t.next) - len(t.free) }

// Text is k's text.
func (t *Table) Text(k Key) string { return t.texts.get(t.keys.at(k).text) }

// Seen is the latest time seen for k.
func (t *Table) Seen(k Key) lab.Time { return t.keys.at(k).seen() }

// Find returns key's number, if the table holds it.
func (t *Table) Find(key string) (Key, bool) { return t.find(key, maphash.String(t.seed, key)) }

// Arrive takes note of a request: it finds or makes its key's number, clamps its
// time, and writes all that to a. The error is [ErrKeysFull], [ErrKeyTooLong] or
// what [lab.Request.Check] says; the table is then as before.
func (t *Table) Arrive(r *lab.Request, a *Arrival) error {
	if err := r.Check(); err != nil {
		return err
	}
	if t.lastEntry == nil || r.Key != t.lastText {
		hash := maphash.String(t.seed, r.Key)
		k, ok := t.find(r.Key, hash)
		if !ok {
			var err error
			if k, err = t.add(r.Key, hash, r.At); err != nil {
				return err
			}
		}
		t.lastText, t.last, t.lastEntry = r.Key, k, t.keys.at(k)
	}
	t.lastEntry.arrive(t.last, r, a)
	return nil
}

// Admit returns the error that Arrive would, and takes note of nothing.
func (t *Table) Admit(r lab.Request) error {
	if err := r.Check(); err != nil {
		return err
	}
	if _, ok := t.Find(r.Key); ok {
		return nil
	}
	return t.fits(r.Key)
}

// fits says whether there is room for a key that the table does not hold.
func (t *Table) fits(key string) error {
	switch {
	case len(key) > MaxKeyLength:
		return ErrKeyTooLong
	case t.Len() >= t.max || !t.texts.fits(key):
		return ErrKeysFull
	}
	return nil
}

// ArriveKey is Arrive for a key whose number is known. It does not look at
// r.Key, nor check r.
func (t *Table) ArriveKey(k Key, r *lab.Request, a *Arrival) { t.keys.at(k).arrive(k, r, a) }

func (e *keyEntry) arrive(k Key, r *lab.Request, a *Arrival) {
	seen, at := e.seen(), r.At
	a.Key, a.Seen, a.Cost, a.Service = k, seen, r.Cost, r.Service
	if at < seen {
		a.At, a.Clamped = seen, true
		return
	}
	a.At, a.Clamped = at, false
	e.setSeen(at)
}

// Peek is what Arrive would return, without taking note of anything. For a key
// that the table does not hold, the number is one that no key has.
func (t *Table) Peek(r lab.Request) (Arrival, error) {
	if err := r.Check(); err != nil {
		return Arrival{}, err
	}
	k, ok := t.Find(r.Key)
	if !ok {
		return Arrival{Key: t.next, Seen: r.At, At: r.At, Cost: r.Cost, Service: r.Service}, nil
	}
	seen := t.Seen(k)
	at := max(r.At, seen)
	return Arrival{Key: k, Seen: seen, At: at, Cost: r.Cost, Service: r.Service, Clamped: r.At < seen}, nil
}

func (t *Table) find(key string, hash uint64) (Key, bool) {
	mask := uint64(len(t.index) - 1)
	tag := hash>>57 | 0x80
	for i, step := hash&mask, uint64(1); ; i, step = (i+step)&mask, step+1 {
		g := &t.index[i]
		control := binary.LittleEndian.Uint64(g.control[:])
		// Bytes equal to tag become zero; the usual trick then finds zero bytes.
		// It may report a byte above a true match, which the text rules out.
		x := control ^ tag*lowBits
		for m := (x - lowBits) & ^x & highBits; m != 0; m &= m - 1 {
			k := g.keys[bits.TrailingZeros64(m)>>3&7]
			if t.texts.equal(t.keys.at(k).text, key) {
				return k, true
			}
		}
		if control&highBits != highBits {
			return 0, false
		}
	}
}

// add makes a number for a key that the table does not hold.
func (t *Table) add(key string, hash uint64, at lab.Time) (Key, error) {
	if err := t.fits(key); err != nil {
		return 0, err
	}
	text := t.texts.add(key)
	var k Key
	if n := len(t.free); n > 0 {
		k, t.free = t.free[n-1], t.free[:n-1]
	} else {
		k = t.next
		t.next++
	}
	e := t.keys.at(k)
	e.text = text
	e.setSeen(at)
	if t.room == 0 {
		t.rebuild(2 * len(t.index))
	} else {
		t.put(k, hash)
	}
	return k, nil
}

// put writes k into the first empty slot of its probe sequence.
func (t *Table) put(k Key, hash uint64) {
	mask := uint64(len(t.index) - 1)
	for i, step := hash&mask, uint64(1); ; i, step = (i+step)&mask, step+1 {
		g := &t.index[i]
		for s, c := range g.control {
			if c == 0 {
				g.control[s], g.keys[s] = uint8(hash>>57|0x80), k
				t.room--
				return
			}
		}
	}
}

func (t *Table) setIndex(groups int) {
	t.index = make([]group, groups)
	t.room = groups * 7
}

// rebuild makes the index anew with every key that is in use.
func (t *Table) rebuild(groups int) {
	t.setIndex(groups)
	for k := range t.Keys() {
		t.put(k, maphash.String(t.seed, t.Text(k)))
	}
}

// Keys yields the numbers of the keys that the table holds, in order.
func (t *Table) Keys() func(yield func(Key) bool) {
	return func(yield func(Key) bool) {
		for k := range t.next {
			if t.keys.at(k).text != noText && !yield(k) {
				return
			}
		}
	}
}

// Drop gives back the numbers of all keys for which fresh holds, and returns
// them. It costs a pass over the table. The caller forgets their states; to
// change no decision, fresh must hold only for keys whose states equal a fresh
// key's, and no later request may carry an earlier time than those seen for
// them.
func (t *Table) Drop(fresh func(k Key, seen lab.Time) bool) []Key {
	var dropped []Key
	for k := range t.Keys() {
		if fresh(k, t.Seen(k)) {
			dropped = append(dropped, k)
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	t.lastEntry = nil
	for _, k := range dropped {
		*t.keys.at(k) = keyEntry{}
	}
	t.free = append(t.free, dropped...)
	old := t.texts
	t.texts = arena{}
	for k := range t.Keys() {
		e := t.keys.at(k)
		e.text = t.texts.add(old.get(e.text))
	}
	groups := 1
	for groups*7 < t.Len() {
		groups *= 2
	}
	t.rebuild(groups)
	return dropped
}

// Clone returns an independent copy.
func (t *Table) Clone() *Table {
	c := *t
	c.index = append([]group(nil), t.index...)
	c.keys = t.keys.clone()
	c.lastEntry = nil
	c.free = append([]Key(nil), t.free...)
	c.texts = t.texts.clone()
	return &c
}

// Bytes is the memory that the table takes, the keys' texts included.
func (t *Table) Bytes() int64 {
	return int64(len(t.index))*int64(unsafe.Sizeof(group{})) + t.keys.bytes() + int64(cap(t.free))*4 + t.texts.bytes()
}
