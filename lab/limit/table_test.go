package limit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/burstlab/burstlab/lab"
	"github.com/burstlab/burstlab/lab/limit"
)

// TestTableAgainstMap: random arrivals and drops, beside a map that does the
// same. No two keys ever share a number, and a number is given out again only
// after it was dropped.
func TestTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.IntRange(1, 400).Draw(rt, "max")
		table := limit.NewTable(most)
		type held struct {
			number limit.Key
			seen   lab.Time
		}
		model := map[string]held{}
		var a limit.Arrival
		for range rapid.IntRange(1, 30).Draw(rt, "rounds") {
			spread := rapid.IntRange(1, 600).Draw(rt, "spread")
			for i := range rapid.IntRange(0, 300).Draw(rt, "arrivals") {
				n := i * 7919 % spread
				r := lab.Request{At: lab.Time(i * 104729 % 1000), Key: strings.Repeat("k", n%5*100) + fmt.Sprint(n), Cost: 1}
				before, known := model[r.Key]
				err := table.Arrive(&r, &a)
				if full := !known && len(model) >= most; full != errors.Is(err, limit.ErrKeysFull) {
					rt.Fatalf("key %q with %d of %d keys: %v", r.Key, len(model), most, err)
				} else if full {
					continue
				}
				if !known {
					before = held{a.Key, r.At}
					for key, other := range model {
						if other.number == a.Key {
							rt.Fatalf("%q and %q share number %d", key, r.Key, a.Key)
						}
					}
				}
				want := limit.Arrival{Key: before.number, Seen: before.seen, At: max(r.At, before.seen), Cost: 1, Clamped: r.At < before.seen}
				if a != want {
					rt.Fatalf("key %q: %+v, want %+v", r.Key, a, want)
				}
				model[r.Key] = held{a.Key, a.At}
			}
			horizon := lab.Time(rapid.IntRange(0, 1000).Draw(rt, "horizon"))
			for _, k := range table.Drop(func(_ limit.Key, seen lab.Time) bool { return seen < horizon }) {
				found := ""
				for key, h := range model {
					if h.number == k {
						found = key
					}
				}
				if found == "" || model[found].seen >= horizon {
					rt.Fatalf("number %d (%q) was dropped", k, found)
				}
				delete(model, found)
			}
			if table.Len() != len(model) {
				rt.Fatalf("%d keys are held, want %d", table.Len(), len(model))
			}
			for key, h := range model {
				if k, ok := table.Find(key); !ok || k != h.number || table.Text(k) != key || table.Seen(k) != h.seen {
					rt.Fatalf("key %q is lost", key)
				}
			}
		}
	})
}

func TestTableRefuses(t *testing.T) {
	table := limit.NewTable(0)
	var a limit.Arrival
	if err := table.Arrive(&lab.Request{Key: strings.Repeat("x", limit.MaxKeyLength+1), Cost: 1}, &a); !errors.Is(err, limit.ErrKeyTooLong) {
		t.Errorf("a key over the bound: %v", err)
	}
	if err := table.Arrive(&lab.Request{Key: strings.Repeat("x", limit.MaxKeyLength), Cost: 1}, &a); err != nil {
		t.Errorf("a key at the bound: %v", err)
	}
	for _, r := range []lab.Request{{Cost: 0}, {Cost: lab.MaxCount + 1}, {Cost: 1, Service: -1}, {Cost: 1, At: lab.MaxTime + 1}} {
		if err := table.Arrive(&r, &a); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	if table.Len() != 1 {
		t.Errorf("%d keys are held, want 1", table.Len())
	}
}

// TestTableBytes: at most 24 bytes a key besides its text and the text's length,
// at every fill of the index.
func TestTableBytes(t *testing.T) {
	table := limit.NewTable(0)
	var a limit.Arrival
	text := int64(0)
	for i := range 300_000 {
		r := lab.Request{Key: fmt.Sprint("customer-", i), Cost: 1}
		if err := table.Arrive(&r, &a); err != nil {
			t.Fatal(err)
		}
		text += int64(len(r.Key)) + 1
		if n := i + 1; n >= 50_000 && n%1000 == 0 {
			// The last chunk of text and the last page may be almost empty.
			if each := float64(table.Bytes()-text-1<<16-1<<12) / float64(n); each > 24 {
				t.Fatalf("%.2f bytes a key at %d keys", each, n)
			}
		}
	}
}

// TestNoAllocation: deciding for a known key allocates nothing, whatever the
// requests cost, once its lists have grown; also when all leave in between.
func TestNoAllocation(t *testing.T) {
	for _, algorithm := range lab.Algorithms {
		for _, costs := range [][]int64{{1}, {3}, {1, 2, 1, 7, 1, 1}} {
			for _, step := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, 5 * time.Second} {
				limiters, table := mustNew(t, policyFor(algorithm, 20)), limit.NewTable(0)
				r := lab.Request{Key: "ann"}
				i := 0
				decide := func() {
					for range 1000 {
						r.Cost, r.Service = costs[i%len(costs)], time.Duration(1+i*7919%3000)*time.Millisecond
						i++
						arrive(t, table, &r)
						limiters.Decide(&arrival, &decision)
						r.At = r.At.Add(step)
					}
				}
				decide()
				if n := testing.AllocsPerRun(3, decide); n != 0 {
					t.Errorf("%s with costs %v every %v allocates %v times in 1000 decisions", algorithm, costs, step, n)
				}
			}
		}
	}
}

// TestTableClone: a copy and its original go on independently, though they share
// the texts of the keys that both had.
func TestTableClone(t *testing.T) {
	key := func(i int) string { return fmt.Sprint(i, strings.Repeat("k", i*7919%500)) }
	const shared, each = 1000, 300
	table := limit.NewTable(0)
	for i := range shared {
		arrive(t, table, &lab.Request{Key: key(i), Cost: 1})
	}
	copies := []*limit.Table{table, table.Clone(), table.Clone()}
	for j, c := range copies { // the key that came last goes on in each by itself
		arrive(t, c, &lab.Request{Key: key(shared - 1), At: lab.Time(1000 * (len(copies) - j)), Cost: 1})
		if want := lab.Time(1000 * (len(copies) - j)); arrival.At != want || arrival.Clamped {
			t.Fatalf("copy %d: the key has seen %d before %d", j, arrival.At, want)
		}
	}
	for i := range each {
		for j, c := range copies {
			arrive(t, c, &lab.Request{Key: key(shared + len(copies)*i + j), At: lab.Time(j), Cost: 1})
		}
	}
	for j, c := range copies {
		if c.Len() != shared+each {
			t.Fatalf("copy %d holds %d keys", j, c.Len())
		}
		for i := range shared + len(copies)*each {
			k, ok := c.Find(key(i))
			if want := i < shared || (i-shared)%len(copies) == j; ok != want || ok && c.Text(k) != key(i) {
				t.Fatalf("copy %d: key %d is held: %v", j, i, ok)
			}
		}
	}
}

// BenchmarkTableClone copies a table of 1,000 keys of 4,000 bytes each.
func BenchmarkTableClone(b *testing.B) {
	table := limit.NewTable(0)
	for i := range 1000 {
		arrive(b, table, &lab.Request{Key: fmt.Sprintf("%4000d", i), Cost: 1})
	}
	b.ReportAllocs()
	for b.Loop() {
		table.Clone()
	}
}
