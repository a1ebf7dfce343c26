package session

import (
	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// ChunkSize is how many decided requests share a checkpoint of the bench. It
// bounds the work of explaining one of them.
const ChunkSize = 1024

// record is the newest decided requests, in chunks.
type record struct {
	chunks  []*chunk
	decided uint64
}

// chunk is decided requests that follow each other under the same policies, and
// the bench as it was before the first. What it holds is never changed, only
// added to, so that a clone can share it.
type chunk struct {
	first      uint64 // number of the first request
	generation uint64
	before     *bench.Bench
	requests   []lab.Request
	decisions  []lab.Decision // one per policy for each request
}

// Record is one decided request.
type Record struct {
	Request lab.Request
	// Decisions are one per policy of the generation in which the request was
	// decided.
	Decisions  []lab.Decision
	Policies   []lab.Policy
	Generation uint64
}

func (r *record) last() *chunk { return r.chunks[len(r.chunks)-1] }

func (r *record) full() bool {
	return len(r.chunks) == 0 || len(r.last().requests) == ChunkSize
}

// open begins a new chunk; an empty last one is replaced.
func (r *record) open(generation uint64, b *bench.Bench) {
	if n := len(r.chunks); n > 0 && len(r.last().requests) == 0 {
		r.chunks = r.chunks[:n-1]
	}
	r.chunks = append(r.chunks, &chunk{first: r.decided, generation: generation, before: b.Checkpoint()})
}

// trim drops the oldest chunks while the others hold keep requests.
func (r *record) trim(keep int) {
	n := 0
	for i := len(r.chunks) - 1; i >= 0; i-- {
		if n += len(r.chunks[i].requests); n >= keep && i > 0 {
			r.chunks = append([]*chunk(nil), r.chunks[i:]...)
			return
		}
	}
}

func (r *record) add(request lab.Request, decisions []lab.Decision) {
	c := r.last()
	c.requests = append(c.requests, request)
	c.decisions = append(c.decisions, decisions...)
	r.decided++
}

func (r *record) clone() record {
	c := record{append([]*chunk(nil), r.chunks...), r.decided}
	if n := len(c.chunks); n > 0 {
		// Both sides go on adding to the last chunk, each to its own.
		last := *c.chunks[n-1]
		last.requests = last.requests[:len(last.requests):len(last.requests)]
		last.decisions = last.decisions[:len(last.decisions):len(last.decisions)]
		c.chunks[n-1] = &last
	}
	return c
}

// find is the chunk that holds request i.
func (r *record) find(i uint64) *chunk {
	if i >= r.decided {
		return nil
	}
	for n := len(r.chunks) - 1; n >= 0; n-- {
		if c := r.chunks[n]; i >= c.first {
			return c
		}
	}
	return nil
}

// Decided is how many requests have been decided since the session began or was
// reset: the next one's number.
func (s *State) Decided() uint64 { return s.record.decided }

// Oldest is the number of the oldest request that is kept; Decided() when none
// is.
func (s *State) Oldest() uint64 {
	for _, c := range s.record.chunks {
		if len(c.requests) > 0 {
			return c.first
		}
	}
	return s.record.decided
}

// Record is request number i and its decisions; false when it is not kept. The
// caller does not change what it holds.
func (s *State) Record(i uint64) (Record, bool) {
	c := s.record.find(i)
	if c == nil {
		return Record{}, false
	}
	policies := c.before.Policies()
	n, j := len(policies), int(i-c.first)
	return Record{c.requests[j], c.decisions[j*n : (j+1)*n : (j+1)*n], policies, c.generation}, true
}

// Explanation is why a request was decided as it was.
type Explanation struct {
	Record
	// Arithmetic is one per policy, and Before and After what each held for the
	// request's key just before and after the decision.
	Arithmetic    []lab.Arithmetic
	Before, After []lab.State
}

// Explain decides request i anew from the nearest checkpoint and tells the
// arithmetic; false when the request is not kept.
func (s *State) Explain(i uint64) (Explanation, bool) {
	record, ok := s.Record(i)
	if !ok {
		return Explanation{}, false
	}
	c := s.record.find(i)
	b := c.before.Clone()
	for _, r := range c.requests[:i-c.first] {
		mustDecide(b, r)
	}
	e := Explanation{Record: record}
	var err error
	if e.Arithmetic, err = b.Explain(record.Request); err != nil {
		panic("session: a recorded request cannot be explained: " + err.Error())
	}
	e.Before = b.States(record.Request.Key, record.Request.At)
	mustDecide(b, record.Request)
	e.After = b.States(record.Request.Key, record.Request.At)
	return e, true
}

// mustDecide repeats a decision that was made before from an equal state.
func mustDecide(b *bench.Bench, r lab.Request) {
	if _, err := b.Decide(r); err != nil {
		panic("session: a recorded request cannot be decided again: " + err.Error())
	}
}
