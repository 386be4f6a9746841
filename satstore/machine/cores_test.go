package machine

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		EachOnCores(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("n=%d: f(%d) called %d times", n, i, got)
			}
		}
	}
}

func TestTry(t *testing.T) {
	if err := TryOnCores(100, func(int) error { return nil }); err != nil {
		t.Errorf("error %v, want none", err)
	}
	broken := errors.New("broken")
	var after atomic.Int32
	err := TryOnCores(100_000, func(i int) error {
		if i == 3 {
			return broken
		}
		if i > 3 {
			after.Add(1)
		}
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if after.Load() == 100_000-4 {
		t.Error("all calls were made after one had failed")
	}
}

// At most the allowed number of calls run at a time, and never more than there are cores.
func TestTryAtMost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for atOnce, want := range map[int]int32{0: 4, 1: 1, 3: 3, 9: 4} {
		var now, most atomic.Int32
		var calls atomic.Int32
		if err := TryOnSome(atOnce, 200, func(int) error {
			calls.Add(1)
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			runtime.Gosched()
			now.Add(-1)
			return nil
		}); err != nil {
			t.Error(err)
		}
		if most.Load() > want || calls.Load() != 200 {
			t.Errorf("at most %d: %d at once, %d calls", atOnce, most.Load(), calls.Load())
		}
	}
}
