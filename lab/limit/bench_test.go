package limit_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// start is a real clock's time: 2026-09-21 14:13:20 UTC.
const start lab.Time = 1_790_000_000_000_000_000

func policyFor(a lab.Algorithm, n int64) lab.Policy {
	p := lab.Policy{Name: string(a), Algorithm: a, Limit: n}
	if a.Has(lab.FieldPer) {
		p.Per = time.Second
	}
	for _, f := range []lab.Field{lab.FieldBurst, lab.FieldQueue} {
		if a.Has(f) {
			*p.Count(f) = n
		}
	}
	return p
}

// BenchmarkHot decides requests of one key: all allowed (the clock moves on by
// the interval) and all but a few refused (it moves on by a hundredth of it).
func BenchmarkHot(b *testing.B) {
	for _, a := range lab.Algorithms {
		for _, c := range []struct {
			name string
			step lab.Time
		}{{"allowed", 11_000_000}, {"refused", 1_000}} {
			service := time.Millisecond
			if c.name == "refused" {
				service = time.Hour
			}
			b.Run(fmt.Sprintf("%s/%s/number", a, c.name), func(b *testing.B) {
				l, table := mustNew(b, policyFor(a, 100)), limit.NewTable(0)
				r := lab.Request{At: start, Key: "key-of-one-client", Cost: 1, Service: service}
				arrive(b, table, &r)
				for b.Loop() {
					r.At += c.step
					table.ArriveKey(arrival.Key, &r, &arrival)
					l.Decide(&arrival, &decision)
				}
			})
			b.Run(fmt.Sprintf("%s/%s/string", a, c.name), func(b *testing.B) {
				l, table := mustNew(b, policyFor(a, 100)), limit.NewTable(0)
				r := lab.Request{At: start, Key: "key-of-one-client", Cost: 1, Service: service}
				for b.Loop() {
					r.At += c.step
					arrive(b, table, &r)
					l.Decide(&arrival, &decision)
				}
			})
		}
	}
}

// As in a bench, they are written anew for every request.
var (
	arrival  limit.Arrival
	decision lab.Decision
)

func arrive(b testing.TB, t *limit.Table, r *lab.Request) {
	if err := t.Arrive(r, &arrival); err != nil {
		b.Fatal(err)
	}
}

