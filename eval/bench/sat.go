package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/satstore/paper"
)

// Forms of the paper.
var (
	satBasicKind = satKind("sat-basic",
		"SAT/Basic of the paper: a file a unit, write buffers, a log", paper.Basic)
	satKindOfPaper = satKind("sat",
		"SAT of the paper: Basic and indexes for access by id; each bucket is sorted", paper.SAT)
	satNaiveKind = satKind("sat-naive", "SAT/Naive of the paper: SAT with one page a buffer",
		paper.Naive)
)

// mostBuckets limits the files of forms with one for each unit.
const mostBuckets = 100_000

// logBytes is the default of paper.Options.
const logBytes = 256 << 20

func satKind(name, about string, form paper.Form) Kind {
	return Kind{
		Name: name, About: about,
		bytesPerRecord: func(mean float64) float64 { return 1.2*(mean+16) + 60 }, // 60: index
		// An old and a new log; partly used pages of files.
		roomBytes: 2*logBytes + 100<<20,
		requests:  name != "sat-basic",
		fits:      func(w *paper.Workload) bool { return min(w.MaxUnits, w.Records) <= mostBuckets },
		open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
			store, err := paper.Open(dir, paper.Options{Form: form, Units: p.MaxUnits,
				BufferBytes: s.BufferBytes, PageBytes: s.PageBytes, LogBytes: logBytes})
			if err != nil {
				return nil, err
			}
			e := &sat{store: store, defers: form != paper.Basic}
			e.visit = e.visitOne
			return e, nil
		},
	}
}

// sat drives package paper.
type sat struct {
	store    *paper.Store
	defers   bool
	unit     *Unit
	visit    func(v *paper.Visit) int64
	requests []paper.Request
	payloads []byte
}

func (e *sat) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
	return loadInTurn(ctx, p, tick, e.store.Commit, func(_ uint32, due int64, body []byte) error {
		_, err := e.store.Add(due, body)
		return err
	})
}

func (e *sat) Visit(u *Unit) error {
	e.unit = u
	return e.store.Visit(e.visit)
}

func (e *sat) visitOne(v *paper.Visit) int64 {
	for _, m := range v.Messages {
		e.unit.Apply(v.Body, binary.LittleEndian.Uint16(m))
	}
	return int64(e.unit.Visit(v.Body))
}

// Defers reports that requests wait for visits.
func (e *sat) Defers() bool { return e.defers }

func (e *sat) Request(requests []paper.PriorityChange, _ *Unit) error {
	e.requests, e.payloads = e.requests[:0], e.payloads[:0]
	for i := range requests {
		e.payloads = binary.LittleEndian.AppendUint16(e.payloads, requests[i].Priority)
	}
	for i := range requests {
		e.requests = append(
			e.requests,
			paper.Request{ID: paper.ID(requests[i].ID), Payload: e.payloads[2*i : 2*i+2]},
		)
	}
	unknown, err := e.store.Request(e.requests...)
	if unknown > 0 && err == nil {
		err = fmt.Errorf("%d of %d requests are for ids that it does not know",
			unknown, len(requests))
	}
	return err
}

// Scan flushes all buffers.
func (e *sat) Scan(f func(body []byte, due int) error) error {
	return e.store.Each(func(body []byte, due int64) error { return f(body, int(due)) })
}

func (e *sat) Commit() error { return e.store.Commit() }
func (e *sat) Close() error  { return e.store.Close() }

// runsKind gets requests by number. Its user, here the harness, must know the number of an id.
var runsKind = Kind{
	Name: "runs",
	About: "SAT with coarse buckets, without sorting and without a second write: the " +
		"log is the bucket; blocks of 16 KiB, written past the page cache (recrawl itself takes " +
		"8 KiB, and the cache)",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 12) },
	roomBytes:      128 << 20,
	requests:       true,
	open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
		levels := map[paper.Unit][]engine.Level{paper.Minute: engine.MinutesHoursAndDays,
			paper.Hour: engine.HoursAndDays, paper.Day: engine.Days}[p.Unit]
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

// For package engine: the default size of its log, and the memory of its index for a record.
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

func (e *runsEngine) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
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

// Defers reports that requests wait for visits.
func (e *runsEngine) Defers() bool { return true }

func (e *runsEngine) Request(requests []paper.PriorityChange, _ *Unit) error {
	var payload [2]byte
	for i := range requests {
		binary.LittleEndian.PutUint16(payload[:], requests[i].Priority)
		if err := e.store.Message(requests[i].Number, payload[:]); err != nil {
			return err
		}
	}
	return nil
}

// Owed returns the pages in the log that are in no run yet. It adds the same share of the index
// file as the log is full, because both are written together.
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

var seqlogKind = Kind{
	Name:           "seqlog",
	About:          "the floor: read a flat file of the due records, write another, one sync",
	bytesPerRecord: func(float64) float64 { return 0 }, // the records of a unit, twice
	open: func(dir string, p *paper.Plan, _ Settings) (Engine, error) {
		return &seqlog{plan: p, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out"),
			reader: bufio.NewReaderSize(nil, seqlogChunk),
			writer: bufio.NewWriterSize(nil, seqlogChunk)}, nil
	},
}

// seqlogChunk is the size of a read or write: at 256 KiB disks reach their sequential rate.
const seqlogChunk = 256 << 10

// seqlog does only what every store must do: it reads the due records, changes and writes them.
// Prepare lays them out for it.
type seqlog struct {
	plan    *paper.Plan
	in, out string
	reader  *bufio.Reader
	writer  *bufio.Writer
	body    []byte
	file    *os.File // out, between Visit and Commit
}

// seqlogHeader has due (4), length (4) and record number (4).
const seqlogHeader = 12

func (s *seqlog) Load(context.Context, *paper.Plan, func(int)) error { return nil }

func (s *seqlog) Prepare(t int) (err error) {
	f, err := os.Create(s.in)
	if err != nil {
		return err
	}
	s.writer.Reset(f)
	var h [seqlogHeader]byte
	for _, i := range s.plan.Due[t] {
		s.body, _ = s.plan.AppendAt(s.body[:0], i, t)
		binary.LittleEndian.PutUint32(h[0:], uint32(t))
		binary.LittleEndian.PutUint32(h[4:], uint32(len(s.body)))
		binary.LittleEndian.PutUint32(h[8:], i)
		s.writer.Write(h[:]) // Flush returns the error
		s.writer.Write(s.body)
	}
	return errors.Join(s.writer.Flush(), f.Close())
}

func (s *seqlog) Visit(u *Unit) error {
	in, err := os.Open(s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	if s.file, err = os.Create(s.out); err != nil {
		return err
	}
	s.reader.Reset(in)
	s.writer.Reset(s.file)
	for {
		h, err := s.reader.Peek(seqlogHeader)
		if len(h) == 0 && err == io.EOF {
			return s.writer.Flush()
		} else if err != nil {
			return fmt.Errorf("read %s: %w", s.in, err)
		}
		n := seqlogHeader + int(binary.LittleEndian.Uint32(h[4:]))
		record, err := s.reader.Peek(n) // records are much shorter than the buffer
		if err != nil {
			return fmt.Errorf("read %s: %w", s.in, err)
		}
		binary.LittleEndian.PutUint32(record, uint32(u.Visit(record[seqlogHeader:])))
		if _, err := s.writer.Write(record); err != nil {
			return err
		}
		if _, err := s.reader.Discard(n); err != nil {
			return err
		}
	}
}

func (s *seqlog) Commit() error {
	err := errors.Join(s.file.Sync(), s.file.Close())
	s.file = nil
	return err
}

func (s *seqlog) Close() error {
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
