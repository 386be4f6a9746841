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

// logName is the file of what waits, in the directory of the archive.
const logName = "requisites.jsonl"

// line is one of the log. Each field says something by itself.
type line struct {
	Wait   *item      `json:"wait,omitempty"` // is to be asked for
	Done   string     `json:"done,omitempty"` // an address that waits no more
	Used   []window   `json:"used,omitempty"` // of the budget
	Credit *float64   `json:"credit,omitempty"`
	Asking *time.Time `json:"asking,omitempty"`
	Unkept *unkept    `json:"unkept,omitempty"`
}

// item is what waits to be asked for.
type item struct {
	URL   string `json:"url"`
	Via   string `json:"via"`             // the page or style sheet that shows it
	Depth int    `json:"depth,omitempty"` // style sheets and redirects on the way from the page
	tries int
}

// log is the file of what waits. Its methods are called by one goroutine at a time.
type log struct {
	dir   string
	f     *os.File
	size  int64 // octets of the file
	whole int64 // of these when it was written anew
}

// leastLog is how much is appended, in octets, before the log is written anew.
const leastLog = 1 << 20

// readLog hands out the lines of the log of a directory. What makes no sense is passed over: a
// crash may have torn the last line.
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

// Pending returns how many requisites of the archive in a directory wait to be asked for, and of
// how many nothing is kept though they were.
func Pending(dir string) (waiting, nothing int, err error) {
	k := Keeper{waiting: map[string]*item{}, unkept: map[string]*unkept{}}
	err = readLog(dir, func(l line) { k.replayLine(l) })
	return len(k.waiting), len(k.unkept), err
}

// Forget takes some addresses, and what pages at them show, out of the log of the archive in a
// directory, which nobody may have open.
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

// renew writes the log as a whole, in place of what there is.
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

// append adds lines, on disk.
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

// isPast reports whether most of the log is.
func (l *log) isPast() bool { return l.size-l.whole > max(leastLog, 2*l.whole) }
