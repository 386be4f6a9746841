package repair

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// partial is the directory in which a new store is made, within its final directory. So a disk may
// be mounted there, and no other disk is written to.
const partial = "repair.partial"

// Run makes a store from the readable parts of another one, in a directory that is missing or
// empty, or has the remains of a repair. The error is of the disk, or the context's; then there is
// no new store.
func Run(ctx context.Context, from, to string, report directory.Func) (*Report, error) {
	fs := vfs.Default
	to = filepath.Clean(to)
	r := &repairer{ctx: ctx, fs: fs, from: from, report: report, settings: map[string]setting{},
		result: &Report{Data: from, To: to, Damage: []string{}, Unknown: []string{},
			Beside: []string{}}}
	if err := r.lookBeside(); err != nil {
		return nil, err
	}
	if err := checkApart(from, to); err != nil {
		return nil, err
	}
	if _, err := leftIn(to); err != nil {
		return nil, err
	}
	own, err := directory.Claim(to) // of another repair into the same directory
	if err != nil {
		return nil, err
	}
	defer own.Close()
	left, err := leftIn(to)
	if err != nil {
		return nil, err
	}
	for _, name := range left {
		if err := os.RemoveAll(filepath.Join(to, name)); err != nil {
			return nil, err
		}
	}
	work := filepath.Join(to, partial)
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, err
	}
	store := filepath.Join(work, "store")
	if err := r.run(filepath.Join(work, "scratch"), store); err != nil {
		return nil, fmt.Errorf("repair %s: %w", from, err)
	}
	return r.result, r.handOver(store, work)
}

// checkApart refuses a new store within the damaged one, which is only read, and the reverse.
func checkApart(from, to string) error {
	a, b := realPath(from), realPath(to)
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		rel, err := filepath.Rel(pair[0], pair[1])
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return fmt.Errorf("one of %s and %s is within the other: choose a directory of its own",
				from, to)
		}
	}
	return nil
}

// realPath returns a path without symbolic links, as far as it exists.
func realPath(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(full); err == nil || full == filepath.Dir(full) {
		return real
	}
	return filepath.Join(realPath(filepath.Dir(full)), filepath.Base(full))
}

// leftIn lists the remains of an unfinished repair in a directory. It refuses a directory with
// anything else.
func leftIn(to string) ([]string, error) {
	names, err := namesIn(to)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if !slices.Contains(names, partial) || slices.ContainsFunc(names, func(n string) bool {
		return !slices.Contains([]string{partial, "sat", "pebble", "EPOCH", LostName}, n)
	}) {
		return nil, fmt.Errorf("%s holds %s: choose an empty or a new directory", to,
			words.Plural(len(names), "file"))
	}
	return names, nil
}

