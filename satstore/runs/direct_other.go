//go:build !linux

package runs

func createDirect(string) runSink { return nil }
