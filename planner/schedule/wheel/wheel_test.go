package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The wheel agrees with a sorted list under random inserts, removals and steps of time, over spans
// of all levels.
func TestAgainstList(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := New()
		due := map[int32]int64{}
		now := int64(0)
		for range 3000 {
			switch item := int32(rng.IntN(200)); rng.IntN(4) {
			case 0, 1:
				if w.Has(item) {
					w.Remove(item)
					delete(due, item)
				}
				at := now + rng.Int64N(1<<rng.IntN(44))
				w.Insert(item, at)
				due[item] = at
			case 2:
				w.Remove(item)
				delete(due, item)
			case 3:
				now += rng.Int64N(1 << rng.IntN(40))
				last := int64(-1)
				for {
					item, ok := w.Pop(now)
					if !ok {
						break
					}
					at, in := due[item]
					if !in || at > now || at < last {
						t.Fatalf("seed %d: item %d due at %d (known: %v) comes at %d after one "+
							"due at %d", seed, item, at, in, now, last)
					}
					last = at
					delete(due, item)
				}
				for item, at := range due {
					if at <= now {
						t.Fatalf("seed %d: item %d due at %d does not come at %d",
							seed, item, at, now)
					}
				}
			}
			if w.Len() != len(due) {
				t.Fatalf("seed %d: %d items, want %d", seed, w.Len(), len(due))
			}
			least := slices.Min(append(valuesOf(due), 1<<62))
			if next, ok := w.Next(); ok != (len(due) > 0) || next > least && ok {
				t.Fatalf("seed %d: next %d %v, first item due at %d", seed, next, ok, least)
			}
		}
	}
}

func valuesOf(m map[int32]int64) (all []int64) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

// One that waits for Next again and again comes to each item: no step stands still.
func TestNextAdvances(t *testing.T) {
	w := New()
	for item, at := range []int64{5, 300, 70_000, 1 << 40, 1<<62 - 1} {
		w.Insert(int32(item), at)
	}
	popped, now := 0, int64(-1)
	for w.Len() > 0 {
		next, _ := w.Next()
		if next < now {
			t.Fatalf("next %d after %d", next, now)
		}
		now = next
		for {
			if _, ok := w.Pop(now); !ok {
				break
			}
			popped++
		}
	}
	if popped != 5 || now != 1<<62-1 {
		t.Errorf("%d popped by %d", popped, now)
	}
}

func TestInsertedTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	w := New()
	w.Insert(1, 5)
	w.Insert(1, 6)
}
