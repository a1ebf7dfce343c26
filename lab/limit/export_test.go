package limit

// Count looks through the states of all keys for what Entries says at once.
func Count(l Limiters) int64 {
	n := int64(0)
	switch l := l.(type) {
	case *leakyBucket:
		for _, page := range l.queues.list {
			for i := range page {
				n += page[i].costs.held()
			}
		}
	case *slidingLog:
		for _, page := range l.logs.list {
			for i := range page {
				n += int64(page[i].n)
			}
		}
	case *concurrency:
		for _, page := range l.states.list {
			for i := range page {
				n += page[i].held()
			}
		}
	}
	return n
}
