package arena

import (
	"os"
	"runtime/debug"
	"sync"
)

// smallHeap bounds the garbage, in percent of the memory in use.
const smallHeap = 25

var once sync.Once

// KeepHeapSmall makes the garbage collector run when a quarter of the memory in use has become
// garbage, unless GOGC is set. That costs little if the heap has few pointers, since scanning is
// cheap then. Only its first call has an effect.
func KeepHeapSmall() {
	once.Do(func() {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(smallHeap)
		}
	})
}
