package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Entry is one visit: planned, due, reason, probability, outcome.
type Entry struct {
	URL         string     `json:"url"`
	Time        time.Time  `json:"t"`
	Round       int        `json:"round"`
	First       bool       `json:"first"`
	Due         *time.Time `json:"due,omitempty"`
	Reason      string     `json:"reason"`
	Probability *float64   `json:"p,omitempty"` // of a change, as planned
	// DrawnFrom is the number of pages from which a visit of exploration was drawn; 0: made for its
	// worth.
	DrawnFrom int `json:"drawn_from,omitempty"`
	// Gone is the probability that the page is gone, if that is why it was visited.
	Gone    float64 `json:"gone,omitempty"`
	Outcome string  `json:"outcome"`
	Verdict string  `json:"verdict"`
	Status  int     `json:"status"`
	Detail  string  `json:"detail,omitempty"`
	Digest  string  `json:"digest,omitempty"`
	Text    string  `json:"text,omitempty"`
	Main    string  `json:"main,omitempty"`
	Bytes   int64   `json:"bytes"` // of the content
	// Moved counts the bytes from the network, including headers and robots.txt.
	Moved         int64     `json:"moved,omitempty"`
	Cut           bool      `json:"cut,omitempty"`      // the content was not read completely
	Type          string    `json:"type,omitempty"`     // media type
	Address       string    `json:"address,omitempty"`  // of the server
	Redirect      string    `json:"redirect,omitempty"` // its target
	Filter        string    `json:"filter,omitempty"`   // filter that rejects the page
	Trouble       string    `json:"trouble,omitempty"`  // of the server: failing, or busy
	NoIndex       bool      `json:"noindex,omitempty"`
	NoArchive     bool      `json:"noarchive,omitempty"` // the body is not to be kept
	ElapsedMillis int64     `json:"ms"`
	Next          time.Time `json:"next"` // next due time of the page
}

// Journal appends entries to a directory.
type Journal struct {
	dir  string
	day  string
	file *os.File
	w    *bufio.Writer
}

// Open opens a journal, and makes the directory if necessary.
func Open(dir string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Journal{dir: dir}, nil
}

// Append adds an entry. The system has it after Flush.
func (j *Journal) Append(e Entry) error {
	if err := j.turn(e.Time.UTC().Format(time.DateOnly)); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("journal entry of %s: %w", e.URL, err)
	}
	j.w.Write(line)
	if err := j.w.WriteByte('\n'); err != nil { // a bufio.Writer keeps its first error
		return fmt.Errorf("write journal %s: %w", j.file.Name(), err)
	}
	return nil
}

// turn opens the file of a day, and ends a line that a crash has torn.
func (j *Journal) turn(day string) error {
	if day == j.day {
		return nil
	}
	if err := j.Close(); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(j.dir, day+".jsonl"), os.O_CREATE|os.O_RDWR|os.O_APPEND,
		0o644)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	j.day, j.file, j.w = day, f, bufio.NewWriter(f)
	last := make([]byte, 1)
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		if _, err := f.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			j.w.WriteByte('\n')
		}
	}
	return nil
}

// Flush passes all entries to the operating system.
func (j *Journal) Flush() error {
	if j.w == nil {
		return nil
	}
	if err := j.w.Flush(); err != nil {
		return fmt.Errorf("write journal %s: %w", j.file.Name(), err)
	}
	return nil
}

// Close flushes and closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.Flush(), j.file.Close())
	j.day, j.file, j.w = "", nil, nil
	return err
}
