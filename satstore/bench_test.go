//go:build unix

package satstore

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const benchRecords = 100_000

// benchRecord has the sizes of [SAT 4.1]: an address of 64 bytes.
func benchRecord(p sitegraph.PageID, due time.Time) sitegraph.Record {
	return sitegraph.Record{Page: p,
		URL: fmt.Sprintf("http://server-%05d.example.org/a/directory/of/pages/%09d.html",
			p%1000, p),
		Referer: fmt.Sprintf("http://server-%05d.example.org/a/directory/", p%1000),
		State:   sitegraph.StateAlive, Status: 200,
		Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte{byte(p), byte(p >> 8)}),
			Text: sitegraph.DigestOf([]byte{1, byte(p)})},
		Size: 22 << 10, Tried: day0, Due: due, Interval: 100 * time.Hour, Reason: "interval"}
}

// interval returns the interval of a page in days: few pages are visited daily, most every month or
// two.
func interval(p sitegraph.PageID) int { return 1 + int(uint32(p)*2654435761>>16)%60 }

func benchStore(b *testing.B, records int) *Store {
	s := mustOpen(b, b.TempDir()+"/store", Options{Now: day0})
	for p := range sitegraph.PageID(records) {
		r := benchRecord(p, at(interval(p)))
		must(b, s.Add(&r))
		if p%1000 == 999 {
			must(b, s.Commit())
		}
	}
	must(b, s.Commit())
	return s
}

// cpu returns the processor time of this program.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func report(b *testing.B, s *Store, before Stats, cpuBefore time.Duration, records int) {
	now := s.Stats()
	encoded := float64(now.GivenBytes - before.GivenBytes)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
	b.ReportMetric(float64((cpu(b)-cpuBefore).Nanoseconds())/float64(records), "cpu-ns/record")
	b.ReportMetric(encoded/float64(records), "B/record")
	b.ReportMetric(float64(now.RunBytesWritten-before.RunBytesWritten+
		now.LogBytesWritten-before.LogBytesWritten+
		now.IndexBytesWritten-before.IndexBytesWritten)/encoded, "written/B")
	b.ReportMetric(float64(now.IndexBytes)/float64(now.Pages), "memory-B/page")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSave measures Save, with a Commit every thousand records.
func BenchmarkSave(b *testing.B) {
	b.Run(fmt.Sprintf("records=%d", benchRecords), func(b *testing.B) {
		s := benchStore(b, benchRecords)
		defer s.Close()
		var r sitegraph.Record
		b.ReportAllocs()
		before, start, n := s.Stats(), cpu(b), 0
		for b.Loop() {
			if n%1000 == 0 {
				must(b, s.Commit())
			}
			p := sitegraph.PageID(n % benchRecords)
			if n < benchRecords {
				r = benchRecord(p, at(interval(p)))
			}
			r.Page, r.Due = p, at(interval(p)+n%7)
			must(b, s.Save(&r))
			n++
		}
		report(b, s, before, start, n)
	})
}

// BenchmarkUpdate measures an update of a record without its fetch [SAT 3.3]: read, change, write,
// and its share of Commit and Advance. by=load reads each due page by its number, as the loop of
// the planner does. by=advance reads it with its slot.
func BenchmarkUpdate(b *testing.B) {
	b.Run(fmt.Sprintf("records=%d/by=load", benchRecords), func(b *testing.B) {
		s := benchStore(b, benchRecords)
		defer s.Close()
		due := make([][]sitegraph.PageID, 61) // by day, modulo
		for p := range sitegraph.PageID(benchRecords) {
			due[interval(p)] = append(due[interval(p)], p)
		}
		var r sitegraph.Record
		before, start, n, day := s.Stats(), cpu(b), 0, 0
		b.ReportAllocs()
		for b.Loop() {
			for len(due[day%61]) == 0 {
				must(b, s.Advance(at(day), func(r *sitegraph.Record) { b.Errorf("left: %+v", r) }))
				must(b, s.Commit())
				day++
			}
			list := &due[day%61]
			p := (*list)[0]
			*list = (*list)[1:]
			must(b, s.Load(p, &r))
			next := day + interval(p)
			r.Tried, r.Due = at(day), at(next)
			r.History.Visits++
			must(b, s.Save(&r))
			due[next%61] = append(due[next%61], p)
			if n++; n%1000 == 0 {
				must(b, s.Commit())
			}
		}
		report(b, s, before, start, n)
	})
	b.Run(fmt.Sprintf("records=%d/by=advance", benchRecords), func(b *testing.B) {
		s := benchStore(b, benchRecords)
		defer s.Close()
		before, start, n, day := s.Stats(), cpu(b), 0, 0
		b.ReportAllocs()
		for b.Loop() { // one day
			day++
			must(b, s.Advance(at(day), func(r *sitegraph.Record) {
				r.Tried, r.Due = at(day), at(day+interval(r.Page))
				r.History.Visits++
				n++
			}))
			must(b, s.Commit())
		}
		report(b, s, before, start, n)
	})
}

// BenchmarkReschedule brings forward records that are due in weeks, in random order and in groups.
func BenchmarkReschedule(b *testing.B) {
	for _, together := range []int{1, 64, 1000} {
		b.Run(fmt.Sprintf("records=%d/together=%d", benchRecords, together), func(b *testing.B) {
			s := benchStore(b, benchRecords)
			defer s.Close()
			before, start, n := s.Stats(), cpu(b), 0
			b.ReportAllocs()
			pages := make([]sitegraph.PageID, 0, together)
			for b.Loop() {
				pages = append(pages, sitegraph.PageID(n*7919%benchRecords))
				if n++; len(pages) == together {
					must(b, s.Reschedule(pages, dueAt(at(1))))
					pages = pages[:0]
				}
				if n%1000 == 0 {
					must(b, s.Commit())
				}
			}
			report(b, s, before, start, n)
		})
	}
}

// BenchmarkRestore opens a closed store and restores graph and records.
func BenchmarkRestore(b *testing.B) {
	b.Run(fmt.Sprintf("records=%d", benchRecords), func(b *testing.B) {
		s := benchStore(b, benchRecords)
		dir := s.dir
		must(b, s.Close())
		b.ReportAllocs()
		n, open := 0, time.Duration(0)
		for b.Loop() {
			start := time.Now()
			s := mustOpen(b, dir, Options{})
			open += time.Since(start)
			must(b, s.Restore(sitegraph.NewGraph(), func(*sitegraph.Record) { n++ }))
			must(b, s.Close())
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
		b.ReportMetric(float64(open.Nanoseconds())/float64(n), "open-ns/record")
		b.ReportMetric(0, "ns/op")
	})
}
