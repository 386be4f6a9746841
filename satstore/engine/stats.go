package engine

// Stats says how full a store is.
type Stats struct {
	Records int
	Clock   int64
	Slots   int

	LiveBytes     int64 // of blocks that hold newest versions or messages
	RunBytes      int64 // of all run files, without the holes made
	GarbageBytes  int64 // of them those not needed
	LogBytes      int64 // of the log segment
	IndexFileSize int64
	Files         int // run files, log segment, index and version file
	OpenFiles     int // descriptors

	IndexBytes  int64 // of the index and the table of blocks in memory
	BufferBytes int64 // of pages in use
	BufferPeak  int64

	// Written since Open: bodies and messages that were given, and what went to the disk.
	GivenBytes, RunBytesWritten, LogBytesWritten, IndexBytesWritten int64
	// AttachedBytes are those of the log that are payloads of a foreign store.
	AttachedBytes int64

	// Reads of run files since Open, and their bytes; not those that Open makes itself.
	Reads, ReadBytes int64

	Damaged int // damages found since Open
}

// MemoryBytes is what the store needs in memory as it is now, with a checkpoint of the index beside
// it and buffers for reading and writing.
func (s *Store) MemoryBytes() int64 {
	blocks := int64(len(s.blocks))
	buffers := int64(s.pages.bytes+len(s.pages.spare)*s.pages.size) + int64(cap(s.log.buf)) +
		(classes*2+2)*writeChunk
	return s.index.bytes() + int64(cap(s.blocks))*blockBytes + blocks*4 + blocks*checkpointBytes +
		buffers
}

// checkpointBytes are those of a block while a checkpoint is written: its number, its row for the
// index file and for the outline, and the bits of its frames.
const checkpointBytes = 50

// Stats returns the present state, what is not committed included.
func (s *Store) Stats() Stats {
	st := Stats{
		Records:       s.index.count,
		Clock:         s.clock,
		Slots:         len(s.slots.byKey),
		LogBytes:      s.log.size + int64(len(s.log.buf)),
		IndexFileSize: s.indexBytes,
		Files:         s.files.count() + 3,
		IndexBytes: s.index.bytes() + int64(cap(s.blocks))*blockBytes +
			int64(len(s.blocks))*4,
		BufferBytes:       int64(s.pages.bytes),
		BufferPeak:        int64(s.pages.peak),
		GivenBytes:        s.written,
		RunBytesWritten:   s.runTotal,
		LogBytesWritten:   s.log.total,
		IndexBytesWritten: s.indexTotal,
		AttachedBytes:     s.attachedBytes,
		Reads:             s.files.reads.Load(),
		ReadBytes:         s.files.readBytes.Load(),
		Damaged:           s.damage.count,
	}
	for _, f := range s.files.all {
		if f != nil {
			st.LiveBytes += f.live
			st.RunBytes += f.size - f.punched
			st.GarbageBytes += f.garbage()
		}
	}
	s.files.mu.Lock()
	st.OpenFiles = s.files.opens
	s.files.mu.Unlock()
	for _, w := range s.writers {
		if w != nil {
			st.OpenFiles++
		}
	}
	return st
}
