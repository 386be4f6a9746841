package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// usage is what the process has used up to a moment.
type usage struct {
	at            time.Time
	cpu           time.Duration // of all threads, user and system
	own           time.Duration // of the calling thread
	read, written int64         // bytes at the device; see device
}

// cost is what something took.
type cost struct {
	wall, cpu     time.Duration
	read, written int64
}

func (c *cost) add(from, to usage) {
	c.wall += to.at.Sub(from.at)
	c.cpu += to.cpu - from.cpu
	c.read += to.read - from.read
	c.written += to.written - from.written
}

func (c cost) spent() Spent {
	return Spent{Seconds: c.wall.Seconds(), CPU: c.cpu.Seconds(), Read: c.read, Written: c.written}
}

// memory is what is resident of the process, in bytes.
type memory struct {
	current, peak int64 // the most since resetPeak
	anonymous     int64 // without pages of files
}

func now() usage {
	u := usage{cpu: processTime(), own: threadTime()}
	u.read, u.written = device()
	u.at = time.Now()
	return u
}

// unknownShare stands for a share that this system does not tell.
const unknownShare = -1

// occupied counts the files below a directory and the bytes they take on disk.
func occupied(dir string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		files++
		bytes += allocated(info)
		return nil
	})
	return files, bytes, err
}

// ignoreGone passes over files that an engine's own goroutines removed meanwhile.
func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
