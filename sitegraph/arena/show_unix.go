//go:build unix && (amd64 || arm64 || ppc64le || riscv64 || s390x || loong64)

package arena

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const canShow = true

// show maps a part of a file into memory, read-only.
func show(f *os.File, at int64, size int) ([]byte, error) {
	return mapped(unix.Mmap(int(f.Fd()), at, size, unix.PROT_READ, unix.MAP_SHARED))
}

func mapped(room []byte, err error) ([]byte, error) {
	if err == nil {
		mapSmall(room)
	}
	return room, err
}

// forget releases the memory of a part of a file, which is read again on access. An error costs
// only memory.
func forget(window []byte) { _ = unix.Madvise(window, unix.MADV_DONTNEED) }

// readApart tells the system whether a mapping is read at places far apart. An error costs only
// time.
func readApart(room []byte, apart bool) {
	advice := unix.MADV_NORMAL
	if apart {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(room, advice)
}

// showOver maps a part of a file over another mapping, as it is or, private, as a copy that is made
// page by page on writing. Readers see one or the other.
func showOver(room []byte, f *os.File, at int64, private bool) error {
	flags := unix.MAP_FIXED | unix.MAP_SHARED
	if private {
		flags = unix.MAP_FIXED | unix.MAP_PRIVATE
	}
	if len(room) == 0 {
		return nil
	}
	_, err := unix.MmapPtr(int(f.Fd()), at, unsafe.Pointer(unsafe.SliceData(room)),
		uintptr(len(room)), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err == nil {
		mapSmall(room)
	}
	return err
}

// hide ends a mapping of show or showColumn. An error costs only an address range.
func hide(window []byte) { _ = unix.Munmap(window) }

// mostValues bounds the values of a column.
const mostValues = 1 << 31

// showColumn reserves an address range for a growing file, of values of a size. Addresses beyond
// its end must not be touched.
func showColumn(f *os.File, size int) ([]byte, error) {
	return mapped(unix.Mmap(int(f.Fd()), 0, mostValues*size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED))
}

// allocate makes a file longer by zero bytes for which the disk has room. Without room this fails,
// rather than a later write to memory.
func allocate(f *os.File, at, size int) error {
	if err := reserve(f, int64(at), int64(size)); err == nil {
		return nil
	}
	zeros := make([]byte, 1<<16)
	for size > 0 {
		n, err := f.WriteAt(zeros[:min(size, len(zeros))], int64(at))
		if err != nil {
			return err
		}
		at, size = at+n, size-n
	}
	return nil
}