// namesIn lists a directory, which may be missing, without its lock.
func namesIn(dir string) (names []string, err error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range all {
		if e.Name() != directory.LockName {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// handOver moves the new store to its place. Its version file is last: the commit point.
func (r *repairer) handOver(store, work string) error {
	names, err := namesIn(store)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == directory.FormatName })
	for _, part := range [][]string{names, {directory.FormatName}} {
		for _, name := range part {
			if err := os.Rename(filepath.Join(store, name),
				filepath.Join(r.result.To, name)); err != nil {
				return err
			}
		}
		if err := directory.SyncPath(r.result.To); err != nil {
			return err
		}
	}
	return os.RemoveAll(work)
}

// remade are directories of a store, and those beside it that are rebuilt. A set of addresses would
// have to agree with the addresses of the new store.
var remade = []string{"sat", "pebble", "seen", "underway"}

// parts are the names by which a damaged store is recognised.
var parts = []string{"sat", "pebble", "journal", directory.FormatName}

// lookBeside names the directories that the new store could use. It returns satstore.ErrNoStore if
// there is nothing of a store.
func (r *repairer) lookBeside() error {
	all, err := os.ReadDir(r.from)
	if err == nil && !slices.ContainsFunc(all, func(e os.DirEntry) bool {
		return slices.Contains(parts, e.Name())
	}) {
		return fmt.Errorf("repair %s: %w", r.from, satstore.ErrNoStore)
	}
	for _, e := range all {
		if e.IsDir() && !slices.Contains(remade, e.Name()) {
			r.result.Beside = append(r.result.Beside, filepath.Join(r.from, e.Name()))
		}
	}
	return err
}

type repairer struct {
	ctx        context.Context
	fs         vfs.FS
	from       string
	report     directory.Func
	scratch    *scratch
	settings   map[string]setting
	spans      []span
	options    satstore.Options // of the new store
	pages      int
	attached   uint64 // batches of the log
	epoch      uint64 // of the newest batch that was found
	incomplete bool   // addresses may be lost
	result     *Report
}

type setting struct {
	v     engine.Version
	set   bool
	value []byte
}

func (r *repairer) run(scratchDir, store string) (err error) {
	if err := satstore.CheckFormat(r.fs, r.from); err != nil {
		return err
	}
	records := satstore.RecordsIn(r.fs, r.from)
	for _, dir := range []string{r.from, records} {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue
		}
		lock, err := directory.LockFor(r.fs, dir, true)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	if r.scratch, err = newScratch(r.fs, scratchDir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.scratch.close()) }()
	if err := r.gatherCatalogue(); err != nil {
		return err
	}
	if err := r.gatherRecords(records); err != nil {
		return err
	}
	if had := satstore.Epoch(r.fs, r.from); r.epoch < had {
		r.incomplete = true
		r.spans = append(r.spans, span{})
		r.result.Unknown = append(r.result.Unknown, fmt.Sprintf(
			"%s: tables: the catalogue had %d batches, and the newest that was found is %d",
			r.from, had, r.epoch))
	}
	return r.build(store)
}

func (r *repairer) damage(err error) { r.result.Damage = append(r.result.Damage, err.Error()) }

