package scratch

import (
	"os"
	"runtime/debug"
)

// smallHeap is how much garbage there may be, in percent of what is in use.
const smallHeap = 25

// KeepHeapSmall lets the process collect garbage sooner, unless the user has said when (GOGC). It
// suits a heap of little garbage, most of which are numbers that are not scanned.
func KeepHeapSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallHeap)
	}
}
