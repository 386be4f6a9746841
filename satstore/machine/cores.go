package machine

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// EachOnCores calls f(0) to f(n-1), one goroutine per core.
func EachOnCores(n int, f func(i int)) { eachAtMost(runtime.GOMAXPROCS(0), n, f) }

func eachAtMost(atOnce, n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, atOnce) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// TryOnCores calls f(0) to f(n-1) until one fails.
func TryOnCores(n int, f func(i int) error) error { return TryOnSome(0, n, f) }

// TryOnSome is TryOnCores with at most atOnce calls at a time, for calls that hold much memory; 0:
// as many as there are cores, which no number exceeds.
func TryOnSome(atOnce, n int, f func(i int) error) error {
	if atOnce = min(atOnce, runtime.GOMAXPROCS(0)); atOnce <= 0 {
		atOnce = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	var failed atomic.Bool
	eachAtMost(atOnce, n, func(i int) {
		if failed.Load() {
			return
		}
		if errs[i] = f(i); errs[i] != nil {
			failed.Store(true)
		}
	})
	return errors.Join(errs...)
}
