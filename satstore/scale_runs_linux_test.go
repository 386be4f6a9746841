package satstore

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/satstore/paper"
)

// TestScaleRuns does the same with the runs alone, and bodies of 164 bytes. It loads records,
// visits them for more than a day, and then deletes each when it is due.
func TestScaleRuns(t *testing.T) {
	n := scaleRecords()
	w, err := paper.NewWorkload(paper.WorkloadOptions{Records: n, Unit: paper.Hour})
	must(t, err)
	p, err := w.Plan(t.Context(), scaleUnits)
	must(t, err)
	due, sums := make([]int, scaleUnits+1), p.Sums
	for u := range due {
		due[u] = len(p.Due[u])
	}
	p = nil
	settle()
	c := &scaled{t: t, dir: filepath.Join(t.TempDir(), "store"), records: n,
		rssBare: status("RssAnon:")}
	s, err := engine.Open(c.dir, engine.Options{})
	must(t, err)
	start := time.Now()
	var body []byte
	for i := range uint32(n) {
		body = w.AppendTo(body[:0], i)
		must(t, s.Put(i, int64(w.First(i)), body))
		if i%scaleCommit == scaleCommit-1 {
			must(t, s.Commit())
		}
	}
	must(t, s.Commit())
	c.took("load", n, time.Since(start))
	c.tellRuns("loaded", s)

	start = time.Now()
	visits := 0
	for u := 1; u <= scaleUnits; u++ {
		count, sum := 0, uint64(0)
		must(t, s.Advance(int64(u), func(r *engine.Record) (int64, []byte) {
			next, drawn := w.Visit(r.Body, u)
			count++
			sum += drawn
			return int64(next), r.Body
		}))
		must(t, s.Commit())
		if count != due[u] || sum != sums[u] {
			t.Fatalf("unit %d: %d visits, sum %x; the plan has %d, %x",
				u, count, sum, due[u], sums[u])
		}
		visits += count
		c.countFiles()
	}
	c.took("visit", visits, time.Since(start))
	full := c.tellRuns("visited", s)

	must(t, s.Close())
	s = nil
	settle()
	start = time.Now()
	s, err = engine.Open(c.dir, engine.Options{})
	must(t, err)
	t.Logf("opened again in %v", time.Since(start).Round(time.Millisecond))
	c.tellRuns("opened", s)

	for day := int64(2); s.Len() > 0; day++ {
		must(t, s.Advance(day*24, func(*engine.Record) (int64, []byte) { return -1, nil }))
		must(t, s.Commit())
		c.countFiles()
		if day%80 == 2 {
			must(t, s.Checkpoint()) // it frees the space of deleted records
			disk := diskOf(t, c.dir)
			live := int64(s.Len()) * int64(w.MeanBytes())
			t.Logf("day %d: %d records left, %.1f B of disk a record left, %.1f of all",
				day, s.Len(), float64(disk)/float64(max(s.Len(), 1)), float64(disk)/float64(n))
			// The index file and the log may each exist twice. They take up to 16 bytes for each
			// number ever used.
			if limit := live*2 + 16*int64(n) + 96<<20; disk > limit {
				t.Errorf("day %d: %d bytes on disk for %d bytes of records, limit %d",
					day, disk, live, limit)
			}
		}
	}
	empty := c.tellRuns("drained", s)
	must(t, s.Close())
	if closed := diskOf(t, c.dir); n >= 1_000_000 && closed > full/5 {
		t.Errorf("%d bytes on disk when full, %d drained, %d closed", full, empty, closed)
	}
	t.Logf("at most %d files open", c.files)
	if c.files > fileLimit {
		t.Errorf("%d files were open at a time, limit %d", c.files, fileLimit)
	}
}

// tellRuns does what tell does, for runs alone.
func (c *scaled) tellRuns(when string, s *engine.Store) (disk int64) {
	c.countFiles()
	settle()
	rss, st := status("RssAnon:")-c.rssBare, s.Stats()
	disk = diskOf(c.t, c.dir)
	per := func(bytes int64) float64 { return float64(bytes) / float64(c.records) }
	c.t.Logf("%-12s memory a record: %.2f B index, %.2f resident; buffer %d MiB, resident %d "+
		"MiB; disk a record: %.1f B (%.1f live, %.1f garbage); %d files, %d open",
		when+":", per(st.IndexBytes), per(rss), st.BufferBytes>>20, rss>>20, per(disk),
		per(st.LiveBytes), per(st.GarbageBytes), st.Files, openFiles(c.t))
	if c.records >= 1_000_000 && per(st.IndexBytes) > memoryLimit {
		c.t.Errorf("%s: the index takes %.2f bytes a record, limit %v",
			when, per(st.IndexBytes), memoryLimit)
	}
	return disk
}
