package archive

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/satstore/directory"
)

// Removed is the result of Remove.
type Removed struct {
	Records int   `json:"records"`
	Others  int   `json:"others"` // revisits of other URLs among Records
	Files   int   `json:"files"`  // rewritten files
	Octets  int64 `json:"octets"` // octets of the records, as stored
}

// Remove removes all records of some URLs from the archive of a directory, which nobody else may
// have open. It also removes revisits of other URLs with the bodies of these records. Empty records
// of the same length replace them, so that all others keep their offsets. A file is replaced as a
// whole. The index is rebuilt when the archive is opened.
func Remove(dir string, of func(url string) bool) (r *Removed, err error) {
	lock, err := directory.Lock(vfs.Default, dir)
	if err != nil {
		return nil, fmt.Errorf("remove from archive %s: %w", dir, err)
	}
	defer lock.Close()
	r = new(Removed)
	names, err := warcFiles(dir)
	for _, name := range names {
		if err == nil {
			err = r.from(filepath.Join(dir, name), of)
		}
	}
	if err == nil && r.Records > 0 {
		err = newIndex(dir).clear()
	}
	if err != nil {
		return nil, fmt.Errorf("remove from archive %s: %w", dir, err)
	}
	return r, nil
}

// stretch is the place of a record in its file.
type stretch struct {
	from, length int64
	other        bool // of a URL that is not removed
}

// from removes records from a file.
func (r *Removed) from(path string, of func(url string) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := recordsOf(f, of)
	if err != nil || len(found) == 0 {
		return err
	}
	make := warc.Filler
	if !strings.HasSuffix(path, ".gz") {
		make = warc.PlainFiller
	}
	temp := path + ".under-way"
	out, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // does nothing after the rename
	at := int64(0)
	for _, s := range found {
		filler, bad := make(int(s.length))
		if bad != nil {
			return errors.Join(fmt.Errorf("record at octet %d of %s: %w", s.from, path, bad),
				out.Close())
		}
		if _, err = io.Copy(out, io.NewSectionReader(f, at, s.from-at)); err == nil {
			_, err = out.Write(filler)
		}
		if err != nil {
			return errors.Join(err, out.Close())
		}
		at = s.from + s.length
		r.Records++
		if s.other {
			r.Others++
		}
		r.Octets += s.length
	}
	if _, err = io.Copy(out, io.NewSectionReader(f, at, math.MaxInt64-at)); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	r.Files++
	return directory.Sync(vfs.Default, filepath.Dir(path))
}

// recordsOf finds the records of some URLs. After damage it continues with the next record.
func recordsOf(f *os.File, of func(url string) bool) (found []stretch, err error) {
	for from := int64(0); from >= 0; {
		in := warc.NewReader(io.NewSectionReader(f, from, math.MaxInt64-from), from)
		for {
			rec, err := in.Next()
			if err == nil {
				_, err = in.Verify(rec)
			}
			var bad *warc.DamageError
			if err == io.EOF {
				return found, nil
			}
			if errors.As(err, &bad) {
				if from, err = RecordBehind(f, bad.Offset); err != nil {
					return nil, err
				}
				break
			}
			if err != nil {
				return nil, err
			}
			refers := strings.Trim(rec.Get(warc.RefersURIField), "<>")
			other := rec.URI() == "" || !of(rec.URI())
			if other && (refers == "" || !of(refers)) {
				continue
			}
			if rec.Stored == 0 || rec.Within > 0 {
				return nil, fmt.Errorf("the record of %s shares its gzip member with others, and "+
					"cannot be removed alone", rec.URI())
			}
			found = append(found, stretch{rec.Offset, rec.Stored, other})
		}
	}
	return found, nil
}
