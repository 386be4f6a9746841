package machine

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Reading is the use of resources up to a time.
type Reading struct {
	At       time.Time
	CPU      time.Duration // of all threads, to 10 ms
	Resident int64         // bytes now
	Peak     int64         // the most so far
}

// ticks is USER_HZ, the unit of /proc/self/stat: 100 on every architecture of Linux that Go knows.
const ticks = 100

// Measure returns the present use.
func Measure() Reading {
	r := Reading{At: time.Now()}
	stat, _ := os.ReadFile("/proc/self/stat")
	// The second field is a name in parentheses that may hold anything; utime and stime are fields
	// 14 and 15.
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 {
		if f := strings.Fields(string(stat[i+1:])); len(f) > 12 {
			user, _ := strconv.ParseInt(f[11], 10, 64)
			system, _ := strconv.ParseInt(f[12], 10, 64)
			r.CPU = time.Duration(user+system) * (time.Second / ticks)
		}
	}
	const status = "/proc/self/status"
	r.Resident, r.Peak = Field(status, "VmRSS:")<<10, Field(status, "VmHWM:")<<10
	return r
}
