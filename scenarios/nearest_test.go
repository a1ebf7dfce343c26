package scenarios

import "testing"

func TestNearest(t *testing.T) {
	for _, test := range []struct{ typed, want string }{
		{"burst-of-14-tokn", "burst-of-14-token"},
		{"burst-of-14", "burst-of-14-token"},
		{"windowedge", "window-edge"},
		{"five", "five-policies"},
		{"hour-bursty2x", "hour-bursty-2x"},
		{"nope", ""},
		{"", ""},
	} {
		if got := Nearest(test.typed); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.typed, got, test.want)
		}
	}
}

func TestDistanceToBeginning(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 0}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abcdef", 0}, {"abd", "abcdef", 1}, {"kitten", "sitting", 2}, {"xyz", "abc", 3},
	} {
		if got := distanceToBeginning(test.a, test.b); got != test.want {
			t.Errorf("distanceToBeginning(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
