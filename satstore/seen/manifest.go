package seen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// formatVersion is the format that this program writes, and the newest that it reads.
const formatVersion = 1

// manifest is what the file FORMAT says: which runs there are, and nothing else counts. It is
// replaced as a whole; that is the commit point.
//
//	recrawl seen 1
//	key 0123456789abcdef 0123456789abcdef
//	mark 1200000 89abcdef01234567
//	next 9
//	run 7 1000000
//	crc32c 01234567
type manifest struct {
	key  Key
	mark Mark
	next uint64 // number of the next run
	runs []runName
}

// Mark says how many pages of the indexed store a set covers, with a check of the last one that
// distinguishes another store. The set keeps both and understands neither.
type Mark struct{ Count, Check uint64 }

// runName is a run in the manifest: for example the file run-000007 and its number of keys.
type runName struct{ number, keys uint64 }

func (m *manifest) text() []byte {
	b := fmt.Appendf(nil, "recrawl seen %d\nkey %016x %016x\nmark %d %016x\nnext %d\n",
		formatVersion, m.key[0], m.key[1], m.mark.Count, m.mark.Check, m.next)
	for _, r := range m.runs {
		b = fmt.Appendf(b, "run %d %d\n", r.number, r.keys)
	}
	return directory.Sealed(b)
}

// longestManifest bounds the manifest: a run takes about 25 bytes, and there are less than 80.
const longestManifest = 64 << 10

// readManifest reads FORMAT; os.ErrNotExist if there is none.
func readManifest(fs vfs.FS, dir string) (m manifest, err error) {
	path := fs.PathJoin(dir, directory.FormatName)
	f, err := fs.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestManifest))
	if err != nil {
		return m, fmt.Errorf("read %s: %w", path, err)
	}
	var version int
	if _, err := fmt.Sscanf(string(text), "recrawl seen %d\n", &version); err != nil {
		return m, &DamageError{Path: path, What: "not the manifest of a set", Cause: err}
	}
	if version > formatVersion {
		return m, &FormatError{path, version, formatVersion}
	}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var r runName
		switch word {
		case "key":
			_, err = fmt.Sscanf(rest, "%x %x", &m.key[0], &m.key[1])
		case "mark":
			_, err = fmt.Sscanf(rest, "%d %x", &m.mark.Count, &m.mark.Check)
		case "next":
			_, err = fmt.Sscanf(rest, "%d", &m.next)
		case "run":
			_, err = fmt.Sscanf(rest, "%d %d", &r.number, &r.keys)
			m.runs = append(m.runs, r)
		}
		if err != nil {
			break
		}
	}
	// The values must give the same text, checksum included.
	if err != nil || !bytes.Equal(text, m.text()) {
		return m, &DamageError{Path: path, What: "not the manifest that was written", Cause: err}
	}
	return m, nil
}

func (m *manifest) write(fs vfs.FS, dir string) error {
	return directory.WriteFormat(fs, dir, m.text())
}

const runPrefix = "run-"

func runPath(fs vfs.FS, dir string, number uint64) string {
	return fs.PathJoin(dir, fmt.Sprintf("%s%06d", runPrefix, number))
}

// removeOthers removes the runs that the manifest does not name.
func (m *manifest) removeOthers(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, r := range m.runs {
		named[fs.PathBase(runPath(fs, dir, r.number))] = true
	}
	for _, name := range names {
		if strings.HasPrefix(name, runPrefix) && !named[name] {
			if err := fs.Remove(fs.PathJoin(dir, name)); err != nil &&
				!errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
