package fetch

import (
	"syscall"
	"unsafe"
)

// setReceiveBuffer bounds what the system receives ahead of the reader, which is up to twice as
// much.
func setReceiveBuffer(fd uintptr, bytes int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
}

// unread is how many bytes the system has received and that were not read.
func unread(fd uintptr) int64 {
	var n int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ,
		uintptr(unsafe.Pointer(&n)))
	if errno != 0 {
		return 0
	}
	return int64(n)
}
