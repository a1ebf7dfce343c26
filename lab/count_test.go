package lab_test

import (
	"math"
	"testing"

	"github.com/burstlab/burstlab/lab"
)

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567",
		-7: "-7", -999: "-999", -1000: "-1,000", -123456: "-123,456",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := lab.FormatCount(n); got != want {
			t.Errorf("FormatCount(%d) = %q; expected %q", n, got, want)
		}
	}
}
