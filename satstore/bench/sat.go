package bench

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/recrawl/recrawl/satstore/paper"
	"github.com/recrawl/recrawl/satstore/workload"
)

// The three forms of the paper, and the one it proposes and does not measure.
var (
	satBasicKind = satKind(
		"sat-basic",
		"SAT/Basic of the paper: a file a unit, write buffers, a log",
		func(o *paper.Options, _ *workload.Plan) {
			o.Form = paper.Basic
		},
	)
	satKindOfPaper = satKind(
		"sat",
		"SAT of the paper: Basic and indexes for access by id; each bucket is sorted",
		func(o *paper.Options, _ *workload.Plan) {
			o.Form = paper.SAT
		},
	)
	satNaiveKind = satKind(
		"sat-naive",
		"SAT/Naive of the paper: SAT with one page a buffer",
		func(o *paper.Options, _ *workload.Plan) {
			o.Form = paper.Naive
		},
	)
	satRadixKind = satKind(
		"sat-radix",
		"SAT with coarse buckets for far times [SAT 3.6] and a table of messages instead of sorting",
		func(o *paper.Options, p *workload.Plan) {
			o.Form, o.Delivery, o.Levels = paper.SAT, paper.Hashed, radix(p.Workload)
		},
	)
)

// mostBuckets bounds the files of the forms that make one a unit.
const mostBuckets = 100_000

// logBytes is the default of paper.Options.
const logBytes = 256 << 20

func satKind(name, about string, form func(o *paper.Options, p *workload.Plan)) Kind {
	k := Kind{
		Name: name, About: about,
		bytesPerRecord: func(mean float64) float64 { return 1.2*(mean+16) + 60 }, // of the index 60
		// An old and a new log; parts of pages of files.
		roomBytes: 2*logBytes + 100<<20,
		requests:  name != "sat-basic",
	}
	if name != "sat-radix" {
		k.fits = func(w *workload.Workload) bool {
			return min(w.MaxUnits, w.Records) <= mostBuckets
		}
	}
	k.open = func(dir string, p *workload.Plan, s Settings) (Engine, error) {
		o := paper.Options{
			Units:       p.MaxUnits,
			BufferBytes: s.BufferBytes,
			PageBytes:   s.PageBytes,
			LogBytes:    logBytes,
		}
		form(&o, p)
		store, err := paper.Open(dir, o)
		if err != nil {
			return nil, err
		}
		e := &sat{store: store, defers: o.Form != paper.Basic}
		e.visit = e.visitOne
		return e, nil
	}
	return k
}

// radix is hours for today and tomorrow, then days; a unit of another length alike.
func radix(w *workload.Workload) []paper.Level {
	switch w.Unit {
	case workload.Minute:
		return []paper.Level{
			{Width: 1, Count: 60},
			{Width: 60, Count: 48},
			{Width: 24 * 60, Count: w.MaxUnits/(24*60) + 2},
		}
	case workload.Hour:
		return []paper.Level{{Width: 1, Count: 48}, {Width: 24, Count: w.MaxUnits/24 + 2}}
	}
	return []paper.Level{{Width: 1, Count: 14}, {Width: 7, Count: w.MaxUnits/7 + 2}}
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

func (e *sat) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
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

// Defers says that requests wait for visits.
func (e *sat) Defers() bool { return e.defers }

func (e *sat) Request(requests []workload.Request, _ *Unit) error {
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
