package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// maxLineBytes bounds a line: an entry holds two addresses and some digests.
const maxLineBytes = 1 << 20

// ErrNone says that a directory holds no journal.
var ErrNone = errors.New("no file of a day, as 2024-05-31.jsonl, is in it")

// Read hands all entries of a directory to yield, by day and in the order of the file. Lines that a
// crash has torn are left out and counted. It is ErrNone if there is no file of a day. Yield must
// not keep the entry. told is told now and then how many bytes are read, and its error ends that;
// nil: nobody is.
func Read(dir string, told func(what string, done, total int) error, yield func(*Entry)) (torn int, err error) {
	files, err := days(dir)
	if err != nil {
		return 0, err
	}
	r := &reading{told: told, yield: yield}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return 0, fmt.Errorf("read journal: %w", err)
		}
		r.total += int(info.Size())
	}
	for _, name := range files {
		n, err := r.day(name)
		if err != nil {
			return torn, fmt.Errorf("read journal: %w", err)
		}
		torn += n
	}
	return torn, nil
}

// reading is a journal that is read.
type reading struct {
	told               func(what string, done, total int) error
	yield              func(*Entry)
	done, since, total int // bytes
}

// toldBytes is how much is read until it is told again.
const toldBytes = 1 << 20

func (r *reading) add(n int) error {
	r.done += n
	if r.since += n; r.since < toldBytes || r.told == nil {
		return nil
	}
	r.since = 0
	return r.told("bytes of the journal", min(r.done, r.total), r.total)
}

func (r *reading) day(name string) (torn int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		if err := r.add(len(lines.Bytes()) + 1); err != nil {
			return torn, err
		}
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.URL == "" || e.Time.IsZero() {
			torn++
			continue
		}
		r.yield(&e)
	}
	if err := lines.Err(); err != nil {
		return torn, fmt.Errorf("%s: %w", name, err)
	}
	return torn, nil
}
