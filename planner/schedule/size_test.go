package schedule

import (
	"runtime"
	"testing"
)

// Guarantee 4: a server takes less than 150 bytes, with all heaps and wheels, full.
func TestBytesPerServer(t *testing.T) {
	const servers = 200_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(EDF)
	s.Reserve(servers)
	for i := range servers {
		s.Add(0, Server{Load: RateOf(Minute + Tick(i)), Times: Times{Mean: 1}})
	}
	for id, ok := s.Next(0, 0); ok; id, ok = s.Next(0, 0) {
		s.Done(id, 1)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / servers
	t.Logf("%.1f bytes a server", each)
	if each > 150 || s.Len() != servers {
		t.Errorf("%.1f bytes a server, want at most 150", each)
	}
	runtime.KeepAlive(s)
}
