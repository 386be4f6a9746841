//go:build !linux

package scale

// Resident is not known here.
func Resident() int64 { return 0 }

func peak() int64 { return 0 }

type bytesMoved struct{ read, written int64 }

func traffic() bytesMoved { return bytesMoved{} }
