package paper

// cascade splits the buckets whose records belong to finer levels now that the clock has
// moved, from the coarsest level down [SAT 3.6]. The split files are kept until the next
// checkpoint: a replay of the log splits them again.
func (s *Store) cascade() error {
	levels, now := s.calendar.levels, s.now()
	for k := len(levels) - 1; k > 0; k-- {
		width := int64(levels[k].Width)
		if now%width != 0 {
			continue
		}
		ahead := int64(levels[k-1].Count*levels[k-1].Width) / width
		b := s.calendar.at(k, now/width+ahead-1)
		for _, part := range b.streams() {
			if err := s.split(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) split(part *stream) error {
	if err := s.flushAll(part); err != nil {
		return err
	}
	if part.size == 0 {
		return nil
	}
	if err := s.each(part, func(f frame) error {
		s.stats.Cascaded++
		return s.put(s.streamOf(f.kind(), f.due()), header(f[:headerBytes]), f.body())
	}); err != nil {
		return err
	}
	if s.o.NoLog && !s.replaying {
		return s.remove(part)
	}
	if err := s.files.close(part); err != nil {
		return err
	}
	s.spent = append(s.spent, part.name)
	part.size, part.dirty = 0, false
	return nil
}
