package views

import (
	"strconv"
	"time"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/session"
)

// Looking is the instant at which a page looks back.
type Looking struct {
	// At is lab time in whole microseconds, and Clock the same to read.
	At    int64
	Clock string
	// Ago is how long ago that is, in lab time.
	Ago string
	// Earlier is just before the newest request up to then, and Later is when the
	// next one came, in whole microseconds; Later is -1 when none came since.
	Earlier, Later int64
}

// EndOfMicrosecond is the lab time that a page means by a whole microsecond: its last
// nanosecond, so that all that is shown at it has happened. It is never after
// now.
func EndOfMicrosecond(us int64, now lab.Time) lab.Time {
	if us >= int64(now)/int64(time.Microsecond) {
		return now
	}
	return lab.Time(us)*lab.Time(time.Microsecond) + lab.Time(time.Microsecond-1)
}

// LookingAt says where a page is that shows s, a session as it was, while it is
// now in the room. Later requests are found in the room's present state.
func LookingAt(s, now *session.State) Looking {
	l := Looking{At: micros(s.Now()), Clock: Clock(s.Now()), Ago: Span(now.Now().Sub(s.Now())), Later: -1}
	l.Earlier = BeforeNewest(s)
	for i := s.Decided(); i < now.Decided(); i++ {
		if r, ok := now.Record(i); ok && micros(r.Request.At) > l.At {
			l.Later = micros(r.Request.At)
			break
		}
	}
	return l
}

// BeforeNewest is just before the newest request of s, in whole microseconds; 0
// when there is none.
func BeforeNewest(s *session.State) int64 {
	if s.Decided() == s.Oldest() {
		return 0
	}
	r, _ := s.Record(s.Decided() - 1)
	return max(micros(r.Request.At)-1, 0)
}

func micros(t lab.Time) int64 { return int64(t) / int64(time.Microsecond) }

// at is the address of the room's page at an instant.
func (r RoomInfo) at(us int64) string { return r.Path() + "?at=" + strconv.FormatInt(us, 10) }

func (l *Looking) clock() string {
	if l == nil {
		return ""
	}
	return l.Clock
}

func (l *Looking) ago() string {
	if l == nil {
		return ""
	}
	return l.Ago
}

func (l *Looking) at() string {
	if l == nil {
		return ""
	}
	return strconv.FormatInt(l.At, 10)
}

// linkAt is where the link is made that reproduces the room as one looks at it.
func (r RoomInfo) linkAt(l *Looking) string {
	if l == nil {
		return r.Path("link")
	}
	return r.Path("link") + "?at=" + l.at()
}

// earlier is the address of the instant of the request before the one shown.
func (p Page) earlier() string {
	if p.Looking != nil {
		return p.Room.at(p.Looking.Earlier)
	}
	return p.Room.at(p.Earlier)
}

// later is the address of the instant of the next request, or of now.
func (p Page) later() string {
	if p.Looking != nil && p.Looking.Later >= 0 {
		return p.Room.at(p.Looking.Later)
	}
	return p.Room.Path()
}

// data is what the script starts from: the present, wherever the page looks.
func (p Page) data() data {
	d := data{Room: p.Room, Seq: p.Seq, Looking: -1, Whole: p.Whole}
	if p.Looking != nil {
		d.Looking, d.Whole = p.Looking.At, p.Now
	}
	return d
}
