package scale

import (
	"os"
	"strconv"
	"strings"
)

// resident is how much of the process is in memory now, in bytes.
func resident() int64 { return field("/proc/self/status", "VmRSS:") << 10 }

func peak() int64 { return field("/proc/self/status", "VmHWM:") << 10 }

// resetPeak begins anew with what is resident now.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

type bytesMoved struct{ read, written int64 }

func traffic() bytesMoved {
	return bytesMoved{field("/proc/self/io", "rchar:"), field("/proc/self/io", "wchar:")}
}

// field reads a number of a file of lines "name: number".
func field(file, name string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}
