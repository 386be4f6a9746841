package directory

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// pattern is the pattern of temporary names.
const pattern = ".recrawl-*"

// WriteAtomically makes a file, readable for all, with the output of write.
func WriteAtomically(path string, write func(io.Writer) error) error {
	f, err := CreateAtomicFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit()
}

// WritePrivately makes a file with a text, as a whole, that only its owner may read.
func WritePrivately(path string, text []byte) error {
	f, err := CreateAtomicFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	f.mode = 0o600
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit()
}

// AtomicFile is a file under way: there is none of its name until Commit. One goroutine may use it.
//
// It writes files that are there whole or not at all.
//
// # Guarantees
//
//  1. A file of the name is replaced only when all is written; a reader finds the old one
//     or the new one. After an error the old one is there, and no other file.
//  2. Nothing is synced: after a power failure the file may be empty. Write writes files that must
//     survive one.
type AtomicFile struct {
	*bufio.Writer
	file *os.File
	path string
	mode os.FileMode // after Commit
}

// CreateAtomicFile begins a file of this name. Commit or Discard must follow.
func CreateAtomicFile(path string) (*AtomicFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &AtomicFile{bufio.NewWriter(f), f, path, 0o644}, nil
}

// Commit gives the file its name, and replaces a file with that name.
func (f *AtomicFile) Commit() error {
	defer f.Discard()
	err := f.Flush()
	if err == nil {
		err = f.file.Chmod(f.mode)
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// Discard removes the file. After Commit it does nothing.
func (f *AtomicFile) Discard() {
	f.file.Close()           // after Commit it is closed
	os.Remove(f.file.Name()) // and the temporary name is gone
}

// CheckAtomicFile refuses, before any work, a path at which CreateAtomicFile would fail.
func CheckAtomicFile(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	closed := f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	return closed
}
