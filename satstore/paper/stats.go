package paper

// Stats counts what a store did since it was opened.
type Stats struct {
	Visited     int64
	Messages    int64 // that met their records
	Cascaded    int64 // frames moved to a finer level
	BucketBytes int64 // written to bucket files
	Writes      int64 // to bucket files
	SortBytes   int64 // written by external sorts
	LogBytes    int64
	Flushes     [4]int64 // of all buffers above 16, 4 and 1 pages; of one page
	PeakPages   int      // of all write buffers
	Files       int      // bucket files that hold something
}

// Stats returns the counts so far.
func (s *Store) Stats() Stats {
	st := s.stats
	st.LogBytes, st.PeakPages = s.log.total, s.arena.peak
	_ = s.calendar.all(func(b *bucket) error {
		for _, part := range b.streams() {
			if part.size > 0 {
				st.Files++
			}
		}
		return nil
	})
	return st
}
