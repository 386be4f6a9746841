//go:build !linux

package bench

func processSeconds() float64 { return 0 }
