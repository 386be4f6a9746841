package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/recrawl/recrawl/satstore/directory"
)

// maxLineBytes bounds a line: an entry holds two addresses and some digests.
const maxLineBytes = 1 << 20

// ErrNone reports that a directory holds no journal.
var ErrNone = errors.New("it has no file of a day, such as 2024-05-31.jsonl")

// Read passes all entries of a directory to yield, by day and in the order of the file. It leaves
// out and counts lines that a crash has torn. It returns ErrNone if there is no file of a day.
// yield must not keep the entry. report receives the number of read bytes now and then, and its
// error ends Read.
func Read(dir string, report directory.Func, yield func(*Entry)) (torn int, err error) {
	files, err := days(dir)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return 0, fmt.Errorf("read journal: %w", err)
		}
		total += int(info.Size())
	}
	bytes := report.Count("bytes of the journal", reportBytes, total)
	for _, name := range files {
		n, err := readDay(name, bytes, yield)
		if err != nil {
			return torn, fmt.Errorf("read journal: %w", err)
		}
		torn += n
	}
	return torn, nil
}

// reportBytes is how much is read between two reports of progress.
const reportBytes = 1 << 20

func readDay(name string, bytes *directory.Counter, yield func(*Entry)) (torn int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, maxLineBytes)
	for long := false; ; {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull: // such as zeros after a power failure
			long = true
		case err == io.EOF && len(line) == 0 && !long:
			return torn, nil
		case err != nil && err != io.EOF:
			return torn, fmt.Errorf("%s: %w", name, err)
		}
		if err := bytes.Add(len(line)); err != nil {
			return torn, err
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		var e Entry
		if long || json.Unmarshal(line, &e) != nil || e.URL == "" || e.Time.IsZero() {
			torn++
		} else {
			yield(&e)
		}
		long = false
		if err == io.EOF {
			return torn, nil
		}
	}
}