// gatherCatalogue sorts the entries of the tables.
func (r *repairer) gatherCatalogue() error {
	tables, damage, err := satstore.Tables(r.fs, r.from)
	if err != nil {
		return err
	}
	if damage != nil {
		r.damage(damage)
		r.incomplete = true
	}
	count := r.report.Count("tables", 1, len(tables))
	for _, t := range tables {
		lost, err := readTable(r.fs, t, func(key []byte, seq uint64, set bool, value []byte) error {
			return r.entry(key, engine.Version{Place: seq}, set, value)
		})
		if err != nil {
			return err
		}
		for _, s := range lost {
			r.incomplete = true
			r.spans = append(r.spans, s)
			r.result.Unknown = append(r.result.Unknown, fmt.Sprintf("%s: entries %s", t.Path, s))
		}
		if err := count.Add(1); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// notes are dropped: they list changes since a copy of the old store.
const notes = "touched/"

// entry sorts one entry of the catalogue.
func (r *repairer) entry(key []byte, v engine.Version, set bool, value []byte) error {
	switch {
	case len(key) > 0 && key[0] == satstore.KeySetting:
		name := string(key[1:])
		if old := r.settings[name]; !strings.HasPrefix(name, notes) && (old.v.Serial < v.Serial ||
			old.v.Serial == v.Serial && old.v.Place <= v.Place) {
			r.settings[name] = setting{v, set, slices.Clone(value)}
		}
		return nil
	case string(key) == string(satstore.KeyEpoch):
		if set && len(value) == 8 {
			r.epoch = max(r.epoch, binary.BigEndian.Uint64(value))
		}
		return nil
	case len(key) != 5 || !slices.Contains(pageKinds, key[0]):
		return nil
	}
	p := binary.BigEndian.Uint32(key[1:])
	if p > engine.MaxSeq {
		return nil
	}
	if key[0] == satstore.KeyAddress {
		r.pages = max(r.pages, int(p)+1)
	}
	return r.scratch.put(p, key[0], v, set, value)
}

var pageKinds = []byte{satstore.KeyAddress, satstore.KeyLinks, satstore.KeyStart,
	satstore.KeyRemoved}

// batch sorts a batch of the catalogue from the log.
func (r *repairer) batch(repr []byte) error {
	r.attached++
	b := r.scratch.db.NewBatch()
	defer b.Close()
	if err := b.SetRepr(slices.Clone(repr)); err != nil {
		return err
	}
	for entries := b.Reader(); ; {
		kind, key, value, ok, err := entries.Next()
		if err != nil || !ok {
			return err
		}
		if kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindDelete {
			if err := r.entry(key, engine.Version{Serial: 1, Place: r.attached},
				kind == pebble.InternalKeyKindSet, value); err != nil {
				return err
			}
		}
	}
}

func (r *repairer) record(seq uint32, v engine.Version, body []byte) error {
	r.pages = max(r.pages, int(seq)+1)
	return r.scratch.put(seq, kindRecord, v, body != nil, body)
}

// gatherRecords sorts the newest versions of the records, or all versions if the log does not show
// which are the newest.
func (r *repairer) gatherRecords(dir string) error {
	s, err := engine.Open(dir,
		engine.Options{FS: r.fs, ReadOnly: true, Locked: true, Apply: r.batch})
	if errors.Is(err, engine.ErrInUse) {
		return err
	}
	if err == nil {
		defer s.Close()
		unit := time.Duration(s.Unit()) * time.Second
		r.options = satstore.Options{Unit: unit, Horizon: time.Duration(s.Horizon()) * unit,
			Now: time.Unix(s.Clock()*s.Unit(), 0)}
		r.pages = max(r.pages, int(s.Next()))
		count := r.report.Count("records", 1<<14, s.Len())
		damage, err := s.CheckEach(func(seq uint32, body []byte) (string, error) {
			return "", errors.Join(count.Add(1), r.ctx.Err(), r.record(seq, engine.Version{}, body))
		})
		for _, d := range damage {
			r.damage(d)
		}
		return err
	}
	r.damage(err)
	r.incomplete = true
	found, err := engine.Scan(r.fs, dir, engine.Scanner{Attached: r.batch,
		Progress: func(done, all int) error { return r.report.Report("run files", done, all) },
		Record: func(seq uint32, v engine.Version, body []byte) error {
			return errors.Join(r.ctx.Err(), r.record(seq, v, body))
		}})
	if err != nil {
		return err
	}
	for _, d := range found.Damage {
		r.damage(d)
	}
	unit := time.Duration(found.Unit) * time.Second
	r.options = satstore.Options{Unit: unit, Horizon: time.Duration(found.Horizon) * unit}
	if unit == 0 {
		unit = time.Hour // satstore's default
	}
	if found.Clock > 0 {
		r.options.Now = time.Unix(0, 0).Add(time.Duration(found.Clock) * unit)
	}
	return nil
}

func (s span) String() string {
	name := func(key []byte) string {
		if len(key) == 5 && slices.Contains(pageKinds, key[0]) {
			return fmt.Sprintf("%s of page %d", kindNames[key[0]], binary.BigEndian.Uint32(key[1:]))
		}
		return fmt.Sprintf("%q", key)
	}
	switch {
	case s.from == nil && s.to == nil:
		return "of the whole table"
	case s.to == nil:
		return "after " + name(s.from)
	case len(s.from) == 0:
		return "before " + name(s.to)
	}
	return "between " + name(s.from) + " and " + name(s.to)
}

var kindNames = map[byte]string{satstore.KeyAddress: "address", satstore.KeyLinks: "links",
	satstore.KeyStart: "start mark", satstore.KeyRemoved: "removal"}

// lostLinks reports whether the links of a page may be among the lost keys.
func (r *repairer) lostLinks(p sitegraph.PageID) bool {
	key := string(binary.BigEndian.AppendUint32([]byte{satstore.KeyLinks}, uint32(p)))
	return slices.ContainsFunc(r.spans, func(s span) bool {
		return key >= string(s.from) && (s.to == nil || key <= string(s.to))
	})
}
