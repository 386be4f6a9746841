package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query selects the entries for Search: those that fit all its fields. Zero fields fit all.
type Query struct {
	Text    string // part of address, reason or detail, in any case
	URL     string // the whole address
	Server  string // host[:port]
	Verdict string // of the visit, such as first, changed, unchanged
	Outcome string // such as fetched, failed
	From    time.Time
	Until   time.Time // exclusive
	Limit   int       // entries; 100 if not set, at most MostFound
	// After is Found.Next of the search that this one continues; "": from the newest entry on.
	After string
	// MostBytes bounds the bytes read; 1 GiB if not set. A search that reaches it can be continued.
	MostBytes int64
}

const (
	// MostFound bounds the entries of one search.
	MostFound   = 10_000
	usualFound  = 100
	usualRead   = 1 << 30
	searchBlock = 1 << 20
)

// Found is the result of a search, the newest entry first.
type Found struct {
	Entries []Entry   `json:"entries"`
	Next    string    `json:"next"`  // for Query.After; "": the journal was read to its beginning
	Back    time.Time `json:"back"`  // the earliest day that was read; zero: nothing was read
	Bytes   int64     `json:"bytes"` // read
	Torn    int       `json:"torn"`  // unreadable lines among these
}

// ErrCursor reports that Query.After is not from a search.
var ErrCursor = errors.New("not a place in the journal, such as 2024-05-31:4096")

// Search reads a journal backward from its end, until it has found enough. It reads a day that is
// being written up to its present end; a continued search finds no entry twice. It returns ErrNone
// if there is no file of a day. The context's error ends it.
func Search(ctx context.Context, dir string, q Query) (*Found, error) {
	files, err := days(dir)
	if err != nil {
		return nil, err
	}
	if q.Limit <= 0 {
		q.Limit = usualFound
	}
	q.Limit = min(q.Limit, MostFound)
	if q.MostBytes <= 0 {
		q.MostBytes = usualRead
	}
	day, end, err := parseCursor(q.After)
	if err != nil {
		return nil, err
	}
	s := search{ctx: ctx, Query: q, text: strings.ToLower(q.Text), found: Found{Entries: []Entry{}}}
	for _, part := range []string{q.URL, q.Verdict, q.Outcome} {
		if part != "" {
			s.parts = append(s.parts, quoted(part))
		}
	}
	for _, name := range slices.Backward(files) {
		of := dayOf(name)
		switch {
		case day != "" && of > day:
			continue
		case !q.From.IsZero() && of < q.From.UTC().Format(time.DateOnly):
			return &s.found, nil
		case !q.Until.IsZero() && of > q.Until.UTC().Format(time.DateOnly):
			continue
		}
		from := int64(-1)
		if of == day {
			from = end
		}
		s.found.Back, _ = time.Parse(time.DateOnly, of)
		if more, err := s.day(name, of, from); err != nil {
			return nil, fmt.Errorf("search journal: %w", err)
		} else if !more {
			return &s.found, nil
		}
	}
	s.found.Next = ""
	return &s.found, nil
}

// days returns the files of a journal, the oldest first.
func days(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir,
		"[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].jsonl"))
	if err == nil && len(files) == 0 {
		if _, err = os.Stat(dir); err == nil {
			err = ErrNone
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read journal %s: %w", dir, err)
	}
	slices.Sort(files)
	return files, nil
}

func dayOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }

// parseCursor parses a day, and the byte of its file before which a search continues; "": none.
func parseCursor(text string) (day string, end int64, err error) {
	if text == "" {
		return "", 0, nil
	}
	day, at, ok := strings.Cut(text, ":")
	end, err = strconv.ParseInt(at, 10, 64)
	if _, bad := time.Parse(time.DateOnly, day); !ok || err != nil || end < 0 || bad != nil {
		return "", 0, fmt.Errorf("%q: %w", text, ErrCursor)
	}
	return day, end, nil
}

// quoted returns a text in the form of lines.
func quoted(text string) []byte {
	line, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("journal: a string has no JSON: %v", err))
	}
	return line
}

// search is one search under way.
type search struct {
	Query
	ctx  context.Context
	text string // in lower case
	// parts are texts in every line that fits: most lines are skipped without parsing JSON.
	parts [][]byte
	found Found
}

// day searches a file backward from a byte; -1: from its end. It returns false if enough was found
// or read.
func (s *search) day(name, day string, end int64) (more bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close() // it is only read
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if end < 0 || end > size {
		end = size
	}
	var rest []byte // the beginning of the last block: the end of a line
	block := make([]byte, searchBlock)
	for end > 0 {
		if err := s.ctx.Err(); err != nil {
			return false, err
		}
		n := min(int64(searchBlock), end)
		if _, err := f.ReadAt(block[:n], end-n); err != nil {
			return false, err
		}
		s.found.Bytes += n
		end -= n
		rest = append(slices.Clone(block[:n]), rest...)
		for {
			at := bytes.LastIndexByte(rest[:max(len(rest)-1, 0)], '\n')
			if at < 0 && end > 0 {
				break // the line begins in an earlier block
			}
			s.line(rest[at+1:])
			rest = rest[:at+1]
			place := end + int64(len(rest))
			s.found.Next = fmt.Sprintf("%s:%d", day, place)
			if len(s.found.Entries) == s.Limit {
				return false, nil
			}
			if at < 0 {
				break
			}
		}
		if len(rest) > maxLineBytes {
			rest = rest[:0] // no line of the journal
			s.found.Torn++
		}
		if s.found.Bytes >= s.MostBytes && (end > 0 || len(rest) > 0) {
			return false, nil
		}
	}
	return s.found.Bytes < s.MostBytes, nil
}

// line adds a line if it fits.
func (s *search) line(line []byte) {
	line = bytes.TrimRight(line, "\n")
	if len(line) == 0 {
		return
	}
	for _, part := range s.parts {
		if !bytes.Contains(line, part) {
			return
		}
	}
	var e Entry
	if json.Unmarshal(line, &e) != nil || e.URL == "" || e.Time.IsZero() {
		s.found.Torn++
		return
	}
	if s.fits(&e) {
		s.found.Entries = append(s.found.Entries, e)
	}
}

func (s *search) fits(e *Entry) bool {
	switch {
	case s.URL != "" && e.URL != s.URL, s.Verdict != "" && e.Verdict != s.Verdict,
		s.Outcome != "" && e.Outcome != s.Outcome,
		!s.From.IsZero() && e.Time.Before(s.From), !s.Until.IsZero() && !e.Time.Before(s.Until),
		s.Server != "" && serverOf(e.URL) != s.Server:
		return false
	}
	if s.text == "" {
		return true
	}
	for _, in := range []string{e.URL, e.Reason, e.Detail} {
		if strings.Contains(strings.ToLower(in), s.text) {
			return true
		}
	}
	return false
}

// serverOf returns the authority of a canonical address.
func serverOf(url string) string {
	_, rest, _ := strings.Cut(url, "//")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return rest[:i]
	}
	return rest
}
