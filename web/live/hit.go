package live

import (
	"container/heap"
	"context"
	"sync/atomic"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Hit is a real request to a room's endpoint.
type Hit struct {
	// Policy is the one that answers; empty means the room's first. All
	// policies decide.
	Policy  string
	Request session.Hit
}

// Answer is what the hit's policy decided.
type Answer struct {
	// Number is the request's number in the room.
	Number   uint64
	Policy   lab.Policy
	Request  lab.Request
	Decision lab.Decision
	// Decided is when it was decided, by the rooms' clock.
	Decided time.Time
}

// Hit has the room decide a request at this instant. It returns at once, or,
// for a request that the policy delays, when it leaves the queue: waits are in
// lab time, so a pace of 2× halves them and a pause holds them.
//
// Besides ctx's error it returns an [*UnknownPolicyError], the session's reason
// for refusing the request as malformed, [ErrBusy] when the room cannot take
// another one, and for a decided request that cannot wait to its end
// [ErrWaitTooLong], [ErrReset] or [ErrClosed].
func (r *Room) Hit(ctx context.Context, h Hit) (Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.config.MaxWait, ErrWaitTooLong)
	defer cancel()
	p := &pending{Hit: h, done: make(chan struct{}), index: -1}
	select {
	case r.hits <- p:
	case <-r.done:
		return Answer{}, ErrClosed
	default:
		return Answer{}, ErrBusy
	}
	select {
	case <-p.done:
		return p.answer, p.err
	case <-r.done:
		select {
		case <-p.done: // answered just before the room closed
			return p.answer, p.err
		default:
			return Answer{}, ErrClosed
		}
	case <-ctx.Done():
		p.gone.Store(true) // if the room has not taken it yet
		_ = r.call(context.WithoutCancel(ctx), func() { r.waiting.remove(p) })
		return Answer{}, context.Cause(ctx)
	}
}

// pending is a hit on its way through the room. The room's goroutine alone
// writes answer and err, before it closes done.
type pending struct {
	Hit
	answer Answer
	err    error
	done   chan struct{}
	leaves lab.Time // when a delayed one leaves, in lab time
	index  int      // its place in the waiting heap; -1 when it is not there

	gone atomic.Bool // nobody waits for the answer any more
}

func (p *pending) finish(err error) {
	p.err = err
	close(p.done)
}

// waiting holds delayed hits by the time at which they leave.
type waiting []*pending

func (w waiting) Len() int           { return len(w) }
func (w waiting) Less(i, j int) bool { return w[i].leaves < w[j].leaves }
func (w waiting) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].index, w[j].index = i, j
}
func (w *waiting) Push(x any) {
	p := x.(*pending)
	p.index = len(*w)
	*w = append(*w, p)
}
func (w *waiting) Pop() any {
	last := len(*w) - 1
	p := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	p.index = -1
	return p
}

func (w *waiting) add(p *pending) { heap.Push(w, p) }
func (w *waiting) next() *pending { return heap.Pop(w).(*pending) }
func (w *waiting) remove(p *pending) {
	if p.index >= 0 {
		heap.Remove(w, p.index)
	}
}

// finishAll answers everybody who waits with err.
func (w *waiting) finishAll(err error) {
	for _, p := range *w {
		p.index = -1
		p.finish(err)
	}
	*w = nil
}

// batchSize bounds how many hits are decided before the room looks at anything
// else, so that a flood does not starve its viewers.
const batchSize = 256

// decideBatch decides first and what else has arrived, all at the same stamp.
func (r *Room) decideBatch(first *pending, now session.Stamp) {
	r.use(now)
	r.decide(first, now)
	for range min(len(r.hits), batchSize-1) {
		r.decide(<-r.hits, now)
	}
}

func (r *Room) decide(p *pending, now session.Stamp) {
	if p.gone.Load() {
		p.finish(context.Canceled)
		return
	}
	lane, err := r.lane(p.Policy)
	if err != nil {
		p.finish(err)
		return
	}
	policy := r.state.Policies()[lane]
	if policy.Algorithm == lab.LeakyBucket && len(r.waiting) >= r.config.MaxWaiting {
		p.finish(ErrBusy)
		return
	}
	if err := r.apply(p.Request, now); err != nil {
		p.finish(err)
		return
	}
	number := r.state.Decided() - 1
	record, ok := r.state.Record(number)
	if !ok {
		panic("live: the session does not keep the request that it has just decided")
	}
	p.answer = Answer{number, policy, record.Request, record.Decisions[lane], r.When(now)}
	if p.answer.Decision.Verdict != lab.Delay {
		p.finish(nil)
		return
	}
	p.leaves = p.answer.Decision.Leaves()
	if due, running := r.state.StampOf(p.leaves); running && time.Duration(due-now) > r.config.MaxWait {
		p.finish(ErrWaitTooLong)
		return
	}
	r.waiting.add(p)
}

// lane finds the policy that answers.
func (r *Room) lane(name string) (int, error) {
	policies := r.state.Policies()
	known := make([]string, 0, len(policies))
	for i, p := range policies {
		if p.Name == name || name == "" {
			return i, nil
		}
		known = append(known, p.Name)
	}
	return 0, &UnknownPolicyError{name, known}
}

// release answers the delayed hits whose time has come.
func (r *Room) release() {
	for len(r.waiting) > 0 && r.waiting[0].leaves <= r.state.Now() {
		r.waiting.next().finish(nil)
	}
}
