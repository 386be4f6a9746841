package engine

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
)

// TestMain collects garbage less often, since the tests spent a fifth of their time on it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// model is the expected content of a store. Its values never change in place.
type model struct {
	clock   int64
	records map[uint32]modelRecord
}

type modelRecord struct {
	due      int64
	body     []byte
	messages [][]byte
}

func newModel() *model { return &model{records: map[uint32]modelRecord{}} }

func (m *model) clone() *model { return &model{m.clock, maps.Clone(m.records)} }

func (m *model) put(seq uint32, due int64, body []byte, horizon int64) {
	due = min(max(due, m.clock+1), m.clock+horizon)
	m.records[seq] = modelRecord{due, bytes.Clone(body), m.records[seq].messages}
}

func (m *model) message(seq uint32, payload []byte) {
	r := m.records[seq]
	r.messages = append(slices.Clone(r.messages), bytes.Clone(payload))
	m.records[seq] = r
}

// driver makes the same random operations on a store and its model.
type driver struct {
	s       *Store
	rng     *rand.Rand
	acked   *model // the last commit that returned nil
	pending *model // with later changes
	seqs    int    // numbers in use
	longGap bool
	big     bool // some bodies are longer than a page
	ops     int
}

func (d *driver) body() []byte {
	g := d.rng
	n := g.IntN(60)
	if d.big && g.IntN(30) == 0 {
		n = g.IntN(3000)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (d *driver) seq() uint32 { return uint32(d.rng.IntN(d.seqs)) }

func (d *driver) due() int64 {
	h := d.s.Horizon()
	switch d.rng.IntN(5) {
	case 0:
		return d.pending.clock + d.rng.Int64N(h+20) - 5
	case 1:
		return d.pending.clock + 1 + d.rng.Int64N(min(h, 60))
	default:
		return d.pending.clock + 1 + d.rng.Int64N(8)
	}
}

// step makes one random operation. After an error the disk holds either acked or pending.
func (d *driver) step() error {
	d.ops++
	switch k := d.rng.IntN(100); {
	case k < 45:
		return d.put()
	case k < 55:
		return d.message()
	case k < 60:
		seq := d.seq()
		if err := d.s.Delete(seq); err != nil {
			return err
		}
		delete(d.pending.records, seq)
		return nil
	case k < 75:
		return d.load()
	case k < 87:
		return d.commit()
	case k < 88:
		if err := d.s.Checkpoint(); err != nil {
			return err
		}
		d.acked = d.pending.clone()
		return nil
	case k < 91:
		return d.look()
	case k < 94:
		return d.update()
	default:
		return d.advance()
	}
}

func (d *driver) put() error {
	seq, due, body := d.seq(), d.due(), d.body()
	if err := d.s.Put(seq, due, body); err != nil {
		return err
	}
	d.pending.put(seq, due, body, d.s.Horizon())
	return nil
}

func (d *driver) message() error {
	seq, payload := d.seq(), d.body()
	err := d.s.Message(seq, payload)
	if _, there := d.pending.records[seq]; !there {
		if !errors.Is(err, ErrNoRecord) {
			return errors.Join(err, &mismatch{fmt.Sprintf("message to no record %d: %v", seq, err)})
		}
		return nil
	}
	if err != nil {
		return err
	}
	d.pending.message(seq, payload)
	return nil
}

func (d *driver) commit() error {
	if err := d.s.Commit(); err != nil {
		return err
	}
	d.acked = d.pending.clone()
	return nil
}

func (d *driver) load() error {
	seq := d.seq()
	if err := loadOne(d.s, d.pending, seq); err != nil {
		return err
	}
	messages, err := d.s.Messages(seq)
	if want := d.pending.records[seq].messages; err == nil && d.s.visiting == nil &&
		!slices.EqualFunc(messages, want, bytes.Equal) {
		return &mismatch{fmt.Sprintf("record %d: messages %x, want %x", seq, messages, want)}
	}
	return err
}

func loadOne(s *Store, m *model, seq uint32) error {
	body, due, ok, err := s.Load(seq, []byte("x"))
	if err != nil {
		return err
	}
	want, there := m.records[seq]
	if ok != there || ok && (due != want.due || string(body) != "x"+string(want.body)) {
		return &mismatch{fmt.Sprintf("record %d: loaded %v %d %x, want %v %d %x",
			seq, ok, due, body, there, want.due, want.body)}
	}
	return nil
}

func (d *driver) advance() error {
	units := 1 + d.rng.Int64N(3)
	if d.rng.IntN(10) == 0 {
		units = 1 + d.rng.Int64N(60)
	}
	if d.longGap && d.rng.IntN(40) == 0 {
		units = 1 + d.rng.Int64N(3*d.s.Horizon())
	}
	target := d.pending.clock + units
	var want []uint32
	for seq, r := range d.pending.records {
		if r.due <= target {
			want = append(want, seq)
		}
	}
	todo := map[uint32]bool{}
	for _, seq := range want {
		todo[seq] = true
	}
	d.pending.clock = target
	last := int64(0)
	var wrong error
	err := d.s.Advance(target, func(r *Record) (int64, []byte) {
		w := d.pending.records[r.Seq]
		if !todo[r.Seq] || r.Due != w.due || r.Due < last || !bytes.Equal(r.Body, w.body) ||
			!slices.EqualFunc(r.Messages, w.messages, bytes.Equal) {
			wrong = errors.Join(wrong, &mismatch{fmt.Sprintf("advance to %d handed out %d of "+
				"unit %d after %d: %x %x, want %v %+v",
				target, r.Seq, r.Due, last, r.Body, r.Messages, todo[r.Seq], w)})
		}
		delete(todo, r.Seq)
		last = r.Due
		handed := len(w.messages)
		if err := d.inVisit(r.Seq, todo); err != nil {
			wrong = errors.Join(wrong, err)
		}
		w = d.pending.records[r.Seq]
		if d.rng.IntN(12) == 0 {
			delete(d.pending.records, r.Seq)
			return -1, nil
		}
		body := r.Body
		if d.rng.IntN(2) == 0 {
			body = append(body[:len(body)/2], "changed"...)
		}
		due := d.due()
		w.messages = w.messages[handed:]
		d.pending.records[r.Seq] = w
		d.pending.put(r.Seq, due, body, d.s.Horizon())
		return max(due, 0), body
	})
	if err == nil && wrong == nil && len(todo) > 0 {
		wrong = &mismatch{fmt.Sprintf("advance to %d left out %v", target, todo)}
	}
	return errors.Join(err, wrong)
}

// look asks for due records, span after span.
func (d *driver) look() error {
	from := d.pending.clock + d.rng.Int64N(8)
	seen := map[uint32]bool{}
	for spans := d.rng.IntN(5); spans >= 0; spans-- {
		after := from
		var wrong error
		through, err := d.s.Due(after, func(r *Record) error {
			w := d.pending.records[r.Seq]
			if seen[r.Seq] || r.Due <= after || r.Due != w.due || !bytes.Equal(r.Body, w.body) ||
				!slices.EqualFunc(r.Messages, w.messages, bytes.Equal) {
				wrong = &mismatch{fmt.Sprintf("due after %d: %d of %d: %x %x, want %+v", after,
					r.Seq,
					r.Due, r.Body, r.Messages, w)}
			}
			seen[r.Seq] = true
			return nil
		})
		if err != nil || wrong != nil {
			return errors.Join(err, wrong)
		}
		from = through
		for seq, w := range d.pending.records {
			if w.due > after && seen[seq] != (w.due <= through) {
				return &mismatch{fmt.Sprintf("due after %d through %d: record %d of %d: %v", after,
					through, seq, w.due, seen[seq])}
			}
			if w.due > after && through == after {
				return &mismatch{fmt.Sprintf("nothing is due after %d", after)}
			}
		}
	}
	return nil
}

// update changes the due times of several records.
func (d *driver) update() error {
	seqs := make([]uint32, d.rng.IntN(2*d.seqs))
	todo := map[uint32]bool{}
	for i := range seqs {
		seqs[i] = d.seq()
		if _, there := d.pending.records[seqs[i]]; there {
			todo[seqs[i]] = true
		}
	}
	var wrong error
	err := d.s.Update(seqs, func(r *Record) (int64, []byte) {
		w := d.pending.records[r.Seq]
		if !todo[r.Seq] || r.Due != w.due || !bytes.Equal(r.Body, w.body) ||
			!slices.EqualFunc(r.Messages, w.messages, bytes.Equal) {
			wrong = errors.Join(wrong, &mismatch{fmt.Sprintf("update of %v %d: %d %x %x, want %+v",
				todo[r.Seq], r.Seq, r.Due, r.Body, r.Messages, w)})
		}
		delete(todo, r.Seq)
		body := r.Body
		if d.rng.IntN(2) == 0 {
			body = append(body[:len(body)/2], "updated"...)
		}
		due := d.due()
		if d.rng.IntN(4) == 0 {
			due = -1
		} else {
			due = max(due, 0)
			d.pending.put(r.Seq, due, body, d.s.Horizon())
		}
		return due, body
	})
	if err == nil && wrong == nil && len(todo) > 0 {
		wrong = &mismatch{fmt.Sprintf("update left out %v", todo)}
	}
	return errors.Join(err, wrong)
}

// inVisit makes calls that a visit may make.
func (d *driver) inVisit(seq uint32, todo map[uint32]bool) error {
	if d.rng.IntN(4) > 0 {
		return nil
	}
	if err := d.load(); err != nil {
		return err
	}
	if d.rng.IntN(2) == 0 { // a message that comes during the visit
		payload := d.body()
		if err := d.s.Message(seq, payload); err != nil {
			return err
		}
		d.pending.message(seq, payload)
	}
	if err := d.message(); err != nil {
		return err
	}
	other := d.seq()
	if other == seq {
		if err := d.s.Put(seq, 1, nil); !errors.Is(err, ErrBusy) && d.s.err == nil {
			return &mismatch{fmt.Sprintf("put during a visit: %v", err)}
		}
		return nil
	}
	delete(todo, other) // it moves before it is reached, or is gone
	if d.rng.IntN(2) == 0 {
		due, body := d.due(), d.body()
		if err := d.s.Put(other, due, body); err != nil {
			return err
		}
		d.pending.put(other, due, body, d.s.Horizon())
		return nil
	}
	if err := d.s.Delete(other); err != nil {
		return err
	}
	delete(d.pending.records, other)
	return nil
}

// mismatch is a wrong result, as opposed to an error of the store.
type mismatch struct{ text string }

func (m *mismatch) Error() string { return m.text }

// compare returns how a store differs from a model. It sees only the waiting marks of messages.
func compare(s *Store, m *model, seqs int) error {
	if s.Len() != len(m.records) {
		return &mismatch{fmt.Sprintf("%d records, want %d", s.Len(), len(m.records))}
	}
	if s.Clock() != m.clock {
		return &mismatch{fmt.Sprintf("clock %d, want %d", s.Clock(), m.clock)}
	}
	for seq := range uint32(seqs) {
		if err := loadOne(s, m, seq); err != nil {
			return err
		}
	}
	got := map[uint32][][]byte{}
	for _, sl := range s.slots.ordered() {
		all, err := s.messages(sl, func(uint32) bool { return true })
		if err != nil {
			return err
		}
		maps.Copy(got, all)
	}
	for seq, r := range m.records {
		if !slices.EqualFunc(got[seq], r.messages, bytes.Equal) {
			return &mismatch{fmt.Sprintf("record %d: messages %x, want %x",
				seq, got[seq], r.messages)}
		}
	}
	return nil
}

// compareEither accepts the last commit or the one being made.
func compareEither(s *Store, d *driver) error {
	err := compare(s, d.acked, d.seqs)
	if err == nil {
		return nil
	}
	if e := compare(s, d.pending, d.seqs); e != nil {
		return fmt.Errorf("neither the last commit: %w, nor the one begun: %w", err, e)
	}
	return nil
}
