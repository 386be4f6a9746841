// Package whole writes files that are there whole or not at all.
//
// # Guarantees
//
//  1. A file of the name is replaced only when all is written; a reader finds the old one
//     or the new one. After an error the old one is there, and nothing else of this package.
//  2. Nothing is synced: after a power failure the file may be empty. What must survive that is
//     written by satstore/directory.
package whole

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// pattern is that of names of files under way.
const pattern = ".recrawl-*"

// Write makes a file of what write writes, readable for all.
func Write(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // after the rename there is nothing of that name
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Check refuses, before any work, a path at which Write could not begin a file.
func Check(path string) error {
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
