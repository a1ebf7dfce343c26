// Package lab holds the words of rate limiting that every other package speaks:
// time, request, policy, decision and the arithmetic behind a decision.
//
// It knows no clock, network, file, goroutine or hidden randomness. Time is an
// argument, given by the caller; so decisions depend on the requests and on
// nothing else. No floating-point number takes part in a decision; rates are
// ratios of whole numbers. A test holds these rules (boundary_test.go).
//
// The packages below it:
//
//   - lab/limit decides: one algorithm a file, states per key;
//   - lab/traffic says what is sent;
//   - lab/bench runs many policies on the same requests;
//   - lab/response turns a decision into what an HTTP client gets;
//   - lab/session replays a log of commands to a state.
package lab
