//go:build !linux

package meter

// Elsewhere what nobody reads of a page that is cut or not wanted is not counted.
func setReceiveBuffer(uintptr, int) error { return nil }

func unread(uintptr) int64 { return 0 }
