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

// Newest is when the newest visit of a journal was made, by the last lines of its last day; the
// zero time where it has none, or there is no journal.
func Newest(dir string) (newest time.Time, err error) {
	files, err := days(dir)
	if errors.Is(err, ErrNone) || errors.Is(err, os.ErrNotExist) {
		return newest, nil
	}
	if err != nil {
		return newest, err
	}
	f, err := os.Open(files[len(files)-1])
	if err != nil {
		return newest, fmt.Errorf("read journal: %w", err)
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return newest, fmt.Errorf("read journal: %w", err)
	}
	last := make([]byte, min(end, 2*maxLineBytes)) // one line at least is whole in it
	if _, err := f.ReadAt(last, end-int64(len(last))); err != nil && err != io.EOF {
		return newest, fmt.Errorf("read journal: %w", err)
	}
	for line := range bytes.Lines(last) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.URL != "" && e.Time.After(newest) {
			newest = e.Time
		}
	}
	return newest, nil
}
