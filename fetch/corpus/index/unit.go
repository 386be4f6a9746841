package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	engine "github.com/blevesearch/bleve_index_api"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// fields are the searched parts, with the weight of a word in each.
var fields = [...]struct {
	name   string
	weight float64
}{{"title", 3}, {"body", 1}, {"anchor", 2}}

const (
	titleField = iota
	bodyField
	anchorField
)

// Page has the searched parts of a page.
type Page struct {
	ID       uint64
	URL      string
	Title    string
	Body     []string // sentences
	Anchors  []string // texts of links to it
	Server   string
	Language string // "": not known
	Tie      uint64 // orders pages with equal scores
	Changed  time.Time
	Verified time.Time
}

// pages has the data of a unit's identifiers, by place.
type pages struct {
	Order     []uint32 // place of each document of the engine
	IDs       []uint64
	Tie       []uint64
	Server    []uint32
	Servers   []string
	Language  []uint16
	Languages []string
	Lengths   [len(fields)][]uint32 // octets
}

// state is the part of a unit that changes.
type state struct {
	Deleted  []uint64 // a bit a place
	Changed  []int64  // unix seconds
	Verified []int64
}

func (s *state) deleted(place uint32) bool { return s.Deleted[place/64]>>(place%64)&1 != 0 }

const (
	unitsDir  = "units"
	engineDir = "bleve"
	pagesName = "pages"
)

// mappingOf returns how the engine stores pages.
func mappingOf() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultAnalyzer = analyzerName
	m.StoreDynamic, m.IndexDynamic, m.DocValuesDynamic = false, false, false
	text := func(stored bool) *mapping.FieldMapping {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.DocValues, f.IncludeTermVectors = analyzerName,
			stored, false, false, true
		return f
	}
	for i, field := range fields {
		m.DefaultMapping.AddFieldMappingsAt(field.name, text(i != anchorField))
	}
	url := text(true)
	url.Index = false
	m.DefaultMapping.AddFieldMappingsAt("url", url)
	return m
}

// Builder builds a unit.
type Builder struct {
	dir     string // of the unit
	engine  bleve.Builder
	pages   pages
	state   state
	servers map[string]uint32
	langs   map[string]uint16
}

const (
	// batch is the number of pages that the engine analyses at once. It takes about 50 octets for
	// each octet of text.
	batch = 32
	// MostText limits the searched part of a title, of a main text and of the texts of links, in
	// octets.
	MostText = 512 << 10
)

// NewBuilder starts a unit in a directory of an index.
func NewBuilder(index string, number int) (*Builder, error) {
	dir := unitPath(index, number)
	b := &Builder{dir: dir, servers: map[string]uint32{}, langs: map[string]uint16{}}
	err := os.RemoveAll(dir)
	if err == nil {
		err = directory.Make(vfs.Default, dir)
	}
	if err == nil {
		b.engine, err = bleve.NewBuilder(filepath.Join(dir, engineDir), mappingOf(), map[string]any{
			"batchSize": batch, "buildPathPrefix": dir})
	}
	if err != nil {
		return nil, fmt.Errorf("begin unit %s: %w", dir, err)
	}
	return b, nil
}

func unitPath(index string, number int) string {
	return filepath.Join(index, unitsDir, fmt.Sprintf("%06d", number))
}

// Len returns the number of pages.
func (b *Builder) Len() int { return len(b.pages.IDs) }

// Add adds a page with a unique identifier.
func (b *Builder) Add(p *Page) error {
	place := uint64(b.Len())
	title, titleLength := lines(p.Title)
	body, length := lines(p.Body...)
	anchors, anchorLength := lines(p.Anchors...)
	if err := b.engine.Index(strconv.FormatUint(place, 16), map[string]any{
		"url": p.URL, fields[titleField].name: title, fields[bodyField].name: body,
		fields[anchorField].name: anchors}); err != nil {
		return fmt.Errorf("index %s: %w", p.URL, engineError(err))
	}
	t := &b.pages
	t.IDs, t.Tie = append(t.IDs, p.ID), append(t.Tie, p.Tie)
	server, ok := b.servers[p.Server]
	if !ok {
		server = uint32(len(t.Servers))
		b.servers[p.Server] = server
		t.Servers = append(t.Servers, p.Server)
	}
	lang, ok := b.langs[p.Language]
	if !ok && len(t.Languages) < 1<<16-1 {
		lang = uint16(len(t.Languages))
		b.langs[p.Language] = lang
		t.Languages = append(t.Languages, p.Language)
	}
	t.Server, t.Language = append(t.Server, server), append(t.Language, lang)
	for i, n := range [...]int{titleField: titleLength, bodyField: length,
		anchorField: anchorLength} {
		t.Lengths[i] = append(t.Lengths[i], uint32(n))
	}
	b.state.Changed = append(b.state.Changed, p.Changed.Unix())
	b.state.Verified = append(b.state.Verified, p.Verified.Unix())
	return nil
}

// lines returns texts one a line, up to MostText, and their octets.
func lines(texts ...string) (string, int) {
	var b bytes.Buffer
	for i, text := range texts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if room := max(MostText-b.Len(), 0); len(text) > room {
			b.WriteString(strings.ToValidUTF8(text[:room], ""))
			break
		}
		b.WriteString(text)
	}
	return b.String(), b.Len()
}

