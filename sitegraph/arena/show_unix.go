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

// forget takes a part of a file out of the memory of the process. It is read again when it is
// looked at. An error would cost memory alone.
func forget(window []byte) { _ = unix.Madvise(window, unix.MADV_DONTNEED) }

// readApart says whether the places of a mapping that are read lie far apart. An error would cost
// time alone.
func readApart(room []byte, apart bool) {
	advice := unix.MADV_NORMAL
	if apart {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(room, advice)
}

// showOver maps a part of a file where another one is mapped, as it is or, private, as a copy that
// is made page by page when it is written to. Who reads there finds the one or the other.
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

// hide ends what show or showColumn began. An error would cost an address range alone.
func hide(window []byte) { _ = unix.Munmap(window) }

// mostValues is how many values a column has at most.
const mostValues = 1 << 31

// showColumn reserves an address range for a file that grows, of values of a size. What lies beyond
// its end must not be touched.
func showColumn(f *os.File, size int) ([]byte, error) {
	return mapped(unix.Mmap(int(f.Fd()), 0, mostValues*size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED))
}

// allocate makes a file longer by bytes of zero that the disk has room for: where it has none, this
// fails, and not a write to memory later.
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
