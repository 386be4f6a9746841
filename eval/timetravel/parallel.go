package timetravel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// forEach calls f(0) to f(n-1) on as many goroutines as there are cores.
func forEach(n int, f func(i int)) {
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