// Close completes the unit with its state in a set, and makes it durable.
func (b *Builder) Close(set int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("build unit %s: %w", b.dir, err)
		}
	}()
	if err := b.engine.Close(); err != nil {
		return engineError(err)
	}
	e, reader, err := openEngine(b.dir)
	if err != nil {
		return err
	}
	b.pages.Order = make([]uint32, b.Len())
	for n := range b.pages.Order {
		id, err := reader.ExternalID(engine.NewIndexInternalID(nil, uint64(n)))
		if err != nil {
			return errors.Join(err, reader.Close(), e.Close())
		}
		place, err := strconv.ParseUint(id, 16, 32)
		if err != nil || place >= uint64(b.Len()) {
			return errors.Join(fmt.Errorf("the engine has a page %q", id), reader.Close(),
				e.Close())
		}
		b.pages.Order[n] = uint32(place)
	}
	if err := errors.Join(reader.Close(), e.Close()); err != nil {
		return err
	}
	b.state.Deleted = make([]uint64, (b.Len()+63)/64)
	if err := writeGob(b.dir, pagesName, &b.pages); err != nil {
		return err
	}
	if err := writeGob(b.dir, stateName(set), &b.state); err != nil {
		return err
	}
	sums, err := sumsOf(filepath.Join(b.dir, engineDir))
	if err == nil {
		err = writeGob(b.dir, sumsName, sums)
	}
	if err != nil {
		return err
	}
	return syncAll(b.dir)
}

// Abandon removes an unfinished unit. The engine has no file open between two calls. Its Close
// would merge files that are removed anyway, and panics after a failed write.
func (b *Builder) Abandon() { os.RemoveAll(b.dir) }

// Octets returns the unit's size on disk. Close needs as much again to merge its parts.
func (b *Builder) Octets() (octets int64, err error) {
	err = filepath.WalkDir(b.dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			octets += info.Size()
		}
		return err
	})
	return octets, err
}

// fullError is an error of the engine because of a full disk.
type fullError struct{ error }

func (fullError) Unwrap() error { return syscall.ENOSPC }

// engineError returns a fullError if the text of an error says that the disk is full. The engine
// does not wrap its causes.
func engineError(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		return fullError{err}
	}
	return err
}

func stateName(set int) string { return fmt.Sprintf("state-%d", set) }

func openEngine(dir string) (bleve.Index, engine.IndexReader, error) {
	e, err := bleve.OpenUsing(filepath.Join(dir, engineDir), map[string]any{"read_only": true})
	if err != nil {
		return nil, nil, err
	}
	inner, err := e.Advanced()
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	r, err := inner.Reader()
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	return e, r, nil
}

// syncAll makes all files below a directory durable.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeGob writes a value followed by a checksum, and makes it durable.
func writeGob(dir, name string, value any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return err
	}
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.Checksum(b.Bytes(), castagnoli)))
	return directory.Write(vfs.Default, dir, name, b.Bytes())
}

// readGob reads a value of writeGob.
func readGob(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := len(text) - 4
	if end < 0 || binary.BigEndian.Uint32(text[end:]) != crc32.Checksum(text[:end], castagnoli) {
		return fmt.Errorf("%s is damaged: its checksum is another one; build the corpus anew in "+
			"an empty directory", path)
	}
	if err := gob.NewDecoder(bytes.NewReader(text[:end])).Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// unit is an open unit.
type unit struct {
	number int
	dir    string
	file   os.FileInfo // of pages
	pages
	engine bleve.Index
	reader engine.IndexReader
}

func openUnit(index string, number int) (u *unit, err error) {
	u = &unit{number: number, dir: unitPath(index, number)}
	path := filepath.Join(u.dir, pagesName)
	if u.file, err = os.Stat(path); err == nil {
		err = readGob(path, &u.pages)
	}
	if err != nil {
		return nil, fmt.Errorf("open a unit of the index: %w", err)
	}
	if u.engine, u.reader, err = openEngine(u.dir); err != nil {
		return nil, fmt.Errorf("open unit %s: %w", u.dir, err)
	}
	return u, nil
}

// isThere reports whether the directory still has this unit.
func (u *unit) isThere() bool {
	info, err := os.Stat(filepath.Join(u.dir, pagesName))
	return err == nil && sameFile(info, u.file)
}

func (u *unit) close() error { return errors.Join(u.reader.Close(), u.engine.Close()) }

// stored returns the texts that the engine keeps of the page at a place.
func (u *unit) stored(place uint32) (url, title, body string, err error) {
	d, err := u.reader.Document(strconv.FormatUint(uint64(place), 16))
	if err == nil && d == nil {
		err = errors.New("it is not there")
	}
	if err != nil {
		return "", "", "", fmt.Errorf("read page %d of %s: %w", place, u.dir, err)
	}
	d.VisitFields(func(f engine.Field) {
		switch f.Name() {
		case "url":
			url = string(f.Value())
		case fields[titleField].name:
			title = string(f.Value())
		case fields[bodyField].name:
			body = string(f.Value())
		}
	})
	return url, title, body, nil
}

// postings returns the documents of the engine with a word in a field, ascending.
func (u *unit) postings(ctx context.Context, term string, field int,
	yield func(document uint64, frequency int)) error {
	r, err := u.reader.TermFieldReader(ctx, []byte(term), fields[field].name, true, false, false)
	if err != nil {
		return err
	}
	var d engine.TermFieldDoc
	for {
		next, err := r.Next(&d)
		if err != nil {
			return errors.Join(err, r.Close())
		}
		if next == nil {
			return r.Close()
		}
		yield(next.ID.Value(), int(next.Freq))
	}
}
