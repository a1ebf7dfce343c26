package traffic

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/burstlab/burstlab/lab"
)

// MaxRandom bounds the requests of all [Random] patterns of a traffic together:
// to find the first of n, about n/32 random words are drawn.
const MaxRandom = 10_000_000

// Random sends at random moments of an interval: "random 4/s 0s..20s seed=7".
//
// It makes as many requests as a [Steady] of the same rate, each at a moment of
// the interval that is as likely as any other and independent of the rest: a
// Poisson process, given how many arrivals it had. The same seed gives the same
// moments on every machine.
type Random struct {
	Rate     Rate
	From, To lab.Time
	Seed     uint64
	Each
}

// Check implements [Pattern].
func (r Random) Check() error {
	if err := r.Rate.check(partRate, 1); err != nil {
		return err
	}
	if err := checkInterval(r.From, r.To); err != nil {
		return err
	}
	if err := checkTotal(partRate, r.Count(), MaxRandom); err != nil {
		return err
	}
	return r.check()
}

// Count implements [Pattern].
func (r Random) Count() int64 { return r.Rate.due(r.To.Sub(r.From)) }

// Span implements [Pattern].
func (r Random) Span() (first, last lab.Time) { return r.From, r.To - 1 }

func (r Random) requests() cursor { return &arrivals{r, newPlaces(r.Count(), r.Seed)} }

// arrivals is the cursor of a Random.
type arrivals struct {
	Random
	places places
}

func (a *arrivals) next() (lab.Request, bool) {
	u, ok := a.places.next()
	if !ok {
		return lab.Request{}, false
	}
	offset, _ := bits.Mul64(u, uint64(a.To.Sub(a.From)))
	return a.Request(a.From + lab.Time(offset)), true
}

func (a *arrivals) clone() cursor { return &arrivals{a.Random, a.places.clone()} }

// places gives n independent uniform numbers of 64 bits in rising order, without
// holding them: it knows how many fall into a range, tosses a coin for each to
// say how many of them fall into the range's left half, and goes left first.
// 64 tosses are one random word, so the whole costs about n·log₂(n)/64 words.
type places struct {
	source rand.PCG
	stack  []place
}

// place is a range of 2^size numbers from low on that holds n of them.
type place struct {
	n    int64
	low  uint64
	size uint8
}

func newPlaces(n int64, seed uint64) places {
	return places{*rand.NewPCG(seed, 0), []place{{n, 0, 64}}}
}

func (p *places) clone() places { return places{p.source, slices.Clone(p.stack)} }

func (p *places) next() (uint64, bool) {
	for len(p.stack) > 0 {
		top := &p.stack[len(p.stack)-1]
		switch {
		case top.n == 0:
			p.stack = p.stack[:len(p.stack)-1]
		case top.size == 0 || top.n == 1:
			top.n--
			return top.low + p.source.Uint64()&(1<<top.size-1), true
		default:
			left := p.heads(top.n)
			top.n -= left
			top.size--
			low := top.low
			top.low += 1 << top.size
			p.stack = append(p.stack, place{left, low, top.size})
		}
	}
	return 0, false
}

// heads tosses n fair coins.
func (p *places) heads(n int64) int64 {
	var heads int
	for ; n >= 64; n -= 64 {
		heads += bits.OnesCount64(p.source.Uint64())
	}
	if n > 0 {
		heads += bits.OnesCount64(p.source.Uint64() & (1<<n - 1))
	}
	return int64(heads)
}

// String implements [Pattern].
func (r Random) String() string {
	s := "random " + r.Rate.String() + " " + formatInterval(r.From, r.To)
	if r.Seed != 0 {
		s += " seed=" + strconv.FormatUint(r.Seed, 10)
	}
	return s + r.suffix()
}

func parseRandom(s *scanner) Pattern {
	var r Random
	r.Rate = s.rate(partRate, 1)
	r.From, r.To = s.interval()
	r.Each, r.Seed = s.eachAndSeed()
	return r
}
