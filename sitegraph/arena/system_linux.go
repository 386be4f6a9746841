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

// reserve allocates room on disk without writing. Not every file system can.
func reserve(f *os.File, at, size int64) error { return unix.Fallocate(int(f.Fd()), 0, at, size) }

// statm stays open, since it is read often; nil if the system has none.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm")
	return f
})

// shownBytes returns the bytes of files in the memory of the process.
func shownBytes() int64 {
	var room [128]byte
	n, _ := statm().ReadAt(room[:], 0) // it is shorter than the room
	fields := bytes.Fields(room[:max(n, 0)])
	if len(fields) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * int64(pageSize)
}

// pagemap has the place of each page of the process. It stays open; nil if the system has none.
var pagemap = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/pagemap")
	return f
})

// Bits of an entry of pagemap, which has 8 bytes: the page is in memory, and it belongs to a file.
// A copy made on writing belongs to none.
const (
	pageThere  = 1 << 63
	pageOfFile = 1 << 61
)

// forgetRead releases the pages of a private mapping that were not written to. No goroutine may
// write to it meanwhile. An error costs only memory.
func forgetRead(room []byte) {
	const together = 1 << 13 // pages
	entries := make([]byte, 8*together)
	for len(room) > 0 {
		part := room[:min(len(room), together*pageSize)]
		room = room[len(part):]
		first := uintptr(unsafe.Pointer(unsafe.SliceData(part))) / uintptr(pageSize)
		n, _ := pagemap().ReadAt(entries[:len(part)/pageSize*8], int64(first)*8)
		from := -1 // start of such pages; -1: none
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

// populate loads a whole mapping. An error costs only time.
func populate(room []byte) {
	_ = unix.Madvise(room, unix.MADV_WILLNEED)
	_ = unix.Madvise(room, unix.MADV_POPULATE_READ)
}

// nameless makes a file without a name, which link can name. Not every file system can.
func nameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir+"/scratch"), nil
}

// link gives a file another name.
func link(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD,
		name, unix.AT_SYMLINK_FOLLOW)
}

// mapSmall makes a mapping load by 64 KiB around each read; large pages would load 2 MiB. An error
// costs only memory.
func mapSmall(room []byte) { _ = unix.Madvise(room, unix.MADV_NOHUGEPAGE) }
