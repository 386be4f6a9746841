package satstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/paper"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	scaleUnits  = 26     // hours: one day boundary is among them
	scaleDays   = 6      // the days after, each in one Advance
	scaleCommit = 10_000 // records added by a transaction
	memoryLimit = 8.0    // bytes of index and block table per record
	memorySpare = 1.5    // more bytes while a checkpoint is written
	fileLimit   = 600    // open at a time, with those of the catalogue

	// fixedMemory is the memory that doc.go grants besides the bytes per record: the buffer, which
	// stays allocated once it was full, Pebble's part, and 10 MiB.
	fixedMemory = 64<<20 + 16<<20 + 10<<20
)

// scaleRecords returns 20,000, or 2 million with RECRAWL_LONG. RECRAWL_SCALE_RECORDS sets another
// number.
func scaleRecords() int {
	if n, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_RECORDS")); err == nil {
		return n
	}
	if long() {
		return 2_000_000
	}
	return 20_000
}

// scaled measures what a store of many records takes in memory, files and disk.
type scaled struct {
	t       *testing.T
	dir     string
	records int
	w       *paper.Workload
	s       *Store
	url     []byte
	rssBare int64 // of the process, before the store
	files   int   // most that were open at once
	units   []time.Duration
}

// TestScale loads a store with addresses of 64 bytes in the mean and 100 bytes of state, lets more
// than a day pass by hours, and visits each record at its interval of [SAT fig. 2]. It then opens
// the store again, lets days pass, and removes half of the records, then all. Unit by unit, it
// compares the records handed out with the plan. It prints memory, files and disk. With 20 million
// records,
//
//	RECRAWL_SCALE_RECORDS=20000000 go test ./satstore -run '^TestScale' -v -timeout 60m
//
// takes 6 GB of disk in TMPDIR; RECRAWL_SCALE_PROFILE=file writes a heap profile.
func TestScale(t *testing.T) {
	n := scaleRecords()
	w, err := paper.NewWorkload(paper.WorkloadOptions{Records: n, Unit: paper.Hour})
	must(t, err)
	counts, sums := scalePlan(t, w)
	c := &scaled{t: t, dir: filepath.Join(t.TempDir(), "store"), records: n, w: w}
	settle()
	c.rssBare = status("RssAnon:")

	start := time.Now()
	c.s = mustOpen(t, c.dir, Options{Now: day0})
	c.load()
	c.took("load", n, time.Since(start))
	c.tell("loaded")

	before := c.s.Stats()
	start = time.Now()
	visits := 0
	for u := 1; u <= scaleUnits; u++ {
		visits += c.unit(u, counts[u], sums[u])
	}
	c.took("visit", visits, time.Since(start))
	now := c.s.Stats()
	t.Logf("%d units of %d records in the mean; slowest %v; %.2f bytes written for each given",
		scaleUnits, visits/scaleUnits, c.slowest(),
		float64(now.RunBytesWritten+now.LogBytesWritten+now.IndexBytesWritten-
			before.RunBytesWritten-before.LogBytesWritten-before.IndexBytesWritten)/
			float64(now.GivenBytes-before.GivenBytes))
	visited := c.tell("visited")
	c.profile()

	start = time.Now()
	must(t, c.s.Close())
	closed := time.Since(start)
	c.s = nil
	settle()
	start = time.Now()
	c.s = mustOpen(t, c.dir, Options{})
	t.Logf("closed in %v, opened again in %v",
		closed.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
	c.tell("opened")
	if st := c.s.Stats(); st.Records != n {
		t.Errorf("%d records after opening again, want %d", st.Records, n)
	}

	start = time.Now()
	visits = 0
	for d := range scaleDays {
		visits += c.days(scaleUnits/24 + 1 + d)
	}
	c.took("visit by days", visits, time.Since(start))
	if later := c.tell("visited on"); n >= 1_000_000 && later.sat > visited.sat*5/4 {
		t.Errorf("%d bytes of runs after %d units, %d some days later",
			visited.sat, scaleUnits, later.sat)
	}

	start = time.Now()
	c.remove(n/2, n)
	c.took("remove", n/2, time.Since(start))
	if removed := c.tell("half removed"); n >= 1_000_000 && removed.sat > visited.sat*3/4 {
		t.Errorf("%d bytes of runs with all records, %d with half of them",
			visited.sat, removed.sat)
	}
	c.remove(0, n/2)
	if removed := c.tell("all removed"); n >= 1_000_000 && removed.sat > visited.sat/5+100<<20 {
		t.Errorf("%d bytes of runs with all records, %d with none", visited.sat, removed.sat)
	}
	must(t, c.s.Close())
	if c.files > fileLimit {
		t.Errorf("%d files were open at a time, limit %d", c.files, fileLimit)
	}
}

// scalePlan returns the number of records due in each unit, and the sums of their marks.
func scalePlan(t *testing.T, w *paper.Workload) (counts []int, sums []uint64) {
	p, err := w.Plan(t.Context(), scaleUnits)
	must(t, err)
	counts, sums = make([]int, scaleUnits+1), make([]uint64, scaleUnits+1)
	for u, due := range p.Due {
		counts[u] = len(due)
		for _, i := range due {
			sums[u] += mark(i)
		}
	}
	return counts, sums
}

// mark returns a hash of a record. Sets of records with different sums of marks differ.
func mark(i uint32) uint64 {
	x := uint64(i) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// address returns the address of a page: the workload's, with an end that no other address has.
func (c *scaled) address(i uint32) string {
	c.url = c.w.AppendTo(c.url[:0], i)[c.w.FixedBytes:]
	const tail = 9
	if n := len(c.url); n > 20+tail {
		c.url = c.url[:n-tail]
	}
	return string(fmt.Appendf(c.url, "-%08x", i))
}

func (c *scaled) load() {
	var r sitegraph.Record
	for i := range uint32(c.records) {
		url := c.address(i)
		digest := sitegraph.Digest{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24), 7, 6, 5}
		r = sitegraph.Record{Page: sitegraph.PageID(i), URL: url, Referer: url[:15],
			State: sitegraph.StateAlive, Status: 200,
			Digests: sitegraph.Digests{Bytes: digest, Text: digest, Main: digest}, Size: 22 << 10,
			Tried:    day0,
			Due:      day0.Add(time.Duration(c.w.First(i)) * time.Hour),
			Interval: time.Duration(c.w.Interval(i)) * time.Hour, Reason: "interval"}
		must(c.t, c.s.Add(&r))
		if i%scaleCommit == scaleCommit-1 {
			must(c.t, c.s.Commit())
		}
		if i%1_000_000 == 0 {
			c.countFiles()
		}
	}
	must(c.t, c.s.Commit())
}

// unit gets the records that are due in an hour, and compares them with the plan.
func (c *scaled) unit(u, count int, sum uint64) int {
	start := time.Now()
	now := day0.Add(time.Duration(u) * time.Hour)
	n := 0
	must(c.t, c.s.Advance(now, func(r *sitegraph.Record) {
		n++
		sum -= mark(uint32(r.Page))
		r.Tried, r.Due = now, now.Add(r.Interval)
		r.History.Visits++
	}))
	must(c.t, c.s.Commit())
	c.units = append(c.units, time.Since(start))
	if n != count || sum != 0 {
		c.t.Fatalf("unit %d: %d records were handed out, %d are due; marks left: %x",
			u, n, count, sum)
	}
	c.countFiles()
	return n
}

// days advances to the end of a day. It only checks that no record comes before it is due.
func (c *scaled) days(d int) (n int) {
	now := at(d)
	must(c.t, c.s.Advance(now, func(r *sitegraph.Record) {
		n++
		if r.Due.After(now) {
			c.t.Fatalf("%s was handed out at %v, due at %v", r.URL, now, r.Due)
		}
		r.Tried, r.Due = now, now.Add(r.Interval)
		r.History.Visits++
	}))
	must(c.t, c.s.Commit())
	c.countFiles()
	return n
}

// remove removes pages. The runs free a block once all of it is stale: pages that were added
// together lie together.
func (c *scaled) remove(from, to int) {
	for i := from; i < to; i++ {
		must(c.t, c.s.Remove(sitegraph.PageID(i)))
		if i%scaleCommit == scaleCommit-1 {
			must(c.t, c.s.Commit())
		}
		if i%1_000_000 == 0 {
			c.countFiles()
		}
	}
	for i := range byte(20) { // the store frees the space within a few commits
		must(c.t, c.s.SaveSetting("commit", []byte{i}))
		must(c.t, c.s.Commit())
	}
}

func (c *scaled) took(what string, n int, d time.Duration) {
	c.t.Logf("%s: %d records in %v, %.2f us a record, %.0f a second",
		what, n, d.Round(time.Millisecond), d.Seconds()*1e6/float64(n), float64(n)/d.Seconds())
}

func (c *scaled) slowest() (d time.Duration) {
	for _, u := range c.units {
		d = max(d, u)
	}
	return d.Round(time.Millisecond)
}

// taken is what a store takes at one moment.
type taken struct{ sat int64 }

// tell collects garbage and prints what the store takes in all and per record.
func (c *scaled) tell(when string) taken {
	c.countFiles()
	settle()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	rss := status("RssAnon:") - c.rssBare
	st := c.s.Stats()
	sat, pebble := diskOf(c.t, filepath.Join(c.dir, satName)),
		diskOf(c.t, filepath.Join(c.dir, catalogueName))
	per := func(bytes int64) float64 { return float64(bytes) / float64(c.records) }
	c.t.Logf("%-12s memory a record: %.2f B index, %.2f heap, %.2f resident; buffer %d MiB, heap "+
		"%d MiB, resident %d MiB", when+":",
		per(st.IndexBytes), per(int64(m.HeapAlloc)), per(rss), st.BufferBytes>>20, m.HeapAlloc>>20,
		rss>>20)
	c.t.Logf("%-12s disk a record: %.1f B runs, log and index (%.1f live, %.1f garbage), %.1f "+
		"catalogue; %d files, %d open", "",
		per(sat), per(st.LiveBytes), per(st.GarbageBytes), per(pebble), st.Files, openFiles(c.t))
	if c.records >= 1_000_000 &&
		(per(st.IndexBytes) > memoryLimit || per(rss-fixedMemory) > memoryLimit+memorySpare) {
		c.t.Errorf("%s: the index takes %.2f bytes a record, limit %v; resident beside the %d "+
			"MiB that do not grow are %.2f, limit %v", when,
			per(st.IndexBytes), memoryLimit, fixedMemory>>20, per(rss-fixedMemory),
			memoryLimit+memorySpare)
	}
	return taken{sat}
}

// profile writes a heap profile to the file in RECRAWL_SCALE_PROFILE.
func (c *scaled) profile() {
	name := os.Getenv("RECRAWL_SCALE_PROFILE")
	if name == "" {
		return
	}
	f, err := os.Create(name)
	must(c.t, err)
	must(c.t, pprof.Lookup("heap").WriteTo(f, 0))
	must(c.t, f.Close())
}

func (c *scaled) countFiles() { c.files = max(c.files, openFiles(c.t)) }

// openFiles counts the open descriptors of this process, including its standard ones.
func openFiles(t *testing.T) int {
	names, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(names)
}

// settle returns all unneeded memory to the system.
func settle() {
	runtime.GC()
	debug.FreeOSMemory()
}

// status returns a number of /proc/self/status, in bytes.
func status(name string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// diskOf returns the disk space of the files in a directory, without their holes.
func diskOf(t *testing.T, dir string) (bytes int64) {
	must(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if os.IsNotExist(err) { // removed in the meantime
			return nil
		}
		if err == nil {
			bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	}))
	return bytes
}
