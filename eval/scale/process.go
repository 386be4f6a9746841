package scale

import (
	"os"

	"github.com/recrawl/recrawl/satstore/proc"
)

// resident is how much of the process is in memory now, in bytes.
func resident() int64 { return proc.Field("/proc/self/status", "VmRSS:") << 10 }

func peak() int64 { return proc.Field("/proc/self/status", "VmHWM:") << 10 }

// resetPeak begins anew with what is resident now.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

type bytesMoved struct{ read, written int64 }

func traffic() bytesMoved {
	return bytesMoved{proc.Field("/proc/self/io", "rchar:"), proc.Field("/proc/self/io", "wchar:")}
}
