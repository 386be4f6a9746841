package machine

import (
	"runtime"
	"testing"
	"time"
)

// The meters show about the work and memory that are used.
func TestRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	before := Measure()
	memory := make([]byte, 64<<20)
	for i := range memory {
		memory[i] = byte(i)
	}
	for began := time.Now(); Measure().CPU-before.CPU < 50*time.Millisecond; {
		if time.Since(began) > time.Minute {
			t.Fatal("a minute of work took no processor time")
		}
	}
	after := Measure()
	if grown := after.Resident - before.Resident; grown < 60<<20 || after.Peak < after.Resident ||
		before.Resident == 0 {
		t.Errorf("64 MiB more in memory: before %+v, after %+v", before, after)
	}
	runtime.KeepAlive(memory)
}
