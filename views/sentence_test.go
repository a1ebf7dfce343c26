package views

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
	"github.com/burstlab/burstlab/lab/labtest"
)

func TestSentence(t *testing.T) {
	for _, c := range []struct {
		p    lab.Policy
		want string
	}{
		{lab.Policy{Algorithm: lab.TokenBucket, Limit: 10, Per: time.Second, Burst: 10}, "10 at once, then one every 100 ms; at most 20 in any second"},
		{lab.Policy{Algorithm: lab.TokenBucket, Limit: 7, Per: time.Second, Burst: 3, Initial: lab.InitialEmpty}, "starts empty; 7 every second, up to 3 at once; at most 10 in any second"},
		{lab.Policy{Algorithm: lab.GCRA, Limit: 1, Per: 24 * time.Hour, Burst: 2}, "2 at once, then one every day; at most 3 in any day"},
		{lab.Policy{Algorithm: lab.GCRA, Limit: 2, Per: 3 * time.Millisecond, Burst: 1}, "1 at once, then one every 1.5 ms; at most 3 in any 3 ms"},
		{lab.Policy{Algorithm: lab.GCRA, Limit: 1_000_000, Per: time.Second, Burst: 50}, "50 at once, then 1,000,000 every second; at most 1,000,050 in any second"},
		{lab.Policy{Algorithm: lab.LeakyBucket, Limit: 2, Per: time.Second, Queue: 4}, "leaks one every 500 ms, holds up to 4; at most 2 leave in any second"},
		{lab.Policy{Algorithm: lab.LeakyBucket, Limit: 2, Per: time.Second, Queue: 4, First: lab.FirstAfterGap}, "leaks one every 500 ms, holds up to 4, the first leaves after a gap; at most 2 leave in any second"},
		{lab.Policy{Algorithm: lab.FixedWindow, Limit: 999_983, Per: 24 * time.Hour}, "999,983 in each window of 1 d; across the edge of two windows up to 1,999,966 in any day"},
		{lab.Policy{Algorithm: lab.FixedWindow, Limit: 5, Per: 90 * time.Second, Align: lab.AlignFirstRequest}, "5 in each window of 1 min 30 s, which a first request starts; across the edge of two windows up to 9 in any 1 min 30 s"},
		{lab.Policy{Algorithm: lab.FixedWindow, Limit: 1, Per: time.Hour, Align: lab.AlignFirstRequest}, "1 in each window of 1 h, which a first request starts; at most 1 in any hour"},
		{lab.Policy{Algorithm: lab.SlidingLog, Limit: 100, Per: time.Minute}, "at most 100 in any minute"},
		{lab.Policy{Algorithm: lab.SlidingCounter, Limit: 10, Per: time.Second}, "about 10 in any second, by an estimate; never more than 20"},
		{lab.Policy{Algorithm: lab.Concurrency, Limit: 5}, "5 in progress at once; how many in a second depends on how long each takes"},
	} {
		if got := plain(Sentence(c.p)); got != c.want {
			t.Errorf("Sentence(%+v) = %q; expected %q", c.p, got, c.want)
		}
	}
}

// What the words of a length of time say is the length to the nanosecond.
func TestExactIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, int64(lab.MaxSpan)).Draw(t, "d") >> rapid.IntRange(0, 60).Draw(t, "shift"))
		if said := spanOf(t, exact(d)); said.Num().Int64() != int64(d) || !said.IsInt() {
			t.Fatalf("exact(%d ns) = %q says %s ns", d, exact(d), said.RatString())
		}
	})
}

// passage is what a policy let through at an instant.
type passage struct {
	at   lab.Time
	cost int64
}

// passages are what p lets through of requests of one key, by when it leaves.
func passages(t interface{ Fatal(...interface{}) }, p lab.Policy, requests []lab.Request) (out []passage) {
	b, err := bench.New([]lab.Policy{p}, bench.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		d, err := b.Decide(r)
		if err != nil {
			t.Fatal(err)
		}
		if d[0].Verdict.Passed() && r.Key == requests[0].Key {
			out = append(out, passage{d[0].Leaves(), r.Cost})
		}
	}
	return out
}

