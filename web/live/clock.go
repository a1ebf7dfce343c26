package live

import "time"

// Clock is where a room gets its time from. Rooms of one server share it.
type Clock interface {
	Now() time.Time
	// NewTimer returns a timer that is not running.
	NewTimer() Timer
}

// Timer is a [time.Timer] that a test can crank by hand. Reset makes it fire
// once after d; after Stop or Reset no earlier time is received from C.
type Timer interface {
	C() <-chan time.Time
	Reset(d time.Duration)
	Stop()
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is the machine's time, with its monotonic reading.
func (SystemClock) Now() time.Time { return time.Now() }

// NewTimer makes a timer that runs on the machine's time.
func (SystemClock) NewTimer() Timer {
	t := time.NewTimer(0)
	t.Stop()
	return systemTimer{t}
}

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time   { return t.Timer.C }
func (t systemTimer) Reset(d time.Duration) { t.Timer.Reset(d) }
func (t systemTimer) Stop()                 { t.Timer.Stop() }
