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

// Newest returns the last visits in the last lines of a journal, by address: of at most 2 MiB of
// each of its last two days. It leaves out visits after until, which come from a wrong clock.
// Without a journal it returns none.
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

// tail reads the end of a file with at least one whole line.
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
