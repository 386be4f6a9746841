package cores

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f(0) to f(n-1).
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// Try calls f(0) to f(n-1) until one fails.
func Try(n int, f func(i int) error) error {
	errs := make([]error, n)
	var failed atomic.Bool
	Each(n, func(i int) {
		if failed.Load() {
			return
		}
		if errs[i] = f(i); errs[i] != nil {
			failed.Store(true)
		}
	})
	return errors.Join(errs...)
}
