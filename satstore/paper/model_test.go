package paper

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

// variant is a way to store the same records.
type variant struct {
	name string
	Options
}

const testUnits = 30

// variants are all forms, so small that everything overflows soon.
func variants() []variant {
	small := Options{Units: testUnits, PageBytes: 128, BufferBytes: 12 * 128, SortBytes: 700,
		LogBytes: 6 << 10, OpenFiles: 3, logChunk: 300}
	of := func(name string, change func(o *Options)) variant {
		v := variant{name, small}
		change(&v.Options)
		return v
	}
	return []variant{
		of("basic", func(o *Options) { o.Form = Basic }),
		of("sat-sorted", func(o *Options) { o.Form = SAT }),
		of("sat-hashed", func(o *Options) { o.Form, o.Delivery = SAT, Hashed }),
		of("naive", func(o *Options) { o.Form, o.IndexBits = Naive, 24 }),
		of("radix-sorted", func(o *Options) { o.Form, o.Levels = SAT, []Level{{1, 8}, {4, 20}} }),
		of("radix-hashed", func(o *Options) {
			o.Form, o.Delivery, o.Levels = SAT, Hashed, []Level{{1, 3}, {3, 8}, {12, 10}}
		}),
		of("radix-basic", func(o *Options) { o.Form, o.Levels = Basic, []Level{{1, 4}, {4, 20}} }),
	}
}

// record is what the model knows of one.
type record struct {
	due      int64
	body     []byte
	messages [][]byte
	drop     bool // asked for
}

func (r record) equal(o record) bool {
	return r.due == o.due && bytes.Equal(r.body, o.body) && r.drop == o.drop &&
		slices.EqualFunc(r.messages, o.messages, bytes.Equal)
}

type model struct {
	clock   int64
	records map[ID]record
}

func (m model) clone() model { return model{m.clock, maps.Clone(m.records)} }

func (m model) equal(o model) bool {
	return m.clock == o.clock && maps.EqualFunc(m.records, o.records, record.equal)
}

// dump reads a whole store, each record once, or fails.
func dump(s *Store) (model, error) {
	m := model{s.Clock(), map[ID]record{}}
	type message struct {
		seq     uint32
		kind    byte
		payload []byte
	}
	var messages []message
	numbers := map[uint32]ID{}
	take := func(f frame) error {
		if _, done := s.done[f.seq()]; done && f.due() == s.now() {
			return nil
		}
		if f.kind() != kindRecord {
			messages = append(messages,
				message{f.seq(), f.kind(), bytes.Clone(f[headerBytes+idBytes:])})
			return nil
		}
		id := f.id()
		if _, twice := m.records[id]; twice {
			return &mismatch{fmt.Sprintf("record %x is there twice", id)}
		}
		m.records[id] = record{due: f.due(), body: bytes.Clone(f.body())}
		numbers[f.seq()] = id
		return nil
	}
	err := s.calendar.all(func(b *bucket) error {
		for _, part := range b.streams() {
			if err := s.each(part, take); err != nil {
				return err
			}
			var buf []byte
			_ = s.arena.each(&part.buf, func(page []byte) error {
				buf = append(buf, page...)
				return nil
			})
			if err := eachFrame(buf, take); err != nil {
				return err
			}
		}
		return nil
	})
	for _, x := range messages {
		id, ok := numbers[x.seq]
		if !ok {
			continue // its record was dropped
		}
		r := m.records[id]
		if x.kind == kindDelete {
			r.drop = true
		}
		r.messages = append(slices.Clip(r.messages), x.payload)
		m.records[id] = r
	}
	return m, err
}

// mismatch is a wrong answer, as opposed to an error of the store.
type mismatch struct{ text string }

func (m *mismatch) Error() string { return m.text }

var seeded, long = crashtest.Seeded, crashtest.Long
