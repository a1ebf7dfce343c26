package web

import (
	"context"
	"runtime"
	"sync"
)

// replays bounds how many histories are replayed at once: going back, copying
// and opening links take work that a room's goroutine must not do. Clients take
// turns: who asks for much waits for oneself, and keeps nobody else waiting
// longer than one replay of each other client takes. It is ready for use by any
// goroutine.
type replays struct {
	mu   sync.Mutex
	free int
	// waiting are the turns of each client that waits, oldest first, and turns
	// the clients in the order in which they come next.
	waiting map[string][]chan struct{}
	turns   []string
}

// maxReplays leaves half of the processors to everything else.
var maxReplays = max(1, runtime.NumCPU()/2)

func newReplays(free int) *replays {
	return &replays{free: free, waiting: map[string][]chan struct{}{}}
}

// do runs f when the client's turn comes. The error is f's, or ctx's when that
// is done before.
func (r *replays) do(ctx context.Context, client string, f func() error) error {
	turn := r.ask(client)
	if turn != nil {
		select {
		case <-turn:
		case <-ctx.Done():
			if !r.leave(client, turn) {
				<-turn // it has just come
				r.done()
			}
			return ctx.Err()
		}
	}
	defer r.done()
	return f()
}

// ask is nil where it is the client's turn at once.
func (r *replays) ask(client string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free > 0 {
		r.free--
		return nil
	}
	turn := make(chan struct{})
	if len(r.waiting[client]) == 0 {
		r.turns = append(r.turns, client)
	}
	r.waiting[client] = append(r.waiting[client], turn)
	return turn
}

// leave gives a turn up that has not come; false when it has.
func (r *replays) leave(client string, turn chan struct{}) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range r.waiting[client] {
		if one == turn {
			r.drop(client, i)
			return true
		}
	}
	return false
}

// drop takes a client's turn number i away.
func (r *replays) drop(client string, i int) {
	rest := append(r.waiting[client][:i:i], r.waiting[client][i+1:]...)
	if len(rest) > 0 {
		r.waiting[client] = rest
		return
	}
	delete(r.waiting, client)
	for n, one := range r.turns {
		if one == client {
			r.turns = append(r.turns[:n:n], r.turns[n+1:]...)
			return
		}
	}
}

// done lets the next client have its turn.
func (r *replays) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.turns) == 0 {
		r.free++
		return
	}
	next := r.turns[0]
	turn := r.waiting[next][0]
	r.drop(next, 0)
	if len(r.waiting[next]) > 0 {
		// Whoever waits for more comes after all others.
		r.turns = append(r.turns[1:len(r.turns):len(r.turns)], next)
	}
	close(turn)
}
