package live

import "sync/atomic"

// Stats counts what the rooms of one server do. Any goroutine may read it.
type Stats struct {
	Rooms      atomic.Int64  // open now
	Viewers    atomic.Int64  // in all rooms, now
	Decisions  atomic.Uint64 // requests decided, by all policies of a room
	Frames     atomic.Uint64 // numbered messages encoded
	FrameBytes atomic.Uint64 // their length
	Dropped    atomic.Uint64 // times that a viewer fell behind and got a whole
	Streaming  atomic.Int64  // requests a second of real time that all streams send
	Bytes      atomic.Int64  // what the rooms take, about
	TooHeavy   atomic.Uint64 // rooms ended because they took too much
	Panics     atomic.Uint64 // rooms ended by a panic
}
