package directory

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file has its old content until all of the new content is written. No other file is left.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	broken := errors.New("in the middle")
	for _, step := range []struct {
		text string
		err  error
		want string
	}{{"old", nil, "old"}, {"half of the new", broken, "old"}, {"new", nil, "new"}} {
		err := WriteAtomically(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, step.text); err != nil {
				return err
			}
			return step.err
		})
		if !errors.Is(err, step.err) {
			t.Errorf("%q: %v", step.text, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != step.want {
			t.Errorf("%q: the file is %q, %v", step.text, got, err)
		}
	}
	if err := CheckAtomicFile(path); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
	missing := filepath.Join(dir, "no", "f")
	if err := errors.Join(CheckAtomicFile(missing), WriteAtomically(missing, nil)); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("in no directory: %v", err)
	}
}
