package engine

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// seekData and seekHole are whence values of lseek(2): the next start of data, and its end.
const seekData, seekHole = 3, 4

// skipper is a file that counts the holes that are not written to it.
type skipper interface{ Skip(octets int64) error }

// copySparse copies the data of a file on disk through fs, and keeps the holes of the file. If the
// system does not report holes, it copies nothing and returns false.
func copySparse(fs vfs.FS, from, to string) (copied bool, err error) {
	in, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer in.Close()
	stat, err := in.Stat()
	if err != nil {
		return false, err
	}
	if _, err := in.Seek(0, seekHole); errors.Is(err, syscall.EINVAL) {
		return false, nil
	}
	out, err := fs.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return false, err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err == nil {
			err = os.Truncate(to, stat.Size()) // the file may end in a hole
		}
	}()
	for at := int64(0); at < stat.Size(); {
		begin, err := in.Seek(at, seekData)
		isHole := errors.Is(err, syscall.ENXIO) // no data up to the end
		if isHole {
			begin, err = stat.Size(), nil
		}
		if s, ok := out.(skipper); ok && err == nil {
			err = s.Skip(begin - at)
		}
		if err != nil {
			return false, err
		}
		if isHole {
			break
		}
		end, err := in.Seek(begin, seekHole)
		if err != nil {
			return false, err
		}
		if _, err := in.Seek(begin, io.SeekStart); err != nil {
			return false, err
		}
		if _, err := io.CopyN(io.NewOffsetWriter(out, begin), in, end-begin); err != nil {
			return false, err
		}
		at = end
	}
	return true, nil
}
