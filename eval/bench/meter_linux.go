package bench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/recrawl/recrawl/satstore/machine"
)

// Measured reports which columns this system can fill.
const Measured = true

func processTime() time.Duration { return timeOf(unix.RUSAGE_SELF) }
func threadTime() time.Duration  { return timeOf(unix.RUSAGE_THREAD) }

func timeOf(who int) time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(who, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// device returns the bytes that this process made the device read and write, by /proc/self/io. The
// kernel counts 4 KiB as written when a page becomes dirty, and takes back pages that are dropped
// before they are written. A page that becomes dirty several times counts as often, even if the
// device writes the page once.
func device() (read, written int64) {
	const io = "/proc/self/io"
	return machine.Field(io, "read_bytes:"),
		machine.Field(io, "write_bytes:") - machine.Field(io, "cancelled_write_bytes:")
}

// requests returns how often this process read bytes of files or wrote some: calls, and single
// pages of mapped files from the device. Each is at most one seek.
func requests() (reads, writes int64) {
	const io = "/proc/self/io"
	var r unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &r)
	return machine.Field(io, "syscr:") + r.Majflt, machine.Field(io, "syscw:")
}

func resident() memory {
	const status = "/proc/self/status"
	return memory{current: machine.Field(status, "VmRSS:") << 10,
		peak: machine.Field(status, "VmHWM:") << 10, anonymous: machine.Field(status,
			"RssAnon:") << 10}
}

// resetPeak restarts resident's peak. Where that is forbidden the peak continues.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

// syncFiles writes all dirty pages of a directory's file system, also those of other processes.
func syncFiles(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// dropCache makes the kernel drop the contents of the files below a directory, which must be synced
// and not mapped. It keeps their metadata: reading that of ten thousand files would dominate, and
// is no property of a store.
func dropCache(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		f, err := os.Open(path)
		if err != nil {
			return ignoreGone(err)
		}
		return errors.Join(unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
	})
}

// cachedShare returns the part of the bytes of all files below a directory that is in the page
// cache, or 0 without bytes. Kernels before 6.5 do not report it.
func cachedShare(dir string) (float64, error) {
	pages, bytes, unknown := uint64(0), int64(0), false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		f, err := os.Open(path)
		if err != nil {
			return ignoreGone(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		var stat unix.Cachestat_t
		if unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &stat, 0) != nil {
			unknown = true
		}
		pages += stat.Cache
		// holes are not in memory
		bytes += max(allocated(info), int64(stat.Cache)*int64(os.Getpagesize()))
		return nil
	})
	if unknown || err != nil {
		return unknownShare, err
	}
	return float64(pages) * float64(os.Getpagesize()) / float64(max(bytes, 1)), nil
}

// openDirect opens a file without the page cache if the file system supports that.
func openDirect(path string, flag int) (f *os.File, direct bool, err error) {
	f, err = os.OpenFile(path, flag|unix.O_DIRECT, 0o600)
	if errors.Is(err, unix.EINVAL) {
		f, err = os.OpenFile(path, flag, 0o600)
		return f, false, err
	}
	return f, true, err
}

// alignedBuffer returns memory that is aligned for reads and writes without the page cache.
func alignedBuffer(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func releaseBuffer(b []byte) { _ = unix.Munmap(b) }
