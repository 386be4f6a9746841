package fetch

import (
	"syscall"
	"unsafe"
)

// setReceiveBuffer limits the octets that the system receives ahead of the reader. The system may
// double the limit.
func setReceiveBuffer(fd uintptr, bytes int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
}

// unread returns the number of octets that the system has received and nobody read.
func unread(fd uintptr) int64 {
	var n int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ,
		uintptr(unsafe.Pointer(&n)))
	if errno != 0 {
		return 0
	}
	return int64(n)
}
