package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// endings are the extensions of WARC files and of their predecessor, ARC.
var endings = []string{".warc.gz", ".warc", ".arc.gz", ".arc"}

// warcFiles returns the names of the WARC files of a directory, in order.
func warcFiles(dir string) (names []string, err error) { return namesIn(dir, endings) }

func namesIn(dir string, endings []string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && slices.ContainsFunc(endings, func(ending string) bool {
			return strings.HasSuffix(name, ending)
		}) {
			names = append(names, name)
		}
	}
	return names, nil // ReadDir sorts
}

// recover makes index and files agree, and prepares the last file for more records.
func (a *Archive) recover() error {
	names, err := warcFiles(a.dir)
	if err != nil {
		return err
	}
	index, err := openIndex(a.dir)
	anew := err != nil
	if anew {
		if !errors.Is(err, errState) {
			return err
		}
		a.notes = append(a.notes, fmt.Sprintf("%v; it is made anew from the WARC files", err))
		index = newIndex(a.dir)
	} else if why := index.disagrees(a.dir, names); why != "" {
		anew = true
		a.notes = append(a.notes, why+"; the index is made anew from the WARC files")
	}
	a.index = index
	if anew {
		if err := index.clear(); err != nil {
			return err
		}
	}
	for i, name := range names {
		if serial, ok := serialOf(name); ok {
			a.serial = max(a.serial, serial+1)
		}
		if err := a.catchUp(name, i == len(names)-1); err != nil {
			return err
		}
	}
	if index.count >= mostRecent || anew {
		return index.flush()
	}
	return nil
}

// serialOf returns the number in a name of this program.
func serialOf(name string) (serial int, ok bool) {
	rest, ours := strings.CutPrefix(name, "recrawl-")
	rest, zip := strings.CutSuffix(rest, ".warc.gz")
	stamp, number, _ := strings.Cut(rest, "-")
	if !ours || !zip || len(stamp) != 14 {
		return 0, false
	}
	serial, err := strconv.Atoi(number)
	return serial, err == nil && serial >= 0
}

// disagrees returns why an index does not belong to these files, or "". It may lack their ends.
func (x *index) disagrees(dir string, names []string) string {
	for name, covered := range x.covered {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("%s is missing, and the index has it", name)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() < covered {
			return fmt.Sprintf("%s has %d octets, and the index has %d",
				name, info.Size(), covered)
		}
	}
	return ""
}

