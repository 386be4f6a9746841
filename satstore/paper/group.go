package paper

// group is a record and the messages that follow it in the sorted order.
type group struct {
	record   []byte
	messages []byte
	ends     []int
	drop     bool
	payloads [][]byte
}

// visitSorted visits the records of a bucket in the order of their ids.
func (s *Store) visitSorted(part *stream, visit func(v *Visit) (due int64)) error {
	g := &s.group
	g.record = g.record[:0]
	finish := func() error {
		if len(g.record) == 0 {
			return nil
		}
		g.payloads = g.payloads[:0]
		from := 0
		for _, end := range g.ends {
			g.payloads = append(g.payloads, g.messages[from:end])
			from = end
		}
		return s.visitOne(g.record, g.payloads, g.drop, visit)
	}
	if err := s.sorted(part, func(f frame) error {
		if f.kind() != kindRecord {
			if len(g.record) > 0 && frame(g.record).seq() == f.seq() {
				g.messages = append(g.messages, f[headerBytes+idBytes:]...)
				g.ends = append(g.ends, len(g.messages))
				g.drop = g.drop || f.kind() == kindDelete
			}
			return nil
		}
		if err := finish(); err != nil {
			return err
		}
		g.record, g.messages, g.ends, g.drop = append(g.record[:0], f...), g.messages[:0],
			g.ends[:0], false
		return nil
	}); err != nil {
		return err
	}
	return finish()
}
