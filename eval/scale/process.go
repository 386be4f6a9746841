package scale

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/recrawl/recrawl/satstore/machine"
)

// resident returns the resident memory of the process, in bytes.
func resident() int64 { return machine.Field("/proc/self/status", "VmRSS:") << 10 }

func peak() int64 { return machine.Field("/proc/self/status", "VmHWM:") << 10 }

// resetPeak restarts the peak at the present resident memory.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// kinds is the resident memory of the process, by kind.
type kinds struct {
	heap int64 // and stacks: all without a file
	file int64 // mapped files
}

func kindsNow() (k kinds) {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return k
	}
	all, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	file, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	page := int64(os.Getpagesize())
	return kinds{(all - file) * page, file * page}
}

// sampleEvery is the time between two looks at memory, which take some microseconds.
const sampleEvery = 5 * time.Millisecond

// sampler looks at memory periodically.
type sampler struct {
	mu   sync.Mutex
	most kinds // peak of each
	stop chan struct{}
}

func startSampler() *sampler {
	s := &sampler{stop: make(chan struct{})}
	go func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-tick.C:
				s.look()
			}
		}
	}()
	return s
}

func (s *sampler) look() {
	now := kindsNow()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most.heap, s.most.file = max(s.most.heap, now.heap), max(s.most.file, now.file)
}

// mostSince returns the peaks since the last call.
func (s *sampler) mostSince() kinds {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	most := s.most
	s.most = kinds{}
	return most
}

func (s *sampler) end() { close(s.stop) }

// ticksPerSecond is the unit of processor times in /proc.
const ticksPerSecond = 100

// processorTime returns the time of the process on all processors so far, in seconds.
func processorTime() (seconds float64) {
	text, _ := os.ReadFile("/proc/self/stat")
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		return 0
	}
	for _, of := range [][]byte{fields[user], fields[system]} {
		ticks, _ := strconv.ParseFloat(string(of), 64)
		seconds += ticks / ticksPerSecond
	}
	return seconds
}

type bytesMoved struct{ read, written int64 }

func traffic() bytesMoved {
	return bytesMoved{machine.Field("/proc/self/io", "rchar:"),
		machine.Field("/proc/self/io", "wchar:")}
}
