package arena

import (
	"os"
	"runtime/debug"
	"sync"
)

// smallHeap is how much garbage there may be, in percent of what is in use.
const smallHeap = 25

var once sync.Once

// KeepHeapSmall makes the garbage collector run when a quarter of what is in use has become
// garbage, unless GOGC is set. It costs little where the heap holds few pointers, as scanning is
// cheap then. It works once.
func KeepHeapSmall() {
	once.Do(func() {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(smallHeap)
		}
	})
}
