package replicate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// PartBytes bounds a part. NATS accepts messages of 1 MiB.
const PartBytes = 512 << 10

// Remote has the log and copies of one store, which other machines read. Every call may fail after
// it took effect. Get returns what was Put there, or an error.
type Remote interface {
	// Append adds a part if the last one has the number after; 0: there is none. false: the last
	// one has another number.
	Append(ctx context.Context, part []byte, after uint64) (number uint64, ok bool, err error)
	// Last returns the last part; number 0: there is none.
	Last(ctx context.Context) (number uint64, part []byte, err error)
	// Read passes the parts after one to each, up to the last one by Last, in order.
	Read(ctx context.Context, after uint64, each func(number uint64, part []byte) error) error
	// Drop removes the parts before one.
	Drop(ctx context.Context, upTo uint64) error
	Put(ctx context.Context, copy string, from io.Reader) error
	Get(ctx context.Context, copy string) (io.ReadCloser, error)
}

// ErrTaken reports that another process has continued the store.
var ErrTaken = errors.New("another node has gone on with this store")

// soonest and latest bound the wait of Commit for a log that does not answer: it doubles each time.
const soonest, latest = 5 * time.Millisecond, 500 * time.Millisecond

// silent has the calls of a store whose changes other nodes need not know.
type silent interface {
	Due(from time.Time, each func(r *sitegraph.Record, messages [][]byte)) (time.Time, error)
	Forget() error
	Kept(due time.Time) time.Time
	Links(p sitegraph.PageID) (links, frames []sitegraph.PageID, err error)
	Load(p sitegraph.PageID, r *sitegraph.Record) error
	Messages(p sitegraph.PageID) ([][]byte, error)
	Position(most int) (uint64, error)
	Setting(name string) ([]byte, bool, error)
	Starts(each func(p sitegraph.PageID)) error
	TouchedParts(since uint64) (pages, linked []sitegraph.PageID, ok bool, err error)
	Traffic() (reads, read, given, written int64)
	Undue() time.Time
}

// Store is a store whose transactions go to a log, after Begin or Resume.
type Store struct {
	silent
	store *satstore.Store
	ctx   context.Context // Commit waits for the log until it ends
	log   Remote          // nil: none
	at    position
	b     []byte // of the next part
	open  bool   // a part of the transaction was sent

	// Waiting, if not nil, receives the reason why Commit waits for the log, and nil when it no
	// longer waits.
	Waiting func(error)
}

// Sent is how much a log received since it began, including dropped parts and marks. The difference
// to a base is the log's length after it.
type Sent struct {
	Bytes int64 `json:"bytes"`
	Parts int64 `json:"parts"`
}

// Since returns what was sent after an earlier time.
func (s Sent) Since(before Sent) Sent {
	return Sent{s.Bytes - before.Bytes, s.Parts - before.Parts}
}

func (s *Sent) add(part []byte) { s.Bytes, s.Parts = s.Bytes+int64(len(part)), s.Parts+1 }

// New returns a Store of an open one without uncommitted changes. Commit waits for the log until
// ctx ends.
func New(ctx context.Context, s *satstore.Store) *Store {
	return &Store{silent: s, store: s, ctx: ctx}
}

// Begin begins a new log. The next base must be that of Base.
func (s *Store) Begin(log Remote) error {
	at, err := positionOf(s.store)
	if err != nil {
		return err
	}
	mark, err := Take(s.ctx, log)
	if err != nil {
		return err
	}
	s.log, s.at = log, position{History: at.History.add(mark.Writer, mark.Number)}
	if err := s.at.save(s.store); err != nil {
		return err
	}
	return s.store.Commit()
}

// Resume continues a marked log whose transactions the store has from an update.
func (s *Store) Resume(log Remote, mark Mark, u Updated) {
	s.log, s.at = log, position{u.history.add(mark.Writer, mark.Number), u.Sent}
}

// Shipping reports whether transactions go to a log.
func (s *Store) Shipping() bool { return s.log != nil }

// Sent returns how much the log has received so far.
func (s *Store) Sent() Sent { return s.at.Sent }

// Base copies the store to a directory, and describes the copy. All changes must be committed.
func (s *Store) Base(dir string) (Base, error) {
	b := Base{History: s.at.History, Sent: s.at.Sent}
	if err := s.at.save(s.store); err != nil {
		return b, err
	}
	return b, s.store.Checkpoint(dir)
}

// positionSetting names the setting with the position of a store, as JSON.
const positionSetting = "ship/position"

// position is how much of a log a store holds.
type position struct {
	History history `json:"history"` // empty: nothing
	Sent    Sent    `json:"sent"`    // until then
}

func (p position) save(s *satstore.Store) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.SaveSetting(positionSetting, b)
}

func positionOf(s *satstore.Store) (p position, err error) {
	v, ok, err := s.Setting(positionSetting)
	if err != nil || !ok {
		return p, err
	}
	if err := json.Unmarshal(v, &p); err != nil {
		return p, fmt.Errorf("read the position of a store: %w", err)
	}
	return p, nil
}

// Mark is a part that names the writer of a log from there on.
type Mark struct{ Writer, Number uint64 }

// Take marks a log, so that nobody else can continue it.
func Take(ctx context.Context, log Remote) (Mark, error) {
	m := Mark{Writer: rand.Uint64()}
	last, _, err := log.Last(ctx)
	for err == nil {
		m.Number, err = send(ctx, log, flagMark, make([]byte, headBytes), last, m.Writer, nil)
		if !errors.Is(err, ErrTaken) {
			return m, err
		}
		last, _, err = log.Last(ctx) // the former writer was still sending
	}
	return m, err
}

