package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// Clients take turns, whoever has asked for how much; within a client the first
// comes first.
func TestReplaysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(1)
		var order []string
		over := make(chan struct{})
		go func() { _ = r.do(t.Context(), "a", func() error { <-over; return nil }) }()
		synctest.Wait()
		for _, who := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
			go func() {
				_ = r.do(t.Context(), who[:1], func() error { order = append(order, who); return nil })
			}()
			synctest.Wait()
		}
		// Who leaves is not waited for.
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { left <- r.do(ctx, "d", func() error { order = append(order, "d"); return nil }) }()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		close(over)
		synctest.Wait()
		if want := []string{"a1", "b1", "c1", "a2", "b2", "a3"}; !slices.Equal(order, want) {
			t.Errorf("the order is %v, want %v", order, want)
		}
		if err := r.do(t.Context(), "e", func() error { return errors.New("mine") }); err == nil || err.Error() != "mine" {
			t.Errorf("got %v", err)
		}
		if r.free != 1 || len(r.turns) != 0 || len(r.waiting) != 0 {
			t.Errorf("%d are free, %v wait", r.free, r.turns)
		}
	})
}

// Never more run at once than may, and every turn comes to an end, whoever
// leaves when.
func TestReplaysAreBounded(t *testing.T) {
	r := newReplays(2)
	running := make(chan struct{}, 2)
	done := make(chan error)
	for i := range 200 {
		go func() {
			ctx, leave := context.WithCancel(t.Context())
			if i%3 == 0 {
				go leave()
			}
			err := r.do(ctx, fmt.Sprint(i%7), func() error {
				select {
				case running <- struct{}{}:
				default:
					return errors.New("more than two run at once")
				}
				<-running
				return nil
			})
			leave()
			done <- err
		}()
	}
	for range 200 {
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if r.free != 2 || len(r.turns) != 0 || len(r.waiting) != 0 {
		t.Errorf("%d are free, %v wait", r.free, r.turns)
	}
}
