package eval

import (
	"errors"
	"runtime"
	"sync"
)

// parallel calls f(0..n-1) on as many goroutines as there are cores and joins the errors.
// After an error no further call begins.
func parallel(n int, f func(i int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	failed := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				if errs[i] = f(i); errs[i] != nil {
					once.Do(func() { close(failed) })
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-failed:
			break feed
		}
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}
