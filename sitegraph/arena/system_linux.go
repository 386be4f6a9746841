package arena

import (
	"bytes"
	"encoding/binary"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve takes room on disk without writing. Not every file system can.
func reserve(f *os.File, at, size int64) error { return unix.Fallocate(int(f.Fd()), 0, at, size) }

// statm stays open: it is read often. Nil where there is none.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm")
	return f
})

// shownBytes are those of files that are in the memory of the process.
func shownBytes() int64 {
	var room [128]byte
	n, _ := statm().ReadAt(room[:], 0) // it ends before the room does
	fields := bytes.Fields(room[:max(n, 0)])
	if len(fields) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * int64(pageSize)
}

// pagemap says of each page of the process where it is; it stays open. Nil where there is none.
var pagemap = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/pagemap")
	return f
})

// Of an entry of pagemap, which has 8 bytes: the page is in memory, and it is one of a file. A copy
// that was made of it because it was written to is of none.
const (
	pageThere  = 1 << 63
	pageOfFile = 1 << 61
)

// forgetRead takes those pages of a private mapping of a file out of memory that were not written
// to. No goroutine may write to it meanwhile. An error would cost memory alone.
func forgetRead(room []byte) {
	const together = 1 << 13 // pages
	entries := make([]byte, 8*together)
	for len(room) > 0 {
		part := room[:min(len(room), together*pageSize)]
		room = room[len(part):]
		first := uintptr(unsafe.Pointer(unsafe.SliceData(part))) / uintptr(pageSize)
		n, _ := pagemap().ReadAt(entries[:len(part)/pageSize*8], int64(first)*8)
		from := -1 // where such pages begin; -1: none
		for i := range n/8 + 1 {
			is := i < n/8 && binary.NativeEndian.Uint64(entries[8*i:])&(pageThere|pageOfFile) ==
				pageThere|pageOfFile
			switch {
			case is && from < 0:
				from = i
			case !is && from >= 0:
				forget(part[from*pageSize : i*pageSize])
				from = -1
			}
		}
	}
}

// populate brings a mapping into memory as a whole. An error would cost time alone.
func populate(room []byte) {
	_ = unix.Madvise(room, unix.MADV_WILLNEED)
	_ = unix.Madvise(room, unix.MADV_POPULATE_READ)
}

// nameless makes a file without a name, which link can give it. Not every file system can.
func nameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir+"/scratch"), nil
}

// link gives a file a name, beside those that it has.
func link(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD,
		name, unix.AT_SYMLINK_FOLLOW)
}

// mapSmall has a mapping brought into memory by 64 KiB around what is read: where the system keeps
// the file in large pieces it would map 2 MiB. An error would cost memory alone.
func mapSmall(room []byte) { _ = unix.Madvise(room, unix.MADV_NOHUGEPAGE) }
