package satstore

import "time"

// Stats says how full a store is.
type Stats struct {
	Pages   int // added
	Records int // Pages without those removed
	Clock   time.Time
	Slots   int

	DiskBytes    int64 // of records, index and log, without the catalogue
	LiveBytes    int64 // of them what blocks with newest versions and messages take
	GarbageBytes int64 // of them those not needed
	LogBytes     int64 // of the log
	Files        int   // the catalogue's left out
	OpenFiles    int

	IndexBytes  int64 // of the index in memory
	BufferBytes int64 // of records in memory that wait to be written as runs

	// Written since Open: encoded records and messages given to Add, Save, Message and
	// Advance, and what went to the disk for them; the log has the catalogue's batches, too.
	GivenBytes, RunBytesWritten, LogBytesWritten, IndexBytesWritten int64

	// Reads of records since Open, and their bytes.
	Reads, ReadBytes int64

	Damaged int // damages found since Open
}

// Stats returns the present state, what is not committed included.
func (s *Store) Stats() Stats {
	r := s.runs.Stats()
	return Stats{
		Pages:             s.Pages(),
		Records:           r.Records,
		Clock:             s.Clock(),
		Slots:             r.Slots,
		DiskBytes:         r.RunBytes + r.LogBytes + r.IndexFileSize,
		LiveBytes:         r.LiveBytes,
		GarbageBytes:      r.GarbageBytes,
		LogBytes:          r.LogBytes,
		Files:             r.Files,
		OpenFiles:         r.OpenFiles,
		IndexBytes:        r.IndexBytes,
		BufferBytes:       r.BufferBytes,
		GivenBytes:        r.GivenBytes,
		RunBytesWritten:   r.RunBytesWritten,
		LogBytesWritten:   r.LogBytesWritten,
		IndexBytesWritten: r.IndexBytesWritten,
		Reads:             r.Reads,
		ReadBytes:         r.ReadBytes,
		Damaged:           r.Damaged + len(s.damage),
	}
}

// MemoryBytes is about what the store needs in memory as it is now, Pebble's and the transaction's
// left out. It grows with the records.
func (s *Store) MemoryBytes() int64 { return s.runs.MemoryBytes() }

// Due is a span of time in which records are due.
type Due struct {
	Start   time.Time
	Width   time.Duration
	Records int
	Bytes   int64 // on disk and in memory, stale copies beside them included
}

// Pending returns where the records lie, by time: units near the clock, wider spans far from it. A
// wide span that is being divided overlaps with units in it. The first is where the oldest due
// record is; none has been handed out.
func (s *Store) Pending() ([]Due, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	var list []Due
	for _, sl := range s.runs.Slots() {
		list = append(
			list,
			Due{Start: s.timeOf(sl.First), Width: time.Duration(sl.Units*s.unit) * time.Second,
				Records: sl.Records, Bytes: sl.Bytes},
		)
	}
	return list, nil
}

// Traffic returns what was read and written since Open for records and messages: reads of run files
// and their bytes, bytes of encoded records and messages given to be kept, and what was written for
// them, with the log and the index. A flat log would read and write what was given once each.
func (s *Store) Traffic() (reads, read, given, written int64) {
	r := s.runs.Stats()
	return r.Reads, r.ReadBytes, r.GivenBytes,
		r.RunBytesWritten + r.LogBytesWritten + r.IndexBytesWritten - r.AttachedBytes
}
