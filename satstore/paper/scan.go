package paper

// Each flushes all write buffers and hands every record to visit once, in no order: to
// verify a store. The body is good until visit returns, which must change nothing. Messages
// that wait are left out.
func (s *Store) Each(visit func(body []byte, due int64) error) error {
	if s.err != nil {
		return s.err
	}
	return s.calendar.all(func(b *bucket) error {
		if err := s.flushAll(&b.records); err != nil {
			return s.fail(err)
		}
		return s.each(&b.records, func(f frame) error {
			if f.kind() != kindRecord {
				return nil
			}
			return visit(f.body(), f.due())
		})
	})
}
