package intake

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Keeper keeps the new pages. Calls come from one goroutine.
type Keeper interface {
	// Add adds a new address. The text is valid until it returns.
	Add(url string) error
	// Commit makes the added addresses durable.
	Commit() error
	// Mark returns the mark for the set once all additions are durable.
	Mark() seen.Mark
}

// Store is the part of a planner's store that an import uses; *satstore.Store has it.
type Store interface {
	Pages() int
	Add(r *sitegraph.Record) error
	SaveStart(p sitegraph.PageID) error
	Addresses(from sitegraph.PageID, each func(p sitegraph.PageID, url []byte) error) error
	Commit() error
	// MemoryBytes returns the memory that the store needs at present.
	MemoryBytes() int64
}

// mostAdded bounds a transaction of the store: about 200 bytes of memory a page.
const mostAdded = 100_000

// Pages is a Keeper that adds new URLs to a planner's store as pages. As if the URLs had been given
// to run, they are start pages of their servers and due at once.
type Pages struct {
	store Store
	key   seen.Key
	due   time.Time
	added int // since the last commit
	mark  seen.Mark
}

// NewPages returns a keeper of pages in a store, with the set's key for fingerprints.
func NewPages(store Store, set *seen.Set, due time.Time) *Pages {
	return &Pages{store: store, key: set.Key(), due: due, mark: set.Mark()}
}

// Add adds a page.
func (k *Pages) Add(url string) error {
	r := sitegraph.Record{Page: sitegraph.PageID(k.store.Pages()), URL: url,
		State: sitegraph.StateNew, Due: k.due}
	if err := k.store.Add(&r); err != nil {
		return fmt.Errorf("add page %s: %w", url, err)
	}
	if err := k.store.SaveStart(r.Page); err != nil {
		return fmt.Errorf("add start page %s: %w", url, err)
	}
	k.mark = seen.Mark{Count: uint64(r.Page) + 1, Check: k.key.Of(url)}
	if k.added++; k.added >= mostAdded {
		return k.Commit()
	}
	return nil
}

// Commit makes the pages durable.
func (k *Pages) Commit() error {
	if k.added == 0 {
		return nil
	}
	k.added = 0
	return k.store.Commit()
}

// Mark returns the number of the store's pages, and the fingerprint of the last one's address.
func (k *Pages) Mark() seen.Mark { return k.mark }

// SetIn returns the directory of the set of addresses in a planner's data directory.
func SetIn(data string) string { return filepath.Join(data, "seen") }

// ErrForeign reports that a set covers other pages than the store has: it belongs to another store,
// or the store is an older copy.
var ErrForeign = words.Hint(
	errors.New("the set of addresses does not belong to the pages of this store"),
	"was the directory put back from an older copy? Remove its directory seen/: import makes it anew "+
		"of the pages of the store", words.ExitFailed)

// caughtUp is how many addresses are added to a set at once.
const caughtUp = 200_000

// CatchUp adds to a set the pages of a store that it does not cover, and returns their number. Run
// has found them since, or an interrupted import has added them. A set that covers none gets all.
// It fails with ErrForeign if the last page that the set covers is another one in the store.
func CatchUp(set *seen.Set, store Store) (int, error) {
	mark, key := set.Mark(), set.Key()
	if mark.Count > uint64(store.Pages()) {
		return 0, fmt.Errorf("%w: it covers %d pages of %d", ErrForeign, mark.Count, store.Pages())
	}
	var keys []uint64
	fresh := make([]bool, caughtUp)
	more := func() error {
		err := set.Decide(keys, fresh)
		keys = keys[:0]
		return err
	}
	checked, added := mark.Count == 0, 0
	from := sitegraph.PageID(max(mark.Count, 1) - 1)
	err := store.Addresses(from, func(p sitegraph.PageID, url []byte) error {
		k := key.Of(string(url))
		if !checked {
			if k != mark.Check {
				return fmt.Errorf("%w: page %d is another", ErrForeign, p)
			}
			checked = true
			return nil
		}
		keys, added = append(keys, k), added+1
		mark = seen.Mark{Count: uint64(p) + 1, Check: k}
		if len(keys) == caughtUp {
			return more()
		}
		return nil
	})
	if err == nil {
		err = more()
	}
	if err == nil && added > 0 {
		err = set.Commit(mark)
	}
	if err != nil {
		return 0, fmt.Errorf("bring the set up to the pages of the store: %w", err)
	}
	return added, nil
}

// Lines keeps new addresses as lines at the end of a file, or of a stream.
type Lines struct {
	file *os.File // nil: a stream
	out  *bufio.Writer
	mark seen.Mark
}

// NewLines opens the file, and makes it if necessary. A last line that was cut short by a crash, or
// a full disk, gets its end, so that the next line is separate.
func NewLines(path string) (*Lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	k := &Lines{file: f, out: bufio.NewWriterSize(f, pieceBytes)}
	if err := k.endLine(path); err != nil {
		return nil, errors.Join(fmt.Errorf("read the end of %s: %w", path, err), f.Close())
	}
	return k, nil
}

// NewStream returns a keeper that writes to a stream, which the caller closes.
func NewStream(w io.Writer) *Lines { return &Lines{out: bufio.NewWriterSize(w, pieceBytes)} }

// endLine ends the last line of a regular file. A pipe has none.
func (k *Lines) endLine(path string) error {
	info, err := k.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return errors.Join(err, f.Close())
	}
	if last[0] != '\n' {
		if err := k.out.WriteByte('\n'); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// Add writes a line.
func (k *Lines) Add(url string) error {
	_, err := k.out.WriteString(url)
	if err == nil {
		err = k.out.WriteByte('\n')
	}
	return err
}

// Commit makes the lines durable. After a crash between this and the commit of the set, a repeated
// import writes these lines once more.
func (k *Lines) Commit() error {
	if err := k.out.Flush(); err != nil || k.file == nil {
		return err
	}
	info, err := k.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // a pipe cannot be synced
	}
	return k.file.Sync()
}

// Mark returns a constant.
func (k *Lines) Mark() seen.Mark { return k.mark }

// Close closes the file, which may have uncommitted lines.
func (k *Lines) Close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// Nobody keeps nothing: only the set has the addresses.
type Nobody struct{}

// Add does nothing.
func (Nobody) Add(string) error { return nil }

// Commit does nothing.
func (Nobody) Commit() error { return nil }

// Mark returns the zero mark.
func (Nobody) Mark() seen.Mark { return seen.Mark{} }
