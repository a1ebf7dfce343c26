package live

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
)

// Words of a room's name: short, said the same way everywhere, and not mixed up
// with one another.
var words = [64]string{
	"ACORN", "AMBER", "APPLE", "BADGER", "BAMBOO", "BASIL", "BEACH", "BERRY",
	"BIRCH", "BRAVO", "BRIDGE", "CACTUS", "CANYON", "CEDAR", "CHERRY", "CLOUD",
	"COBALT", "COMET", "CORAL", "CRANE", "DELTA", "DOLPHIN", "EAGLE", "ECHO",
	"EMBER", "FALCON", "FERN", "FOREST", "GARNET", "GINGER", "GRANITE", "HARBOR",
	"HAZEL", "INDIGO", "ISLAND", "IVORY", "JASMINE", "JUNIPER", "KOALA", "LAGOON",
	"LEMON", "LILAC", "LOTUS", "MANGO", "MAPLE", "MARBLE", "MEADOW", "NECTAR",
	"OASIS", "OLIVE", "ORBIT", "OTTER", "PANDA", "PEBBLE", "PEPPER", "QUARTZ",
	"RAVEN", "RIVER", "SAFFRON", "SIERRA", "TULIP", "VELVET", "WALNUT", "ZEBRA",
}

// letters are Crockford's base 32: no I, L, O or U.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newName makes a name such as MANGO-4F2K-9TQX: 46 random bits, so that a room
// is found by those who were told its name and not by trying.
func newName() string {
	var random [8]byte
	rand.Read(random[:]) // never fails
	bits := binary.LittleEndian.Uint64(random[:])
	var name strings.Builder
	name.WriteString(words[bits%uint64(len(words))])
	bits >>= 6
	for i := range 8 {
		if i%4 == 0 {
			name.WriteByte('-')
		}
		name.WriteByte(letters[bits%uint64(len(letters))])
		bits >>= 5
	}
	return name.String()
}
