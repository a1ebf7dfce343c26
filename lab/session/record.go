package session

import (
	"sort"
	"unsafe"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/bench"
)

// ChunkSize is how many decided requests share a checkpoint of the bench. It
// bounds the work of explaining one of them.
const ChunkSize = 4096

const (
	// maxChunks bounds the chunks of a record, and with them the checkpoints.
	maxChunks = 16
	// maxSegments bounds the changes of policies within a chunk.
	maxSegments = 256
)

// record is the newest decided requests, in chunks.
type record struct {
	chunks  []*chunk
	decided uint64
}

// chunk is decided requests that follow each other, and the bench as it was
// before the first. What it holds is never changed, only added to by the one
// state that has it as its last, so that a clone can share it.
type chunk struct {
	first    uint64 // number of the first request
	before   *bench.Bench
	requests []lab.Request
	// decisions are one per policy for each request; nil when they have to be
	// decided again.
	decisions []lab.Decision
	segments  []segment
	// texts is what the requests' keys take, in bytes, and keys the different ones
	// among them, as far as they are known: requests of the same key share it.
	texts int64
	keys  map[string]string
}

// segment is the part of a chunk that was decided under the same policies. It
// may be empty: policies that were set and set back leave lanes that start anew.
type segment struct {
	policies   []lab.Policy
	generation uint64
	set        lab.Time // when
	request    int      // of the chunk: the first
	decision   int
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

// full says whether the next request begins a new chunk.
func (r *record) full() bool {
	return len(r.chunks) == 0 || len(r.last().requests) >= ChunkSize || len(r.last().segments) >= maxSegments
}

// open begins a new chunk and drops the oldest while the others hold keep
// requests, or when they are too many.
func (r *record) open(b *bench.Bench, keep int) {
	n, from := 0, len(r.chunks)
	for from > 0 && n < keep && len(r.chunks)-from < maxChunks-1 {
		from--
		n += len(r.chunks[from].requests)
	}
	r.chunks = append(append([]*chunk(nil), r.chunks[from:]...), &chunk{first: r.decided, before: b.Checkpoint()})
}

// change notes that policies were set. Where there is no room for it, the next
// chunk begins with a bench that has them.
func (r *record) change(policies []lab.Policy, generation uint64, at lab.Time) {
	if len(r.chunks) > 0 && len(r.last().segments) < maxSegments {
		r.whole(len(r.chunks)-1).change(policies, generation, at)
	}
}

func (c *chunk) change(policies []lab.Policy, generation uint64, at lab.Time) {
	c.segments = append(c.segments, segment{policies, generation, at, len(c.requests), len(c.decisions)})
}

// add adds a request that was decided under policies.
func (r *record) add(request lab.Request, decisions []lab.Decision, policies []lab.Policy, generation uint64) {
	c := r.whole(len(r.chunks) - 1)
	if len(c.segments) == 0 {
		c.change(policies, generation, request.At)
	}
	request.Key = c.share(request.Key)
	c.requests = append(c.requests, request)
	c.decisions = append(c.decisions, decisions...)
	r.decided++
}

// share is a key that is equal to key and takes memory only once in the chunk.
func (c *chunk) share(key string) string {
	if n := len(c.requests); n > 0 && c.requests[n-1].Key == key {
		return c.requests[n-1].Key
	}
	if known, ok := c.keys[key]; ok {
		return known
	}
	if c.keys == nil {
		c.keys = map[string]string{}
	}
	c.keys[key] = key
	c.texts += int64(len(key))
	return key
}

// whole is chunk n with its decisions.
func (r *record) whole(n int) *chunk {
	c := r.chunks[n]
	if c.decisions != nil || len(c.requests) == 0 {
		return c
	}
	// Others may share c.
	w := *c
	w.keys = nil
	w.replay(len(c.requests), func(decisions []lab.Decision) { w.decisions = append(w.decisions, decisions...) })
	r.chunks[n] = &w
	return &w
}

// replay decides the first n requests anew, under the policies of each, and
// returns the bench as it was just before the next.
func (c *chunk) replay(n int, each func(decisions []lab.Decision)) *bench.Bench {
	b := c.before.Clone()
	changes := c.segments
	for i := 0; ; i++ {
		for len(changes) > 0 && changes[0].request == i {
			mustSet(b, changes[0].policies)
			changes = changes[1:]
		}
		if i == n {
			return b
		}
		each(mustDecide(b, c.requests[i]))
	}
}

// segment is the one to which request i of the chunk belongs.
func (c *chunk) segment(i int) *segment {
	n := sort.Search(len(c.segments), func(n int) bool { return c.segments[n].request > i })
	return &c.segments[n-1]
}

func (r *record) clone() record {
	c := record{append([]*chunk(nil), r.chunks...), r.decided}
	if n := len(c.chunks); n > 0 {
		// Both sides go on adding to the last chunk, each to its own.
		last := *c.chunks[n-1]
		last.keys = nil
		last.requests = last.requests[:len(last.requests):len(last.requests)]
		last.decisions = last.decisions[:len(last.decisions):len(last.decisions)]
		last.segments = last.segments[:len(last.segments):len(last.segments)]
		c.chunks[n-1] = &last
	}
	return c
}

// lean is a copy without decisions, which take most of a record's memory.
func (r *record) lean() record {
	c := record{make([]*chunk, len(r.chunks)), r.decided}
	for i, full := range r.chunks {
		c.chunks[i] = &chunk{
			first: full.first, before: full.before,
			requests: full.requests[:len(full.requests):len(full.requests)],
			segments: full.segments[:len(full.segments):len(full.segments)],
			texts:    full.texts,
		}
	}
	return c
}

// memory is about what the record takes, in bytes, without the chunks that are
// in seen, to which it adds its own. Records share chunks, known by their bench.
func (r *record) memory(seen map[*bench.Bench]bool) int64 {
	const (
		request  = int64(unsafe.Sizeof(lab.Request{}))
		decision = int64(unsafe.Sizeof(lab.Decision{}))
		policy   = int64(unsafe.Sizeof(lab.Policy{}))
	)
	var n int64
	for _, c := range r.chunks {
		if seen[c.before] {
			continue
		}
		seen[c.before] = true
		n += c.before.Memory() + int64(cap(c.requests))*request + int64(cap(c.decisions))*decision + c.texts
		for _, s := range c.segments {
			n += int64(len(s.policies)) * policy
		}
	}
	return n
}

// find is the chunk that holds request i, with its decisions.
func (r *record) find(i uint64) *chunk {
	if i >= r.decided {
		return nil
	}
	for n := len(r.chunks) - 1; n >= 0; n-- {
		if i >= r.chunks[n].first {
			return r.whole(n)
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
	if len(s.record.chunks) == 0 {
		return s.record.decided
	}
	return s.record.chunks[0].first
}

// Record is request number i and its decisions; false when it is not kept. The
// caller does not change what it holds.
func (s *State) Record(i uint64) (Record, bool) {
	c := s.record.find(i)
	if c == nil {
		return Record{}, false
	}
	i -= c.first
	in := c.segment(int(i))
	n := len(in.policies)
	from := in.decision + (int(i)-in.request)*n
	return Record{c.requests[i], c.decisions[from : from+n : from+n], in.policies, in.generation}, true
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
	b := c.replay(int(i-c.first), func([]lab.Decision) {})
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
func mustDecide(b *bench.Bench, r lab.Request) []lab.Decision {
	decisions, err := b.Decide(r)
	if err != nil {
		panic("session: a recorded request cannot be decided again: " + err.Error())
	}
	return decisions
}

// mustSet repeats a change of policies that was made before.
func mustSet(b *bench.Bench, policies []lab.Policy) {
	if err := b.SetPolicies(policies); err != nil {
		panic("session: policies that were set cannot be set again: " + err.Error())
	}
}
