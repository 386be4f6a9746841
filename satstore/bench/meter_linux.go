package bench

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/recrawl/recrawl/satstore/machine"
	"golang.org/x/sys/unix"
)

// Measured says which columns this system can fill.
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

// device returns the bytes that this process made the device read and write, as
// /proc/self/io has them. Written are pages made dirty, less those dropped before they
// got there: it counts a page of 4 KiB for a byte, and a mapped page each time it is made
// dirty, also when the device is written to once for many times.
func device() (read, written int64) {
	const io = "/proc/self/io"
	return machine.Field(io, "read_bytes:"),
		machine.Field(io, "write_bytes:") - machine.Field(io, "cancelled_write_bytes:")
}

func resident() memory {
	const status = "/proc/self/status"
	return memory{
		current:   machine.Field(status, "VmRSS:") << 10,
		peak:      machine.Field(status, "VmHWM:") << 10,
		anonymous: machine.Field(status, "RssAnon:") << 10,
	}
}

// resetPeak makes resident's peak begin anew; where that is forbidden it goes on.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
