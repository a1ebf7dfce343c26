package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/traffic"
	"github.com/burstlab/burstlab/lab/traffic/lessontrace"
)

// lessonTrace makes a lesson's trace. Its number, where it has one, is the seed
// or the load.
type lessonTrace struct {
	word  string // before the number; empty when there is none
	most  int64  // the largest number
	trace func(number int64) []lab.Request
}

var lessonTraces = map[string]lessonTrace{
	"bursty": {"seed", 1 << 32, lessontrace.Bursty},
	"gaps":   {"", 0, func(int64) []lab.Request { return lessontrace.Gaps() }},
	"steady": {"load", 10, lessontrace.Steady},
	"bursts": {"load", 10, lessontrace.Bursts},
}

// readTrace makes the trace that text names: "bursty seed 7", "steady load 2",
// "gaps".
func readTrace(text string) (traffic.Traffic, error) {
	words := strings.Fields(text)
	fail := func(format string, args ...any) (traffic.Traffic, error) {
		return traffic.Traffic{}, fmt.Errorf("trace: %q: %s", text, fmt.Sprintf(format, args...))
	}
	if len(words) == 0 {
		return fail("expected a trace's name")
	}
	l, ok := lessonTraces[words[0]]
	if !ok {
		return fail("expected one of %s", names(lessonTraces))
	}
	number := int64(0)
	if l.word == "" {
		if len(words) > 1 {
			return fail("expected %s alone", words[0])
		}
	} else {
		if len(words) != 3 || words[1] != l.word {
			return fail("expected %s %s and a number", words[0], l.word)
		}
		var err error
		if number, err = strconv.ParseInt(words[2], 10, 64); err != nil || number < 1 || number > l.most {
			return fail("expected a %s from 1 to %d", l.word, l.most)
		}
	}
	trace := traffic.NewTrace(l.trace(number))
	return traffic.Traffic{Patterns: []traffic.Pattern{trace}}, nil
}
