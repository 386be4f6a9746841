package paper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// driver does the same to a store and to a model of it.
type driver struct {
	s              *Store
	o              Options
	rng            *rand.Rand
	acked, pending model
	inUnit         bool // the difference is a unit, of which a crash may leave a part
	adds           uint64
	requests       bool
	parts          int // units that a crash broke off
}

func newDriver(o Options, rng *rand.Rand) *driver {
	d := &driver{o: o, rng: rng, requests: o.Form != Basic}
	d.acked.records, d.pending.records = map[ID]record{}, map[ID]record{}
	return d
}

func (d *driver) newBody(id ID) []byte {
	n := d.rng.IntN(60)
	if d.rng.IntN(40) == 0 {
		n = d.rng.IntN(3000) // longer than all buffers
	}
	body := append(id[:], make([]byte, n)...)
	for i := idBytes; i < len(body); i++ {
		body[i] = byte(d.rng.Uint32())
	}
	return body
}

func (d *driver) anyID() (id ID) {
	d.adds++
	binary.BigEndian.PutUint64(id[:], d.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], d.adds)
	return id
}

func (d *driver) add() error {
	id := d.anyID()
	due := d.s.clamp(d.pending.clock + d.rng.Int64N(testUnits+5))
	body := d.newBody(id)
	if _, err := d.s.Add(due, body); err != nil {
		return err
	}
	d.pending.records[id] = record{due: due, body: body}
	if d.requests && d.rng.IntN(4) == 0 {
		if _, err := d.s.Add(due, d.newBody(id)); err == nil {
			return &mismatch{"a second record of the same id was accepted"}
		} else if !errors.Is(err, ErrExists) {
			return err
		}
	}
	return nil
}

// someID is that of a record that is there, in an order that the seed decides.
func (d *driver) someID() (ID, bool) {
	if len(d.pending.records) == 0 {
		return ID{}, false
	}
	ids := slices.SortedFunc(maps.Keys(d.pending.records), func(a, b ID) int {
		return bytes.Compare(a[:], b[:])
	})
	return ids[d.rng.IntN(len(ids))], true
}

// request sends some messages. visiting is the record in whose visit that is done.
func (d *driver) request() error {
	for range 1 + d.rng.IntN(3) {
		id, ok := d.someID()
		if !ok {
			return nil
		}
		r := Request{ID: id, Delete: d.rng.IntN(8) == 0,
			Payload: []byte(strconv.Itoa(d.rng.IntN(1000)))}
		unknown, err := d.s.Request(r, Request{ID: ID{1, 2, 3}})
		if err != nil {
			return err
		}
		if unknown != 1 {
			return &mismatch{fmt.Sprintf("%d requests of unknown records, want 1", unknown)}
		}
		have := d.pending.records[id]
		have.messages = append(slices.Clip(have.messages), r.Payload)
		have.drop = have.drop || r.Delete
		d.pending.records[id] = have
	}
	return nil
}

// unit visits the next unit, in the middle of which records are added and requests sent.
func (d *driver) unit() error {
	t := d.pending.clock + 1
	due, held := map[ID]record{}, map[ID]record{}
	for id, r := range d.pending.records {
		if r.due == t {
			due[id] = r
			if r.drop {
				delete(d.pending.records, id)
			}
		}
	}
	dropped := 0
	for _, r := range due {
		if r.drop {
			dropped++
		}
	}
	d.inUnit = true
	var wrong error
	seen := 0
	err := d.s.Visit(func(v *Visit) int64 {
		id := ID(v.Body)
		want, ok := due[id]
		if !ok || want.drop || !bytes.Equal(want.body, v.Body) ||
			!slices.EqualFunc(want.messages, v.Messages, bytes.Equal) {
			wrong = errors.Join(wrong, &mismatch{fmt.Sprintf("unit %d: visited %x with %q, want "+
				"%x %q, %v", t, v.Body, v.Messages, want.body, want.messages, ok)})
		}
		seen++
		delete(due, id)
		if d.requests && wrong == nil && d.rng.IntN(3) == 0 {
			wrong = d.requestWithin(t, held, due)
		}
		if wrong == nil && d.rng.IntN(12) == 0 {
			wrong = d.add()
		}
		if d.rng.IntN(2) == 0 {
			v.Body = d.newBody(id)
		} else if len(v.Body) > idBytes {
			v.Body[idBytes]++
		}
		next := t + 1 + d.rng.Int64N(testUnits)
		waits := held[id]
		delete(held, id)
		d.pending.records[id] = record{due: next, body: bytes.Clone(v.Body),
			messages: waits.messages, drop: waits.drop}
		return next
	})
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	for id, r := range due {
		if !r.drop {
			return &mismatch{fmt.Sprintf("unit %d left out %x", t, id)}
		}
	}
	if len(due) != dropped {
		return &mismatch{fmt.Sprintf("unit %d: %d records dropped, want %d", t, len(due), dropped)}
	}
	d.pending.clock = t
	return nil
}

