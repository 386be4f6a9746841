package satstore

import "time"

// Stats says how full a store is.
type Stats struct {
	Pages   int
	Clock   time.Time
	Buckets []BucketStats // by unit; those without records left out

	BucketBytes int64 // of all bucket files, stale copies included
	BufferBytes int64 // of all write buffers
	LogBytes    int64 // of the log segment
	IndexBytes  int64 // of the index in memory
	Files       int   // bucket files and the log segment

	// Written since Open: encoded records given to Add, Save and Advance, and what went to
	// bucket files and log for them.
	RecordBytesWritten, BucketBytesWritten, LogBytesWritten int64

	Damaged int // damages found since Open
}

// BucketStats describes the records due in one unit.
type BucketStats struct {
	Due         time.Time // start of the unit
	Records     int       // newest copies
	FileBytes   int64
	BufferBytes int64
}

// Stats returns the present state, what is not committed included.
func (s *Store) Stats() Stats {
	st := Stats{Pages: len(s.index), Clock: s.Clock(), LogBytes: s.log.size + int64(len(s.log.buf)),
		IndexBytes: int64(cap(s.index)) * 8, Files: 1, Damaged: s.damaged,
		RecordBytesWritten: s.written.records, BucketBytesWritten: s.written.buckets, LogBytesWritten: s.log.total}
	for _, b := range s.order {
		st.BucketBytes += b.size
		st.BufferBytes += int64(b.buf.bytes)
		if b.size > 0 {
			st.Files++
		}
		if b.live > 0 {
			st.Buckets = append(st.Buckets, BucketStats{Due: time.Unix(b.unit*s.unit, 0).UTC(),
				Records: b.live, FileBytes: b.size, BufferBytes: int64(b.buf.bytes)})
		}
	}
	return st
}
