package limit

import (
	"math/big"

	"github.com/burstlab/burstlab/lab"
)

// tokenBucket: tokens grow by limit every per, evenly, up to burst. A request of
// cost c passes if there are at least c, and takes them. In any span T it lets
// through at most burst + T × limit / per.
//
// It keeps 16 bytes per key: the tokens that are missing from a full bucket, in
// units of 1/den token. When they were last brought up to date is the key's
// time seen, which the table keeps for all policies.
type tokenBucket struct {
	meter
	empty   bool // initial: empty
	missing pages[wide]
}

// touched marks, in a bucket that starts empty, a state that is not a fresh
// key's. Quantities never reach this bit.
const touched = 1 << 63

func newTokenBucket(p lab.Policy) *tokenBucket {
	return &tokenBucket{meter: meterOf(p), empty: p.Initial == lab.InitialEmpty}
}

func (l *tokenBucket) Policy() lab.Policy { return l.policy }

// load is what is missing from k's bucket at an instant.
func (l *tokenBucket) load(k Key, seen, at lab.Time) wide {
	m := l.missing.get(k)
	if l.empty {
		if m.hi&touched == 0 {
			return l.full
		}
		m.hi &^= touched
	}
	return l.earn(m, at.Sub(seen))
}

func (l *tokenBucket) Decide(a *Arrival, d *lab.Decision) {
	m := l.decide(a, d, l.load(a.Key, a.Seen, a.At))
	if l.empty {
		m.hi |= touched
	}
	*l.missing.at(a.Key) = m
}

func (l *tokenBucket) Explain(a *Arrival) lab.Arithmetic {
	missing := l.load(a.Key, a.Seen, a.At)
	tokens := l.rate.ratRequests(l.full.sub(missing))
	why := lab.Arithmetic{
		Value:      lab.Quantity{Name: "tokens", Unit: lab.Tokens, Value: tokens},
		Op:         lab.AtLeast,
		Right:      []lab.Term{{Quantity: lab.Quantity{Name: "cost", Unit: lab.Requests, Value: ratInt(a.Cost)}}},
		RightValue: lab.Quantity{Name: "cost", Unit: lab.Requests, Value: ratInt(a.Cost)},
		Holds:      tokens.Cmp(ratInt(a.Cost)) >= 0,
	}
	before := l.load(a.Key, a.Seen, a.Seen)
	switch {
	case missing.zero():
		why.Left = []lab.Term{{Quantity: lab.Quantity{Name: "full bucket", Unit: lab.Tokens, Value: tokens}}}
	case before == missing:
		why.Left = []lab.Term{{Quantity: why.Value}}
	default:
		why.Left = []lab.Term{
			{Quantity: lab.Quantity{Name: "tokens before", Unit: lab.Tokens, Value: l.rate.ratRequests(l.full.sub(before))}},
			{Sign: lab.Plus, Quantity: lab.Quantity{Name: "time since", Unit: lab.Nanoseconds, Value: ratInt(int64(a.At.Sub(a.Seen)))}},
			{Sign: lab.Times, Quantity: lab.Quantity{Name: "limit", Unit: lab.Tokens, Value: ratInt(l.policy.Limit)}},
			{Sign: lab.Over, Quantity: lab.Quantity{Name: "per", Unit: lab.Nanoseconds, Value: ratInt(int64(l.policy.Per))}},
		}
	}
	if why.Holds {
		why.Then = []lab.Quantity{{Name: "tokens left", Unit: lab.Tokens, Value: new(big.Rat).Sub(tokens, ratInt(a.Cost))}}
	}
	return why
}

func (l *tokenBucket) State(k Key, seen, at lab.Time) lab.State {
	return l.state(l.load(k, seen, at), at)
}

// Fresh: a full bucket is a fresh one. A bucket that starts empty is fresh only
// before its first request.
func (l *tokenBucket) Fresh(k Key, seen, at lab.Time) bool {
	if l.empty {
		return l.missing.get(k).hi&touched == 0
	}
	return l.load(k, seen, at).zero()
}

func (l *tokenBucket) Forget(k Key) { l.missing.clear(k) }

func (l *tokenBucket) Clone() Limiters {
	c := *l
	c.missing = l.missing.clone()
	return &c
}

func (l *tokenBucket) Entries() int64 { return 0 }

func (l *tokenBucket) EntriesOf(Key) int64 { return 0 }

func (l *tokenBucket) Held(n int) int64 { return int64(n) * 16 }

func (l *tokenBucket) Bytes() int64 { return l.missing.bytes() }
