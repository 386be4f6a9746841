package arena

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Linux maps the 64 KiB around a place of a file that is read, since it expects more reads nearby.
// Reads of single values all over a file then take 16 times the memory, and as much more time to
// map and unmap it. No flag of a mapping prevents that. But if a userfaultfd watches writes, Linux
// maps pages one at a time. With WP_ASYNC (Linux 6.7) the kernel itself answers such writes, and it
// watches none without a request. So the only effect is the size of a step.

// From linux/userfaultfd.h.
const (
	uffdUserModeOnly  = 1
	uffdAPI           = 0xaa
	uffdWriteAsync    = 1 << 15    // UFFD_FEATURE_WP_ASYNC
	uffdioAPI         = 0xc018aa3f // the struct has 24 bytes
	uffdioRegister    = 0xc020aa00 // 32 bytes
	uffdRegisterWrite = 1 << 1     // UFFDIO_REGISTER_MODE_WP
)

// userfault is open until the process ends; -1: the system lacks it or that feature, or does not
// allow it, as in some containers.
var userfault = sync.OnceValue(func() int {
	fd, _, failed := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|uffdUserModeOnly, 0, 0)
	if failed != 0 {
		return -1
	}
	api := struct{ api, features, calls uint64 }{uffdAPI, uffdWriteAsync, 0}
	if !control(int(fd), uffdioAPI, unsafe.Pointer(&api)) {
		_ = unix.Close(int(fd)) // it is unused
		return -1
	}
	return int(fd)
})

func control(fd int, call uintptr, argument unsafe.Pointer) bool {
	_, _, failed := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), call, uintptr(argument))
	return failed == 0
}

// mapSingly makes a mapping load by single pages from now on; false: it could not.
func mapSingly(room []byte) bool {
	fd := userfault()
	if fd < 0 || len(room) == 0 {
		return false
	}
	of := struct{ start, length, mode, calls uint64 }{
		uint64(uintptr(unsafe.Pointer(unsafe.SliceData(room)))),
		uint64(wholePages(int64(len(room)))), uffdRegisterWrite, 0,
	}
	return control(fd, uffdioRegister, unsafe.Pointer(&of))
}
