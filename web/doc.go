// Package web is Burstlab over HTTP: pages, the socket, the real endpoint and a
// small API for scripts. It turns requests into what rooms understand
// (web/live) and states into what people see (views), and decides nothing
// itself; even how much a client may ask of the server is decided by the
// engine (see guard).
package web
