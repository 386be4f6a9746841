package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Newest returns when the pages of the last lines of a journal were visited last, by address: those
// of at most 2 MiB of each of its last two days. Visits after until were made by a clock that was
// wrong, and are left out. It returns none where there is no journal.
func Newest(dir string, until time.Time) (map[string]time.Time, error) {
	files, err := days(dir)
	if errors.Is(err, ErrNone) || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	newest := map[string]time.Time{}
	for _, name := range files[max(len(files)-2, 0):] {
		last, err := tail(name)
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		for line := range bytes.Lines(last) {
			var e Entry
			if json.Unmarshal(line, &e) == nil && e.URL != "" && e.Time.After(newest[e.URL]) &&
				!e.Time.After(until) {
				newest[e.URL] = e.Time
			}
		}
	}
	return newest, nil
}

// tail reads the end of a file: one line at least is whole in it.
func tail(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	last := make([]byte, min(end, 2*maxLineBytes))
	if _, err := f.ReadAt(last, end-int64(len(last))); err != nil && err != io.EOF {
		return nil, err
	}
	return last, nil
}
