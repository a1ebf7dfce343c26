package lab_test

import (
	"strings"
	"testing"

	"github.com/burstlab/burstlab/lab"
)

func TestPlaceCountsCharacters(t *testing.T) {
	const text = "é1\n\n\tü\xffx"
	for _, test := range []struct{ offset, line, column int }{
		{0, 1, 1}, {2, 1, 2}, {3, 1, 3}, {4, 2, 1}, {5, 3, 1}, {6, 3, 2}, {8, 3, 3}, {9, 3, 4}, {len(text), 3, 5},
	} {
		if line, column := lab.Place(text, test.offset); line != test.line || column != test.column {
			t.Errorf("offset %d: %d:%d, want %d:%d", test.offset, line, column, test.line, test.column)
		}
	}
}

func TestClipKeepsCharactersWhole(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		strings.Repeat("a", 40):         strings.Repeat("a", 40),
		strings.Repeat("a", 41):         strings.Repeat("a", 40) + "…",
		strings.Repeat("é", 21):         strings.Repeat("é", 20) + "…",
		"a" + strings.Repeat("é", 20):   "a" + strings.Repeat("é", 19) + "…",
		strings.Repeat("😀", 11):         strings.Repeat("😀", 10) + "…",
		"aaa" + strings.Repeat("😀", 10): "aaa" + strings.Repeat("😀", 9) + "…",
		strings.Repeat("\xff", 41):      strings.Repeat("\xff", 40) + "…",
		strings.Repeat("\x80", 41):      strings.Repeat("\x80", 36) + "…",
	} {
		if got := lab.Clip(text); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
}
