package history

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Save writes a server to a separate file in a directory, whole or not at all, and returns the
// file. It does not replace a file: the error is an os.ErrExist.
func Save(dir string, s *Server) (file string, err error) {
	file = filepath.Join(dir, url.PathEscape(s.Name)+".jsonl.gz")
	if _, err := os.Lstat(file); err == nil {
		return file, fmt.Errorf("write %s: %w", file, os.ErrExist)
	}
	return file, directory.WriteAtomically(file, func(w io.Writer) error { return Write(w, s) })
}
