package machine

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Field returns the number after a word in a file of lines, such as "VmHWM:" of /proc/self/status,
// in the unit of that file; 0 if there is none.
func Field(path, word string) int64 {
	text, _ := os.ReadFile(path)
	for line := range bytes.Lines(text) {
		if rest, ok := strings.CutPrefix(string(line), word); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest),
				"kB")), 10, 64)
			return n
		}
	}
	return 0
}

// LoadAverage returns the mean number of running tasks in the last minute.
func LoadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}
