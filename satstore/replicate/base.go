package replicate

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Base describes a copy of a store, and where its log continues.
type Base struct {
	Name    string  `json:"name"`    // of the copy
	History history `json:"history"` // the parts that the copy has
	Bytes   int64   `json:"bytes"`
	Sent    Sent    `json:"sent"` // into the log until then
}

// After returns the number of the last part that the copy has.
func (b Base) After() uint64 { return b.History.end().To }

// Keep stores the files of a directory, made by Store.Base, in a Remote under the name of a base.
// It returns the base with its size.
func Keep(ctx context.Context, to Remote, dir string, b Base) (Base, error) {
	from, packing := io.Pipe()
	packed := make(chan int64, 1)
	go func() {
		n, err := pack(dir, packing)
		packing.CloseWithError(err)
		packed <- n
	}()
	err := to.Put(ctx, b.Name, from)
	from.CloseWithError(errors.New("no more is taken")) // ends the other goroutine
	b.Bytes = <-packed
	if err != nil {
		return b, fmt.Errorf("keep a copy of %s: %w", dir, err)
	}
	return b, nil
}

// pack writes the files of a directory as a tar archive.
func pack(dir string, w io.Writer) (bytes int64, err error) {
	buffered := bufio.NewWriterSize(w, 256<<10)
	archive := tar.NewWriter(buffered)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644,
			Size: info.Size()}); err != nil {
			return err
		}
		n, err := io.Copy(archive, f)
		bytes += n
		return err
	})
	return bytes, errors.Join(err, archive.Close(), buffered.Flush())
}

// Coming is the suffix of the directory in which a base is unpacked. A killed process leaves it;
// the next Update of that store removes it.
const Coming = ".new"

// fetch replaces the store in a directory by a base.
func fetch(ctx context.Context, remote Remote, b Base, dir string) error {
	from, err := remote.Get(ctx, b.Name)
	if err != nil {
		return fmt.Errorf("get copy %s of a store: %w", b.Name, err)
	}
	defer from.Close()
	under := dir + Coming
	if err := os.RemoveAll(under); err != nil {
		return err
	}
	defer os.RemoveAll(under)
	if err := unpack(from, under); err != nil {
		return fmt.Errorf("get copy %s of a store: %w", b.Name, err)
	}
	if err := clearAway(dir); err != nil {
		return err
	}
	return place(under, dir)
}

// unpack writes the files of an archive, and syncs them and their directories.
func unpack(from io.Reader, dir string) error {
	buffered := bufio.NewReaderSize(from, 256<<10)
	archive := tar.NewReader(buffered)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		name := filepath.FromSlash(h.Name)
		if !filepath.IsLocal(name) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("a copy of a store has no place for %q", h.Name)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, archive)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	// the end reports whether all was right
	if _, err := io.Copy(io.Discard, buffered); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return directory.SyncPath(path)
	})
}

// place moves the files of a new store to their directory. Without directory.FormatName it is no
// store, so that file comes last.
func place(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	move := func(name string) error {
		return os.Rename(filepath.Join(from, name), filepath.Join(to, name))
	}
	for _, e := range entries {
		if e.Name() == directory.FormatName {
			continue
		}
		if err := move(e.Name()); err != nil {
			return err
		}
	}
	// otherwise a loss of power may keep only the last one
	if err := directory.SyncPath(to); err != nil {
		return err
	}
	if err := move(directory.FormatName); err != nil {
		return err
	}
	return directory.SyncPath(to)
}

// Journal is the directory beside the files of a store that stays at the node whose visits it has.
const Journal = "journal"

// clearAway removes a store that nobody has open, except its journal. It makes the directory if
// necessary. The file without which it is no store is removed first.
func clearAway(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, directory.FormatName)); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := directory.SyncPath(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != Journal {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Aside is the suffix of the directory to which a store is moved if it has visits that its log
// lost, and other nodes continued without them. Only the latest such store is kept.
const Aside = ".aside"

// setAside moves a store that nobody has open, except its journal.
func setAside(dir string) error {
	to := dir + Aside
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(to, Journal), filepath.Join(dir, Journal)); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(directory.SyncPath(to), directory.SyncPath(dir),
		directory.SyncPath(filepath.Dir(dir)))
}