// most is the largest sum in any span [t, t + span), of costs or, counted, of
// requests.
func most(ps []passage, span time.Duration, counted bool) (most int64) {
	for _, first := range ps {
		var sum int64
		for _, p := range ps {
			switch d := p.at.Sub(first.at); {
			case d < 0 || d >= span:
			case counted:
				sum++
			default:
				sum += p.cost
			}
		}
		most = max(most, sum)
	}
	return most
}

func TestNoTrafficExceedsWhatTheSentenceSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := labtest.Policy(t)
		bound, bounded := guarantee(p)
		if bounded != p.Algorithm.Has(lab.FieldPer) {
			t.Fatalf("%s: bounded %v", p.Algorithm, bounded)
		}
		if !bounded {
			return
		}
		if p.Per < 200 && rapid.Bool().Draw(t, "dense") { // as much as possible, from any offset
			got := most(passages(t, p, dense(lab.Time(rapid.IntRange(0, 300).Draw(t, "start")), 3*p.Per, min(p.Limit+p.Burst+p.Queue, 30))), p.Per, p.Algorithm == lab.LeakyBucket)
			if got > bound {
				t.Fatalf("%+v let %d through within per; the sentence says %q", p, got, Sentence(p))
			}
			return
		}
		got := most(passages(t, p, labtest.Requests(t, p, 80, true)), p.Per, p.Algorithm == lab.LeakyBucket)
		if got > bound {
			t.Fatalf("%+v let %d through within per; the sentence says %q", p, got, Sentence(p))
		}
	})
}

// dense is n requests in every nanosecond of a span that begins at start.
func dense(start lab.Time, span time.Duration, n int64) (out []lab.Request) {
	for at := start; at < start.Add(span); at++ {
		for range n {
			out = append(out, lab.Request{At: at, Key: "ann", Cost: 1})
		}
	}
	return out
}

// TestSomeTrafficReachesWhatTheSentenceSays: the number is not merely safe.
func TestSomeTrafficReachesWhatTheSentenceSays(t *testing.T) {
	seen := map[lab.Algorithm]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := labtest.PolicyOf(t, rapid.SampledFrom(lab.Algorithms[:6]).Draw(t, "of"))
		p.Limit = rapid.Int64Range(1, 8).Draw(t, "small limit")
		p.Per = time.Duration(2*p.Limit + rapid.Int64Range(1, 30).Draw(t, "more"))
		p.Burst, p.Queue = min(p.Burst, 8), min(p.Queue, 8)
		if p.Queue == 1 {
			p.Queue++ // in a queue of one nobody waits for the next gap
		}
		if p.Burst == 1 && int64(p.Per)%p.Limit != 0 {
			p.Burst++ // what comes within the nanosecond in which a bucket of one gets full is lost
		}
		p.Initial = "" // an empty bucket first has to fill
		seen[p.Algorithm]++
		edge := lab.Time(3*p.Per) - 1 // the last nanosecond of a window
		span, counted := p.Per, false
		var requests []lab.Request
		switch p.Algorithm {
		case lab.TokenBucket, lab.GCRA:
			span++ // both ends counted
			requests = dense(0, span, p.Burst+1)
		case lab.LeakyBucket:
			counted = true
			requests = dense(0, 2*p.Per+time.Duration(p.Queue)*p.Per, 1)
		case lab.SlidingLog:
			requests = dense(0, p.Per, p.Limit+1)
		default:
			if p.Align == lab.AlignFirstRequest {
				requests = dense(edge+1-lab.Time(p.Per), 1, 1)
			}
			requests = append(requests, dense(edge, p.Per, p.Limit+1)...)
		}
		want, _ := guarantee(p)
		if got := most(passages(t, p, requests), span, counted); got != want {
			t.Fatalf("%+v let %d through; the sentence says %q", p, got, Sentence(p))
		}
	})
	if len(seen) != 6 {
		t.Errorf("not all algorithms were tried: %v", seen)
	}
}