func mustNew(b testing.TB, p lab.Policy) limit.Limiters {
	l, err := limit.New(p)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// keysOf are n keys of about 20 bytes, and a million draws from them.
func keysOf(n int, zipf bool) (keys []string, draws []uint32) {
	keys = make([]string, n)
	for i := range keys {
		keys[i] = "customer-" + strconv.Itoa(1_000_000_000+i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	draws = make([]uint32, 1<<20)
	z := rand.NewZipf(random, 1.1, 1, uint64(n-1))
	for i := range draws {
		if zipf {
			draws[i] = uint32(z.Uint64())
		} else {
			draws[i] = random.Uint32N(uint32(n))
		}
	}
	return keys, draws
}

// streamOf is the traffic: the draws' keys, each a text of its own, one after the
// other in memory, as they are found in requests that have just been read.
func streamOf(keys []string, draws []uint32) []lab.Request {
	var text strings.Builder
	for _, k := range draws {
		text.WriteString(keys[k])
	}
	stream, rest := make([]lab.Request, len(draws)), text.String()
	for i, k := range draws {
		n := len(keys[k])
		stream[i] = lab.Request{At: start, Key: rest[:n], Cost: 1, Service: time.Millisecond}
		rest = rest[n:]
	}
	return stream
}

// BenchmarkMany decides requests of many keys, all of them known. It reports
// the bytes of states per key, and of the key table without the keys' text.
func BenchmarkMany(b *testing.B) {
	for _, traffic := range []struct {
		name string
		keys int
		zipf bool
	}{{"100k uniform", 100_000, false}, {"1M zipf", 1_000_000, true}} {
		keys, draws := keysOf(traffic.keys, traffic.zipf)
		stream := streamOf(keys, draws)
		for _, a := range lab.Algorithms {
			for _, name := range []string{"number", "string"} {
				b.Run(fmt.Sprintf("%s/%s/%s", traffic.name, a, name), func(b *testing.B) {
					l, table := mustNew(b, policyFor(a, 10)), limit.NewTable(0)
					text := 0
					r := lab.Request{At: start, Cost: 1, Service: time.Millisecond}
					for _, key := range keys {
						r.Key = key
						arrive(b, table, &r)
						l.Decide(&arrival, &decision)
						text += len(key)
					}
					i := 0
					for b.Loop() {
						n := i & (len(draws) - 1)
						request := &stream[n]
						request.At = r.At + lab.Time(i)*1000
						i++
						if name == "number" {
							table.ArriveKey(limit.Key(draws[n]), request, &arrival)
						} else {
							arrive(b, table, request)
						}
						l.Decide(&arrival, &decision)
					}
					b.ReportMetric(float64(l.Bytes())/float64(len(keys)), "state-B/key")
					b.ReportMetric(float64(table.Bytes()-int64(text))/float64(len(keys)), "table-B/key")
				})
			}
		}
	}
}

// BenchmarkRival is golang.org/x/time/rate in a map, the way most Go services
// limit, on the same traffic with the clock injected.
func BenchmarkRival(b *testing.B) {
	at := time.Unix(0, int64(start))
	b.Run("hot/allowed", func(b *testing.B) {
		limiters := map[string]*rate.Limiter{"key-of-one-client": rate.NewLimiter(100, 100)}
		now := at
		for b.Loop() {
			now = now.Add(11 * time.Millisecond)
			limiters["key-of-one-client"].AllowN(now, 1)
		}
	})
	b.Run("hot/refused", func(b *testing.B) {
		limiters := map[string]*rate.Limiter{"key-of-one-client": rate.NewLimiter(100, 100)}
		now := at
		for b.Loop() {
			now = now.Add(time.Microsecond)
			limiters["key-of-one-client"].AllowN(now, 1)
		}
	})
	b.Run("1M zipf", func(b *testing.B) {
		keys, draws := keysOf(1_000_000, true)
		stream := streamOf(keys, draws)
		before := heap()
		limiters := make(map[string]*rate.Limiter)
		for _, key := range keys {
			limiters[key] = rate.NewLimiter(10, 10)
			limiters[key].AllowN(at, 1)
		}
		bytes := heap() - before
		runtime.KeepAlive(keys)
		now, i := at, 0
		for b.Loop() {
			now = now.Add(time.Microsecond)
			limiters[stream[i&(len(draws)-1)].Key].AllowN(now, 1)
			i++
		}
		b.ReportMetric(float64(bytes)/float64(len(keys)), "B/key")
	})
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkInside decides requests of one key with 50,000 inside, in progress or
// waiting: each refused, for a wait that it has to look for, or each accepted
// while as many leave. Costs and service times are mixed.
func BenchmarkInside(b *testing.B) {
	const inside = 50_000
	random := rand.New(rand.NewPCG(1, 2))
	services := make([]time.Duration, 1<<16) // on average, inside microseconds
	for i := range services {
		services[i] = time.Duration(random.Int64N(2 * inside * 1000))
	}
	for _, p := range []lab.Policy{
		{Algorithm: lab.Concurrency, Limit: lab.MaxCount},
		{Algorithm: lab.LeakyBucket, Limit: 3_000_000, Per: 2 * time.Second, Queue: lab.MaxCount},
		{Algorithm: lab.SlidingLog, Limit: lab.MaxCount, Per: inside * time.Microsecond},
	} {
		for _, refused := range []bool{false, true} {
			name := string(p.Algorithm) + "/accepted"
			if refused {
				name = string(p.Algorithm) + "/refused"
			}
			b.Run(name, func(b *testing.B) {
				p.Name = "inside"
				l, table := mustNew(b, p), limit.NewTable(0)
				r := lab.Request{At: start, Key: "key-of-one-client"}
				i := 0
				next := func(step lab.Time) {
					r.At += step
					r.Cost, r.Service = int64(1+i&1), services[i&(len(services)-1)]
					i++
					arrive(b, table, &r)
					l.Decide(&arrival, &decision)
				}
				for range inside {
					next(0)
				}
				for range inside {
					next(1000)
				}
				if refused {
					used := l.State(arrival.Key, r.At, r.At).Count
					for b.Loop() {
						r.Cost = lab.MaxCount - int64(i)%used
						i += 7919
						table.ArriveKey(arrival.Key, &r, &arrival)
						l.Decide(&arrival, &decision)
					}
				} else {
					for b.Loop() {
						next(1000)
					}
				}
				if decision.Verdict.Passed() == refused {
					b.Errorf("the last was decided %v", decision.Verdict)
				}
				b.ReportMetric(float64(l.Entries()), "entries")
			})
		}
	}
}
