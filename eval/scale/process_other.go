//go:build !linux

package scale

// resident is not known here.
func resident() int64 { return 0 }

func peak() int64 { return 0 }

func resetPeak() {}

type bytesMoved struct{ read, written int64 }

func traffic() bytesMoved { return bytesMoved{} }
