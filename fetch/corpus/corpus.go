package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	pagesDir    = "pages"
	standardDir = "standard"

	formatName    = "recrawl corpus"
	formatVersion = 1

	memTableBytes = 16 << 20
	cacheBytes    = 64 << 20
)

// Corpus is an open corpus.
type Corpus struct {
	dir  string
	fs   vfs.FS
	lock io.Closer
	db   *pebble.DB
	now  func() time.Time
	halt *directory.Switch // of pages/
}

// Open opens the corpus of a directory. With create it makes a missing one.
func Open(dir string, create bool) (*Corpus, error) {
	return open(vfs.Default, dir, create, time.Now)
}

// ErrNone is returned for a directory without a corpus.
var ErrNone error = noneError{}

type noneError struct{}

func (noneError) Error() string { return "there is no corpus" }

// Hint returns what to do.
func (noneError) Hint() string { return "recrawl corpus build makes one of an archive" }

func open(fs vfs.FS, dir string, create bool, now func() time.Time) (c *Corpus, err error) {
	c = &Corpus{dir: dir, fs: fs, now: now, halt: directory.New("write the pages of the corpus")}
	if err := c.open(create); err != nil {
		if c.lock != nil {
			err = errors.Join(err, c.lock.Close())
		}
		return nil, fmt.Errorf("open corpus %s: %w", dir, err)
	}
	return c, nil
}

func (c *Corpus) open(create bool) (err error) {
	fs, dir := c.fs, c.dir
	path, text, err := directory.ReadFormat(fs, dir)
	switch {
	case errors.Is(err, os.ErrNotExist) && !create:
		return ErrNone
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case err == nil:
		if err := directory.CheckVersion(path, text, formatName, formatVersion); err != nil {
			return err
		}
	}
	if err := directory.Make(fs, dir); err != nil {
		return err
	}
	if c.lock, err = directory.Lock(fs, dir); err != nil {
		return err
	}
	if text == nil {
		if err := directory.CheckOwn(fs, dir); err != nil {
			return err
		}
		if err := directory.WriteFormat(fs, dir,
			fmt.Appendf(nil, "%s %d\n", formatName, formatVersion)); err != nil {
			return err
		}
	}
	if err := directory.Make(fs, fs.PathJoin(dir, standardDir)); err != nil {
		return err
	}
	return c.halt.Guard(c.openPages)
}

func (c *Corpus) openPages() (err error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	c.db, err = pebble.Open(c.fs.PathJoin(c.dir, pagesDir), &pebble.Options{
		FS: c.fs, Logger: c.halt, Cache: cache, FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize: memTableBytes, MemTableStopWritesThreshold: 4, L0StopWritesThreshold: 40,
	})
	return err
}

// Close releases the directory.
func (c *Corpus) Close() error {
	if err := c.halt.Err(); err != nil {
		return c.lock.Close() // Pebble keeps its memory, and has reported why
	}
	return errors.Join(c.halt.Guard(c.db.Close), c.lock.Close())
}
