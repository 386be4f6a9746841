package machine

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Field returns the number behind a word of a file of lines, as "VmHWM:" of /proc/self/status, in
// the unit of that file; 0 if there is none.
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

// LoadAverage is the mean number of running tasks of the last minute.
func LoadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}