// requestWithin sends a message in the middle of a unit. One for a record that is still to
// be visited, or is being visited, waits until after that.
func (d *driver) requestWithin(t int64, held, due map[ID]record) error {
	id, ok := d.someID()
	if !ok {
		return nil
	}
	have := d.pending.records[id]
	if have.due == t && (due[id].body != nil && due[id].drop) {
		return nil
	}
	r := Request{ID: id, Payload: []byte("within" + strconv.Itoa(d.rng.IntN(1000)))}
	if unknown, err := d.s.Request(r); err != nil {
		return err
	} else if unknown != 0 {
		return &mismatch{fmt.Sprintf("request within unit %d for %x: %d unknown", t, id, unknown)}
	}
	if have.due == t {
		waits := held[id]
		waits.messages = append(slices.Clip(waits.messages), r.Payload)
		held[id] = waits
		return nil
	}
	have.messages = append(slices.Clip(have.messages), r.Payload)
	d.pending.records[id] = have
	return nil
}

func (d *driver) commit() error {
	if err := d.s.Commit(); err != nil {
		return err
	}
	d.acked, d.inUnit = d.pending.clone(), false
	return nil
}

func (d *driver) step() error {
	switch k := d.rng.IntN(100); {
	case k < 45 || len(d.pending.records) == 0:
		return d.add()
	case k < 65 && d.requests:
		return d.request()
	case k < 80:
		return d.commit()
	default:
		if err := d.unit(); err != nil {
			return err
		}
		return d.commit()
	}
}

// settle checks what a crash has left, and lets the model go on from there: the last
// commit, or the one being made, or the last one and a part of the unit that was visited.
func (d *driver) settle() error {
	got, err := dump(d.s)
	if err != nil {
		return err
	}
	if d.s.arena.peak > d.s.arena.limit {
		return &mismatch{fmt.Sprintf("%d pages of %d were used", d.s.arena.peak, d.s.arena.limit)}
	}
	if err := d.checkIndex(got); err != nil {
		return err
	}
	part := d.inUnit && got.clock == d.acked.clock
	if !got.equal(d.acked) && !got.equal(d.pending) && !part {
		return &mismatch{fmt.Sprintf("store at %d has %d records; neither the last commit (%d, "+
			"%d) nor the one begun (%d, %d): %s",
			got.clock, len(got.records), d.acked.clock, len(d.acked.records), d.pending.clock,
			len(d.pending.records), difference(got, d.acked))}
	}
	if part && !got.equal(d.acked) {
		d.parts++
		for id, r := range got.records {
			was, ok := d.acked.records[id]
			next := d.pending.records[id]
			if !ok || !(r.due == was.due && bytes.Equal(r.body, was.body)) &&
				!(was.due == d.acked.clock+1 && r.due == next.due &&
					bytes.Equal(r.body, next.body)) {
				return &mismatch{fmt.Sprintf("record %x is %v, was %v, becomes %v",
					id, r, was, next)}
			}
		}
		if len(got.records) != len(d.acked.records) {
			return &mismatch{fmt.Sprintf("%d records in a unit that was broken off, want %d",
				len(got.records), len(d.acked.records))}
		}
	}
	d.acked, d.pending, d.inUnit = got, got.clone(), false
	return nil
}

func (d *driver) checkIndex(got model) error {
	if d.s.ids == nil {
		return nil
	}
	for id, r := range got.records {
		if due, ok, err := d.s.Due(id); err != nil || !ok || due != r.due {
			return errors.Join(err,
				&mismatch{fmt.Sprintf("index says %d, %v of %x, which is due at %d",
					due, ok, id, r.due)})
		}
	}
	return nil
}

func difference(got, want model) string {
	for id, w := range want.records {
		if g, ok := got.records[id]; !ok || !g.equal(w) {
			return fmt.Sprintf("%x is %v, want %v", id, g, w)
		}
	}
	for id, g := range got.records {
		if _, ok := want.records[id]; !ok {
			return fmt.Sprintf("%x is %v, want none", id, g)
		}
	}
	return "none"
}

func (d *driver) open(fs vfs.FS) (err error) {
	o := d.o
	o.FS = fs
	d.s, err = Open("a/store", o)
	return err
}
