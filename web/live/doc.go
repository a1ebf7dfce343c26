// Package live keeps rooms: sessions of the lab with people in them.
//
// One goroutine owns a [Room]: its state, its log and its viewers. Everybody
// else hands it work through channels, so there is no lock around a session.
// The room turns real time into stamps, decides what is due, and sends its
// viewers numbered messages, at most twenty a second, each encoded once and
// shared. It never waits for a viewer: one that does not keep up gets a fresh
// whole instead of what it missed.
//
// The package knows neither HTTP nor pages: how a state becomes a message is a
// pair of functions that the caller passes in.
package live
