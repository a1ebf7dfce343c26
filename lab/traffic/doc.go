// Package traffic says what is sent: requests as a few patterns, or as a trace
// that was recorded somewhere.
//
// A [Traffic] is what a person declares; [Traffic.Requests] makes the requests,
// one at a time, in time order and in constant memory. The same traffic is the
// same requests on every machine: no pattern uses floating point, and a random
// one has its seed as an input.
//
// # The notation
//
// Traffic is written down as one short text, the same in the composer, in a
// link, in a scenario and on the command line:
//
//	14@0s                           14 requests at once
//	30@3s every 2ms                 30 requests, 2 ms apart
//	1@100ms x10 every 100ms         1 request, ten times, 100 ms apart
//	30@3s every 2ms x5 every 1s     a burst of 30, five times
//	15/s 12s..16s                   15 a second, evenly, from 12 s until just before 16 s
//	120/1m 0s..1h                   120 a minute
//	ramp 1/s..20/s 0s..10s          a rate that grows (or falls) evenly
//	random 4/s 0s..20s seed=7       80 requests at random moments
//	edge 10 per 1s at 8s            10 just before the window's edge at 8 s, 10 just after it
//	at 0s 100ms 250ms               at exactly these times
//	trace 0s, 1s key=bob, 1s cost=3 recorded requests, each with its own key, cost and service
//
// "every" says how far apart the things named just before it are: in
// "30@3s every 2ms" the 30 requests, in "x10 every 100ms" the ten rounds.
//
// Every pattern but a trace ends with what each of its requests carries, in any
// order: key=ann cost=2 service=150ms. A key with other characters than letters,
// digits and - _ . : / @ + % * ~ is quoted as in Go: key="two words". Without
// them a request has the key "default", cost 1 and service 0s.
//
// Patterns are separated by ";" or a new line; # begins a comment. In EBNF (Go's
// dialect), with white space between any two tokens left out:
//
//	traffic  = [ pattern ] { ( ";" | newline ) [ pattern ] } .
//	pattern  = ( burst | steady | ramp | random | edge | times ) { each } | trace .
//
//	burst    = count "@" instant [ "every" span ] [ "x" count "every" span ] .
//	steady   = rate interval .
//	ramp     = "ramp" rate ".." rate interval .
//	random   = "random" rate interval [ "seed" "=" digits ] .
//	edge     = "edge" count "per" span "at" instant [ "every" span ] .
//	times    = "at" instant { instant } .
//	trace    = "trace" row { "," row } .
//	row      = instant { each } .
//
//	each     = "key" "=" key | "cost" "=" count | "service" "=" span .
//	key      = bare { bare } | `"` … `"` .
//	rate     = count "/" ( span | unit ) .
//	interval = instant ".." instant .
//	instant  = [ "-" ] span .
//	span     = "0" | digits [ "." digits ] unit { digits [ "." digits ] unit } .  // see lab.ParseSpan
//	unit     = "h" | "m" | "s" | "ms" | "us" | "µs" | "ns" .
//	count    = digits .
//
// In a random pattern "seed" may stand anywhere among the keys, costs and
// services. An interval holds its first instant and not its last. Numbers are
// exact: a span such as 1.5s may have decimals down to whole nanoseconds.
//
// # Bounds
//
// A notation has at most [MaxNotation] bytes and [MaxPatterns] patterns; a
// pattern makes at most [lab.MaxCount] requests (all random ones together
// [MaxRandom]), at times that the engine's clock holds. What is outside is
// refused by [Parse] at its place, and by [Traffic.Check]. What is accepted is
// cheap to open, however many requests it makes.
package traffic
