// Package session replays a log of commands to a state.
//
// What people do in a lab becomes commands; a room numbers them and stamps each
// with real time. The state at any moment is a pure function of the log and a
// stamp: live view, step back, fork, a resumed connection and a second server
// are all that one function. Checkpoints are a cache of it and never show in a
// result.
//
// Two clocks: a [Stamp] is real time since the session was made; lab time is
// what requests are decided at. Pause, pace and step say how stamps turn into
// lab time. They never change a verdict, because a verdict depends on lab time
// alone.
package session
