package web

import (
	"sync"
	"time"
)

// shared works out once, for all who ask for the same at about the same time,
// what takes long. The zero value is ready for use by any goroutine.
type shared[K comparable, V any] struct {
	mu   sync.Mutex
	held map[K]result[V]
}

// maxShared bounds the results that are held.
const maxShared = 128

type result[V any] struct {
	at  time.Time
	get func() V
}

// get returns what work gives, or what it gave for the same key no longer than
// a while before now. Nothing is worked out before that is called.
func (s *shared[K, V]) get(key K, now time.Time, while time.Duration, work func() V) func() V {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one, ok := s.held[key]; ok && now.Sub(one.at) < while {
		return one.get
	}
	for key, one := range s.held {
		if now.Sub(one.at) >= while || len(s.held) >= maxShared {
			delete(s.held, key)
		}
	}
	if s.held == nil {
		s.held = map[K]result[V]{}
	}
	one := result[V]{now, sync.OnceValue(work)}
	s.held[key] = one
	return one.get
}
