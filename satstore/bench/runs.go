package bench

import (
	"context"
	"encoding/binary"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/satstore/workload"
)

// runsKind is asked by number: to know the number of an id is left to its user, here the
// harness.
var runsKind = Kind{
	Name: "runs",
	About: "SAT with coarse buckets, without sorting and without a second write: the " +
		"log is the bucket; blocks of 16 KiB, written past the page cache (recrawl itself takes " +
		"8 KiB, and the cache)",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 12) },
	roomBytes:      128 << 20,
	requests:       true,
	open: func(dir string, p *workload.Plan, s Settings) (Engine, error) {
		levels := map[workload.Unit][]engine.Level{workload.Minute: engine.MinutesHoursAndDays,
			workload.Hour: engine.HoursAndDays, workload.Day: engine.Days}[p.Unit]
		store, err := engine.Open(
			dir,
			engine.Options{Levels: levels, BufferBytes: s.BufferBytes, LogBytes: runsLogBytes,
				DirectIO: true},
		)
		if err != nil {
			return nil, err
		}
		e := &runsEngine{store: store}
		e.visit = e.visitOne
		return e, nil
	},
}

// Of package engine: the default of its log, and what its index takes of a record.
const (
	runsLogBytes   = 16 << 20
	runsIndexEntry = 6
)

// runsEngine drives package engine.
type runsEngine struct {
	store *engine.Store
	unit  *Unit
	visit func(r *engine.Record) (due int64, body []byte)
}

func (e *runsEngine) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
	return loadInTurn(ctx, p, tick, e.store.Commit, e.store.Put)
}

func (e *runsEngine) Visit(u *Unit) error {
	e.unit = u
	return e.store.Advance(int64(u.T), e.visit)
}

func (e *runsEngine) visitOne(r *engine.Record) (due int64, body []byte) {
	for _, m := range r.Messages {
		e.unit.Apply(r.Body, binary.LittleEndian.Uint16(m))
	}
	return int64(e.unit.Visit(r.Body)), r.Body
}

// Defers says that requests wait for visits.
func (e *runsEngine) Defers() bool { return true }

func (e *runsEngine) Request(requests []workload.Request, _ *Unit) error {
	var payload [2]byte
	for i := range requests {
		binary.LittleEndian.PutUint16(payload[:], requests[i].Priority)
		if err := e.store.Message(requests[i].Number, payload[:]); err != nil {
			return err
		}
	}
	return nil
}

// Owed is the pages that are in the log and in no run yet, and of the index file, which is
// written when the log is full, as large a share as the log is.
func (e *runsEngine) Owed() int64 {
	stats := e.store.Stats()
	pages := -stats.LiveBytes
	for _, s := range e.store.Slots() { // on disk and in pages
		pages += s.Bytes
	}
	index := float64(runsIndexEntry * stats.Records)
	return pages + int64(index*float64(stats.LogBytes)/max(runsLogBytes, 2*index))
}

func (e *runsEngine) Scan(f func(body []byte, due int) error) error {
	return e.store.Each(func(r *engine.Record) error { return f(r.Body, int(r.Due)) })
}

func (e *runsEngine) Commit() error { return e.store.Commit() }
func (e *runsEngine) Close() error  { return e.store.Close() }
