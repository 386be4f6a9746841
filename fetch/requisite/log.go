package requisite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

// logName is the name of the log, in the directory of the archive.
const logName = "requisites.jsonl"

// line is a line of the log. Its fields are independent.
type line struct {
	Wait   *item      `json:"wait,omitempty"` // to be asked for
	Done   string     `json:"done,omitempty"` // a URL that no longer waits
	Used   []window   `json:"used,omitempty"` // use of the budget
	Credit *float64   `json:"credit,omitempty"`
	Asking *time.Time `json:"asking,omitempty"`
	Unkept *unkept    `json:"unkept,omitempty"`
}

// item is a waiting requisite.
type item struct {
	URL   string `json:"url"`
	Via   string `json:"via"`             // page or style sheet that shows it
	Depth int    `json:"depth,omitempty"` // style sheets and redirects between it and the page
	tries int
}

// log is the file of waiting items. One goroutine at a time calls its methods.
type log struct {
	dir   string
	f     *os.File
	size  int64 // octets of the file
	whole int64 // size when it was last rewritten
}

// leastLog is the least number of appended octets before the log is rewritten.
const leastLog = 1 << 20

// readLog yields the lines of the log of a directory. It skips invalid ones: a crash may have torn
// the last line.
func readLog(dir string, yield func(line)) error {
	text, err := os.ReadFile(filepath.Join(dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read which requisites wait: %w", err)
	}
	for raw := range bytes.Lines(text) {
		var l line
		if json.Unmarshal(raw, &l) == nil {
			yield(l)
		}
	}
	return nil
}

// Pending returns how many requisites of the archive in a directory wait, and how many are
// remembered as unkept.
func Pending(dir string) (waiting, nothing int, err error) {
	k := Keeper{waiting: map[string]*item{}, unkept: map[string]*unkept{}}
	err = readLog(dir, func(l line) { k.replayLine(l) })
	return len(k.waiting), len(k.unkept), err
}

// Forget removes some URLs, and the requisites of pages at them, from the log of the archive in a
// directory. Nobody else may have it open.
func Forget(dir string, of func(url string) bool) error {
	var lines []line
	read, left := false, map[string]bool{}
	err := readLog(dir, func(l line) {
		read = true
		switch {
		case l.Wait != nil && (of(l.Wait.URL) || of(l.Wait.Via)):
			left[l.Wait.URL] = true
			return
		case l.Done != "" && (of(l.Done) || left[l.Done]):
			return
		case l.Unkept != nil && of(l.Unkept.URL):
			return
		}
		lines = append(lines, l)
	})
	if err != nil || !read {
		return err
	}
	if err := directory.WritePath(dir, logName, encode(lines)); err != nil {
		return fmt.Errorf("write which requisites wait: %w", err)
	}
	return nil
}

func encode(lines []line) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range lines {
		_ = e.Encode(&lines[i]) // texts and numbers alone
	}
	return b.Bytes()
}

// renew replaces the log as a whole.
func (l *log) renew(lines []line) error {
	text := encode(lines)
	err := directory.WritePath(l.dir, logName, text)
	if err == nil && l.f != nil {
		err, l.f = l.f.Close(), nil
	}
	if err == nil {
		l.f, err = os.OpenFile(filepath.Join(l.dir, logName), os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return fmt.Errorf("write which requisites wait: %w", err)
	}
	l.size, l.whole = int64(len(text)), int64(len(text))
	return nil
}

// append adds durable lines.
func (l *log) append(lines []line) error {
	text := encode(lines)
	_, err := l.f.Write(text)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("write which requisites wait: %w", err)
	}
	l.size += int64(len(text))
	return nil
}

// isPast reports whether most of the log is out of date.
func (l *log) isPast() bool { return l.size-l.whole > max(leastLog, 2*l.whole) }
