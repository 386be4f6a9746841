package cores

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		Each(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("n=%d: f(%d) called %d times", n, i, got)
			}
		}
	}
}

func TestTry(t *testing.T) {
	if err := Try(100, func(int) error { return nil }); err != nil {
		t.Errorf("error %v, want none", err)
	}
	broken := errors.New("broken")
	var after atomic.Int32
	err := Try(100_000, func(i int) error {
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
