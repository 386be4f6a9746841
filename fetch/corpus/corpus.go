package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	pagesDir    = "pages"
	standardDir = "standard"

	formatText = "recrawl corpus 1\n"

	memTableBytes = 16 << 20
	cacheBytes    = 64 << 20
)

// Corpus is one that is open.
type Corpus struct {
	dir  string
	fs   vfs.FS
	lock io.Closer
	db   *pebble.DB
	now  func() time.Time

	mu     sync.Mutex
	err    error // why pages/ cannot be written any more
	failed chan struct{}
}

// Open opens the corpus of a directory, which is made if create says so.
func Open(dir string, create bool) (*Corpus, error) { return open(vfs.Default, dir, create, time.Now) }

// ErrNone says that a directory has no corpus.
var ErrNone error = noneError{}

type noneError struct{}

func (noneError) Error() string { return "there is no corpus" }

// Hint says what to do.
func (noneError) Hint() string { return "recrawl corpus build makes one of an archive" }

func open(fs vfs.FS, dir string, create bool, now func() time.Time) (c *Corpus, err error) {
	c = &Corpus{dir: dir, fs: fs, now: now, failed: make(chan struct{})}
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
	_, text, err := directory.ReadFormat(fs, dir)
	switch {
	case errors.Is(err, os.ErrNotExist) && !create:
		return ErrNone
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case err == nil && !bytes.Equal(text, []byte(formatText)):
		return fmt.Errorf("it is of another version (%.40q): build it anew in an empty directory", text)
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
		if err := directory.WriteFormat(fs, dir, []byte(formatText)); err != nil {
			return err
		}
	}
	if err := directory.Make(fs, fs.PathJoin(dir, standardDir)); err != nil {
		return err
	}
	return c.guarded(c.openPages)
}

func (c *Corpus) openPages() (err error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	c.db, err = pebble.Open(c.fs.PathJoin(c.dir, pagesDir), &pebble.Options{
		FS: c.fs, Logger: c, Cache: cache, FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize: memTableBytes, MemTableStopWritesThreshold: 4, L0StopWritesThreshold: 40,
	})
	return err
}

// Close ends the use of the directory.
func (c *Corpus) Close() error {
	if err := c.broken(); err != nil {
		return c.lock.Close() // what Pebble holds stays held, and said why
	}
	return errors.Join(c.guarded(c.db.Close), c.lock.Close())
}

// guarded does work in a goroutine of its own, which Pebble ends where it cannot write.
func (c *Corpus) guarded(work func() error) error {
	if err := c.broken(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch fault := recover().(type) {
			case nil:
			case runtime.Error:
				panic(fault)
			case error: // Pebble panics where it cannot write its log
				c.fail(fault)
			default:
				panic(fault)
			}
		}()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case <-c.failed:
		return c.broken()
	}
}

func (c *Corpus) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Infof, Errorf and Fatalf make the corpus Pebble's logger. Pebble calls Fatalf where it cannot
// write its log or its manifest and would end the process. We end the calling goroutine instead.
func (c *Corpus) Infof(string, ...any) {}

// Errorf is part of Pebble's logger.
func (c *Corpus) Errorf(string, ...any) {}

// Fatalf is part of Pebble's logger.
func (c *Corpus) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok { // keep it for errors.Is
			err = cause
		}
	}
	c.fail(err)
	runtime.Goexit()
}

// fail ends the use of Pebble for good.
func (c *Corpus) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fmt.Errorf("write the pages of the corpus: %w", err)
		close(c.failed)
	}
}
