package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/progress"
)

// maxLineBytes bounds a line: an entry holds two addresses and some digests.
const maxLineBytes = 1 << 20

// ErrNone says that a directory holds no journal.
var ErrNone = errors.New("no file of a day, as 2024-05-31.jsonl, is in it")

// Read hands all entries of a directory to yield, by day and in the order of the file. Lines that a
// crash has torn are left out and counted. It is ErrNone if there is no file of a day. Yield must
// not keep the entry. report is called now and then with how many bytes are read, and its error
// ends that.
func Read(dir string, report progress.Func, yield func(*Entry)) (torn int, err error) {
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

func readDay(name string, bytes *progress.Counter, yield func(*Entry)) (torn int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		if err := bytes.Add(len(lines.Bytes()) + 1); err != nil {
			return torn, err
		}
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.URL == "" || e.Time.IsZero() {
			torn++
			continue
		}
		yield(&e)
	}
	if err := lines.Err(); err != nil {
		return torn, fmt.Errorf("%s: %w", name, err)
	}
	return torn, nil
}