// send appends a part, also if the answer to an attempt was lost.
func send(ctx context.Context, log Remote, flags byte, part []byte, after, writer uint64,
	waiting func(error)) (uint64, error) {
	setHead(part, flags, after, writer)
	told := false
	defer func() {
		if told {
			waiting(nil)
		}
	}()
	for wait := soonest; ; wait = min(2*wait, latest) {
		number, ok, err := log.Append(ctx, part, after)
		if err == nil && ok {
			return number, nil
		}
		if err == nil {
			last, have, unknown := log.Last(ctx)
			if unknown == nil && last > after && bytes.Equal(have, part) {
				return last, nil
			} else if unknown == nil {
				return 0, ErrTaken
			}
			err = unknown
		}
		if wait == latest && waiting != nil {
			told = true
			waiting(err)
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return 0, errors.Join(ctx.Err(), err)
		case <-t.C:
		}
	}
}

// addChange adds a change to the transaction, and sends full parts.
func (s *Store) addChange(change func(b []byte) ([]byte, error)) (err error) {
	if s.log == nil {
		return nil
	}
	if len(s.b) == 0 {
		s.b = append(s.b, make([]byte, headBytes)...)
	}
	if s.b, err = change(s.b); err != nil {
		return err
	}
	for len(s.b) > PartBytes {
		rest := bytes.Clone(s.b[PartBytes:])
		s.b = s.b[:PartBytes]
		if err := s.send(0); err != nil {
			return err
		}
		s.b = append(append(s.b, make([]byte, headBytes)...), rest...)
	}
	return nil
}

// send sends the current part.
func (s *Store) send(flags byte) error {
	if !s.open {
		flags |= flagFirst
	}
	end := s.at.History.end()
	number, err := send(s.ctx, s.log, flags, s.b, end.To, end.Writer, s.Waiting)
	if err != nil {
		return fmt.Errorf("send a transaction to the log: %w", err)
	}
	s.at.History, s.open = s.at.History.add(end.Writer, number), flags&flagLast == 0
	s.at.Sent.add(s.b)
	s.b = s.b[:0]
	return nil
}

// Commit makes all changes since the last one durable, first in the log.
func (s *Store) Commit() error {
	if len(s.b) > 0 {
		if err := s.send(flagLast); err != nil {
			return err
		}
		if err := s.at.save(s.store); err != nil {
			return err
		}
	}
	return s.store.Commit()
}

// Add registers a new page.
func (s *Store) Add(r *sitegraph.Record) error {
	if err := s.store.Add(r); err != nil {
		return err
	}
	return s.record(r)
}

// Save replaces the record of a page.
func (s *Store) Save(r *sitegraph.Record) error {
	if err := s.store.Save(r); err != nil {
		return err
	}
	return s.record(r)
}

func (s *Store) record(r *sitegraph.Record) error {
	return s.addChange(func(b []byte) ([]byte, error) { return appendRecord(b, r) })
}

// SaveLinks replaces the links of a page.
func (s *Store) SaveLinks(p sitegraph.PageID, links, frames []sitegraph.PageID) error {
	if err := s.store.SaveLinks(p, links, frames); err != nil {
		return err
	}
	return s.addChange(
		func(b []byte) ([]byte, error) { return appendLinks(b, p, links, frames), nil },
	)
}

// SaveStart makes a page a start page.
func (s *Store) SaveStart(p sitegraph.PageID) error {
	if err := s.store.SaveStart(p); err != nil {
		return err
	}
	return s.addChange(func(b []byte) ([]byte, error) { return appendStart(b, p), nil })
}

// SaveSetting keeps a small value.
func (s *Store) SaveSetting(name string, value []byte) error {
	if err := s.store.SaveSetting(name, value); err != nil {
		return err
	}
	return s.addChange(func(b []byte) ([]byte, error) { return appendSetting(b, name, value), nil })
}

// Advance moves the clock. Records that it keeps anew also go to the log.
func (s *Store) Advance(now time.Time, again func(r *sitegraph.Record)) error {
	return s.keepAnew(again, func(each func(*sitegraph.Record)) error {
		return s.store.Advance(now, each)
	})
}

// Reschedule changes when pages are due.
func (s *Store) Reschedule(pages []sitegraph.PageID, again func(r *sitegraph.Record)) error {
	return s.keepAnew(again, func(each func(*sitegraph.Record)) error {
		return s.store.Reschedule(pages, each)
	})
}

// keepAnew makes a change for which the store passes on each record that it keeps anew.
func (s *Store) keepAnew(again func(*sitegraph.Record),
	change func(each func(*sitegraph.Record)) error) (err error) {
	failed := change(func(r *sitegraph.Record) {
		if again(r); err == nil {
			err = s.record(r)
		}
	})
	return errors.Join(failed, err)
}

// Message leaves a message at the record of a page.
func (s *Store) Message(p sitegraph.PageID, payload []byte) error {
	if err := s.store.Message(p, payload); err != nil {
		return err
	}
	return s.addChange(func(b []byte) ([]byte, error) { return appendMessage(b, p, payload), nil })
}

// Answered removes messages to a page with its next Save.
func (s *Store) Answered(p sitegraph.PageID, messages int) error {
	if err := s.store.Answered(p, messages); err != nil {
		return err
	}
	return s.addChange(func(b []byte) ([]byte, error) { return appendAnswer(b, p, messages), nil })
}
