//go:build linux

package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/recrawl/recrawl/satstore/paper"
)

// benchRecords returns 200,000, or RECRAWL_BENCH_RECORDS.
func benchRecords() int {
	if n, err := strconv.Atoi(os.Getenv("RECRAWL_BENCH_RECORDS")); err == nil {
		return n
	}
	return 200_000
}

// benchUnitsRun is three days: the first boundary follows the first.
const benchUnitsRun = 72

// dropCaches drops the files of a directory from the page cache.
func dropCaches(b *testing.B, dir string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	must(b, err)
	for _, path := range paths {
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			continue // a file that was being removed
		}
		must(b, err)
		must(b, f.Sync())
		must(b, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
		must(b, f.Close())
	}
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// meter sums the costs of units.
type meter struct {
	wall, cpu time.Duration
	units     []float64 // ms
	cpus      []float64 // ms
	records   int
}

func (m *meter) unit(b *testing.B, f func() int) {
	c, start := cpu(b), time.Now()
	n := f()
	wall := time.Since(start)
	m.wall += wall
	c = cpu(b) - c
	m.cpu += c
	m.cpus = append(m.cpus, c.Seconds()*1e3)
	m.records += n
	m.units = append(m.units, wall.Seconds()*1e3)
}

func (m *meter) perRecord() float64 { return m.wall.Seconds() * 1e6 / float64(m.records) }

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

// seqlog reads a flat file of the due records, changes them and writes another file with one sync:
// the least work of any store.
type seqlog struct {
	dir    string
	w      *paper.Workload
	body   []byte
	reader *bufio.Reader
	writer *bufio.Writer
}

func (s *seqlog) prepare(b *testing.B, list []uint32) {
	f, err := os.Create(filepath.Join(s.dir, "in"))
	must(b, err)
	s.writer.Reset(f)
	for _, i := range list {
		s.body = s.w.AppendTo(append(s.body[:0], make([]byte, 12)...), i)
		binary.LittleEndian.PutUint32(s.body, uint32(len(s.body)-12))
		binary.LittleEndian.PutUint32(s.body[4:], i)
		_, err := s.writer.Write(s.body)
		must(b, err)
	}
	must(b, s.writer.Flush())
	must(b, f.Close())
}

func (s *seqlog) unit(b *testing.B, t int) (n int) {
	in, err := os.Open(filepath.Join(s.dir, "in"))
	must(b, err)
	out, err := os.Create(filepath.Join(s.dir, "out"))
	must(b, err)
	s.reader.Reset(in)
	s.writer.Reset(out)
	for {
		h, err := s.reader.Peek(12)
		if err != nil {
			break
		}
		record, err := s.reader.Peek(12 + int(binary.LittleEndian.Uint32(h)))
		if err != nil {
			b.Fatal(err)
		}
		next, _ := s.w.Visit(record[12:], t)
		binary.LittleEndian.PutUint32(record[8:], uint32(next))
		if _, err = s.writer.Write(record); err != nil {
			b.Fatal(err)
		}
		if _, err = s.reader.Discard(len(record)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	must(b, s.writer.Flush())
	must(b, syscall.Fdatasync(int(out.Fd())))
	must(b, in.Close())
	must(b, out.Close())
	return n
}

// BenchmarkUnit is the hourly workload of [SAT 4.1] over a day boundary: cold, durable in each
// unit, and in turns with the least work of any store.
func BenchmarkUnit(b *testing.B) {
	for _, direct := range []bool{false, true} {
		b.Run(fmt.Sprintf("records=%d/direct=%v", benchRecords(), direct), func(b *testing.B) {
			benchUnits(b, direct)
		})
	}
}

func benchUnits(b *testing.B, direct bool) {
	w, err := paper.NewWorkload(paper.WorkloadOptions{Records: benchRecords(), Unit: paper.Hour})
	must(b, err)
	dir := b.TempDir()
	storeDir, floorDir := filepath.Join(dir, "store"), filepath.Join(dir, "floor")
	must(b, os.Mkdir(floorDir, 0o755))
	s, err := Open(storeDir, Options{DirectIO: direct})
	must(b, err)
	var body []byte
	for i := range uint32(benchRecords()) {
		body = w.AppendTo(body[:0], i)
		must(b, s.Put(i, int64(w.First(i)), body))
		if i%100_000 == 99_999 {
			must(b, s.Commit())
		}
	}
	must(b, s.Checkpoint())
	floor := &seqlog{dir: floorDir, w: w, reader: bufio.NewReaderSize(nil, 256<<10),
		writer: bufio.NewWriterSize(nil, 256<<10)}
	var ours, theirs meter
	var due []uint32
	var commits time.Duration
	before := s.Stats()
	t := 0
	b.ReportAllocs()
	for b.Loop() {
		for range benchUnitsRun {
			t++
			b.StopTimer()
			dropCaches(b, storeDir)
			b.StartTimer()
			due = due[:0]
			ours.unit(b, func() int {
				must(b, s.Advance(int64(t), func(r *Record) (int64, []byte) {
					next, _ := w.Visit(r.Body, t)
					due = append(due, r.Seq)
					return int64(next), r.Body
				}))
				start := time.Now()
				must(b, s.Commit())
				commits += time.Since(start)
				return len(due)
			})
			b.StopTimer()
			floor.prepare(b, due)
			dropCaches(b, floorDir)
			theirs.unit(b, func() int { return floor.unit(b, t) })
			b.StartTimer()
		}
	}
	st := s.Stats()
	if n, ok := paper.Golden(w.WorkloadOptions, t); ok && n != ours.records {
		b.Errorf("%d records in %d units, want %d", ours.records, t, n)
	}
	written := st.RunBytesWritten + st.LogBytesWritten + st.IndexBytesWritten -
		before.RunBytesWritten - before.LogBytesWritten - before.IndexBytesWritten
	b.ReportMetric(ours.perRecord(), "us/record")
	b.ReportMetric(ours.perRecord()/theirs.perRecord(), "x-seqlog")
	b.ReportMetric(median(ours.units)/median(theirs.units), "x-seqlog-median")
	b.ReportMetric(ours.cpu.Seconds()*1e6/float64(ours.records), "cpu-us/record")
	b.ReportMetric(float64(ours.cpu)/float64(theirs.cpu), "cpu-x-seqlog")
	b.ReportMetric(float64(written)/float64(st.GivenBytes-before.GivenBytes), "written/B")
	b.ReportMetric(slices.Max(ours.units)/median(ours.units), "slowest/median")
	b.ReportMetric(slices.Max(ours.cpus)/median(ours.cpus), "slowest/median-cpu")
	b.ReportMetric(float64(st.IndexBytes)/float64(st.Records), "memory-B/record")
	b.ReportMetric(float64(st.RunBytes)/float64(st.LiveBytes), "disk/live")
	b.ReportMetric(commits.Seconds()*1e6/float64(ours.records), "commit-us/record")
	b.ReportMetric(0, "ns/op")
	load, _ := os.ReadFile("/proc/loadavg")
	b.Logf("load average %s; %d files; unit ms %.1f", bytes.TrimSpace(load), st.Files, ours.units)
	must(b, s.Close())
}
