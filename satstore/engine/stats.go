package engine

// Stats reports the sizes of a store.
type Stats struct {
	Records int
	Clock   int64
	Slots   int

	LiveBytes     int64 // of blocks with newest versions or messages
	RunBytes      int64 // of all run files, without their holes
	GarbageBytes  int64 // bytes of run files that are not needed
	LogBytes      int64 // of the log segment
	IndexFileSize int64
	Files         int // run files, log segment, index and version file
	OpenFiles     int // descriptors

	IndexBytes  int64 // of the index and the table of blocks in memory
	BufferBytes int64 // of pages in use
	BufferPeak  int64

	// bytes since Open: bodies and messages that were put, and writes to the disk
	GivenBytes, RunBytesWritten, LogBytesWritten, IndexBytesWritten int64
	// AttachedBytes are the payloads of a foreign store in the log.
	AttachedBytes int64

	// Reads and ReadBytes count reads of run files since Open, without those of Open itself.
	Reads, ReadBytes int64

	Damaged int // damages found since Open
}

// MemoryBytes returns the memory that the store needs in its present state, including a checkpoint
// of the index and buffers for reading and writing.
func (s *Store) MemoryBytes() int64 {
	blocks := int64(len(s.blocks))
	buffers := int64(s.pages.bytes+len(s.pages.spare)*s.pages.size) + int64(cap(s.log.buf)) +
		(classes*2+2)*writeChunk
	return s.index.bytes() + int64(cap(s.blocks))*blockBytes + blocks*4 + blocks*checkpointBytes +
		buffers
}

// checkpointBytes is the memory of a block while a checkpoint is written: its number, its rows in
// the index file and the outline, and the bits of its frames.
const checkpointBytes = 50

// Stats returns the present state, including uncommitted changes.
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
