package satstore

import "time"

// Stats reports the sizes of a store.
type Stats struct {
	Pages   int // added
	Records int // Pages without those removed
	Clock   time.Time
	Slots   int

	DiskBytes    int64 // of records, index and log, without the catalogue
	LiveBytes    int64 // of blocks with newest versions and messages
	GarbageBytes int64 // bytes of these that are not needed
	LogBytes     int64 // of the log
	Files        int   // without the catalogue's
	OpenFiles    int

	IndexBytes  int64 // of the index in memory
	BufferBytes int64 // of records in memory that wait to be written as runs

	// Bytes since Open: encoded records and messages given to Add, Save, Message and Advance, and
	// writes to the disk for them. The log also has the catalogue's batches.
	GivenBytes, RunBytesWritten, LogBytesWritten, IndexBytesWritten int64

	// Reads and ReadBytes count reads of records since Open.
	Reads, ReadBytes int64

	Damaged int // damages found since Open
}

// Stats returns the present state, including uncommitted changes.
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

// MemoryBytes returns about how much memory the store needs at present, without Pebble's and the
// transaction's. It grows with the records.
func (s *Store) MemoryBytes() int64 { return s.runs.MemoryBytes() }

// Due is a span of time in which records are due.
type Due struct {
	Start   time.Time
	Width   time.Duration
	Records int
	Bytes   int64 // on disk and in memory, including stale copies
}

// Pending returns where the records are, by time: units near the clock, wider spans far from it. A
// wide span that is being divided overlaps with units in it. The first has the oldest due record;
// none was handed out.
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

// Traffic returns the work since Open for records and messages: the number and bytes of reads of
// run files, and the given and the written bytes. Records and messages are given in their encoding,
// and written with the log and the index. A flat log would read and write the given bytes once
// each.
func (s *Store) Traffic() (reads, read, given, written int64) {
	r := s.runs.Stats()
	return r.Reads, r.ReadBytes, r.GivenBytes,
		r.RunBytesWritten + r.LogBytesWritten + r.IndexBytesWritten - r.AttachedBytes
}
