//go:build !linux

package engine

func createDirect(string) runSink { return nil }
