package bench

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

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
	return field(io, "read_bytes:"), field(io, "write_bytes:") - field(io, "cancelled_write_bytes:")
}

// field returns the number behind a word of a file in /proc; 0 if there is none.
func field(path, word string) int64 {
	text, _ := os.ReadFile(path)
	for line := range bytes.Lines(text) {
		if rest, ok := strings.CutPrefix(string(line), word); ok {
			n, _ := strconv.ParseInt(
				strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")),
				10,
				64,
			)
			return n
		}
	}
	return 0
}

func resident() memory {
	const status = "/proc/self/status"
	return memory{
		current:   field(status, "VmRSS:") << 10,
		peak:      field(status, "VmHWM:") << 10,
		anonymous: field(status, "RssAnon:") << 10,
	}
}

// resetPeak makes resident's peak begin anew; where that is forbidden it goes on.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// LoadAverage is the mean number of running tasks of the last minute.
func LoadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}

func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