// catchUp adds the uncovered part of a file to the index. If the last file was written by this
// program, catchUp cuts it after its last whole record, to continue it.
func (a *Archive) catchUp(name string, last bool) error {
	path := filepath.Join(a.dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	_, ours := serialOf(name)
	end := a.index.covered[name]
	damaged := false
	if end < info.Size() {
		var damage []*warc.DamageError
		from := end
		end, damage, err = scan(path, from, func(c *Capture, end int64) error {
			a.index.add([]*Capture{c}, name, end)
			if a.index.count >= mostRecent {
				return a.index.flush()
			}
			return nil
		})
		if err != nil {
			return err
		}
		a.index.covered[name] = end
		for _, d := range damage {
			damaged = damaged || d.Offset < end
			if !last || !ours || d.Offset < end {
				a.notes = append(a.notes, fmt.Sprintf("%s: %v; the file stays as it is", name, d))
			}
		}
		switch {
		case !last:
			a.index.covered[name] = info.Size() // it does not change any more
		case damaged:
			a.index.covered[name] = damage[0].Offset // the next Open reads it again
		case ours && len(damage) > 0 && end > 0:
			a.notes = append(a.notes,
				fmt.Sprintf("%s: %d octets of an incomplete record were cut off at octet %d",
					name, info.Size()-end, end))
			if err := os.Truncate(path, end); err != nil {
				return err
			}
		}
	}
	switch {
	case !last || !ours || damaged || end >= a.o.MaxFile:
		return nil // the next record starts a file
	case end == 0: // a crash came before its first record was complete
		delete(a.index.covered, name)
		return os.Remove(path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	a.f, a.name, a.end, a.synced = f, name, end, end
	return f.Sync() // the rest after a crash may not be on disk
}

// scan reads a file from an octet on, and passes its captures to found. Each has the offset after
// its record, or after its gzip member if other records follow in it. It returns the offset after
// the last whole record, and the damage. Only the last damage can lie after that offset, and no
// readable record follows it.
func scan(path string, from int64, found func(c *Capture, end int64) error) (
	end int64, damage []*warc.DamageError, err error,
) {
	f, err := os.Open(path)
	if err != nil {
		return from, nil, err
	}
	defer f.Close()
	for end = from; ; {
		var bad *warc.DamageError
		end, err = scanFrom(f, from, end, filepath.Base(path), found)
		switch {
		case err == io.EOF:
			return end, damage, nil
		case !errors.As(err, &bad):
			return end, damage, fmt.Errorf("read %s: %w", path, err)
		}
		if len(damage) < mostDamage {
			damage = append(damage, bad)
		}
		if from, err = RecordBehind(f, bad.Offset); err != nil || from < 0 {
			return end, damage, err
		}
	}
}

// mostDamage limits the damage that is reported of one file.
const mostDamage = 100

// scanFrom reads records until io.EOF or another error.
func scanFrom(f *os.File, from, end int64, name string,
	found func(c *Capture, end int64) error) (int64, error) {
	r := warc.NewReader(io.NewSectionReader(f, from, math.MaxInt64-from), from)
	for {
		rec, err := r.Next()
		if err != nil {
			return end, err
		}
		seen, err := r.Verify(rec)
		if err != nil {
			return end, err
		}
		if rec.Stored > 0 {
			end = rec.Offset + rec.Stored
		}
		if c := captureOf(rec, &seen, name); c != nil {
			if err := found(c, end); err != nil {
				return end, err
			}
		}
	}
}

// captureOf returns the index line of a record, or nil if it has none.
func captureOf(rec *warc.Record, seen *warc.Seen, file string) *Capture {
	kind := rec.Type()
	if kind != warc.Response && kind != warc.Revisit && kind != warc.Resource || rec.URI() == "" {
		return nil
	}
	at, err := rec.Date()
	if err != nil {
		return nil // no URL to find it by
	}
	c := &Capture{Key: SURT(rec.URI()), Time: at, URL: rec.URI(),
		Date:   rec.Get(warc.DateField),
		Offset: rec.Offset, Within: rec.Within, Length: rec.Stored, Filename: file,
		Truncated: rec.Get(warc.TruncatedField),
		Digest:    rec.Get(warc.PayloadDigestField), MIME: mediaType(seen.Type),
		Chunked: seen.Chunked}
	if rec.Within > 0 {
		c.Length = 0 // Stored is the length of the member
	}
	if seen.Status > 0 {
		c.Status = strconv.Itoa(seen.Status)
	}
	switch kind {
	case warc.Revisit:
		c.Type, c.MIME = c.MIME, Revisit
		c.RefersURI = strings.Trim(rec.Get(warc.RefersURIField), "<>")
		c.RefersDate = rec.Get(warc.RefersDateField)
	case warc.Resource:
		c.MIME = mediaType(rec.Get(warc.ContentField))
	}
	if c.Digest == "" && kind != warc.Revisit {
		c.Digest = seen.Sum
	}
	return c
}

// memberMark begins a gzip member (RFC 1952, 2.3.1), and so every record of this program.
var memberMark = []byte{0x1f, 0x8b, 8}

// RecordBehind returns the offset of the first record after an octet that is a gzip member of its
// own, or -1.
func RecordBehind(f io.ReaderAt, offset int64) (int64, error) {
	buffer := make([]byte, 1<<20)
	for at := offset + 1; ; {
		n, err := f.ReadAt(buffer, at)
		for i := 0; i < n; i++ {
			next := bytes.Index(buffer[i:n], memberMark)
			if next < 0 {
				break
			}
			i += next
			here := at + int64(i)
			if _, err := warc.NewReader(io.NewSectionReader(f, here, math.MaxInt64-here),
				here).Next(); err == nil {
				return here, nil
			}
		}
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		at += int64(n - len(memberMark) + 1) // a mark may lie on the edge
	}
}

// Names returns the paths of the WARC files of a directory, by name, including those that a Reader
// cannot read at an offset.
func Names(dir string) (paths []string, err error) {
	names, err := namesIn(dir, append([]string{".warc.zst"}, endings...))
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, err
}
