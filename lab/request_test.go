package lab_test

import (
	"testing"
	"time"

	"github.com/burstlab/burstlab/lab"
)

func TestRequestCheck(t *testing.T) {
	for _, r := range []lab.Request{
		{At: lab.MinTime, Cost: 1},
		{At: lab.MaxTime, Cost: lab.MaxCount, Service: lab.MaxSpan},
	} {
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for want, r := range map[string]lab.Request{
		"cost 0 is out of range: a whole number from 1 to 1,000,000,000,000":                               {},
		"cost 1000000000001 is out of range: a whole number from 1 to 1,000,000,000,000":                   {Cost: lab.MaxCount + 1},
		"service time -1m is out of range: from 0 to 438000h":                                              {Cost: 1, Service: -time.Minute},
		"service time 438000h1m is out of range: from 0 to 438000h":                                        {Cost: 1, Service: lab.MaxSpan + time.Minute},
		"time 4611686018427.387904 ms is out of range: from -4611686018427.387903 to 4611686018427.387903": {At: lab.MaxTime + 1, Cost: 1},
	} {
		if err := r.Check(); err == nil || err.Error() != want {
			t.Errorf("%+v:\ngot  %v\nwant %s", r, err, want)
		}
	}
}
