package live

import (
	"errors"
	"fmt"
	"strings"
)

// What a room or the house can say no to. Each is a sentence for the person.
var (
	ErrRoomsFull   = errors.New("all rooms are taken; try again in a minute")
	ErrNoRoom      = errors.New("there is no such room; a room that nobody uses closes after a while")
	ErrClosed      = errors.New("the room has closed")
	ErrViewersFull = errors.New("the room has as many viewers as it can hold")
	ErrTooHeavy    = errors.New("the room would take more memory than one may; begin anew, or go back less far")
	ErrStreamsFull = errors.New("all rooms together stream as much as the server can; stream more slowly, or try again in a minute")
	ErrBusy        = errors.New("the room has more requests in hand than it can take; try again in a second")
	ErrWaitTooLong = errors.New("the request would leave the queue later than the server keeps a connection waiting")
	ErrReset       = errors.New("the room was reset while the request waited in the queue")
)

// UnknownPolicyError says that a hit names a policy that the room does not have.
type UnknownPolicyError struct {
	Name  string
	Known []string
}

func (e *UnknownPolicyError) Error() string {
	return fmt.Sprintf("there is no policy %q; expected one of %s", e.Name, strings.Join(e.Known, ", "))
}
