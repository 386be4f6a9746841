package bench

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// usage is the use of the process up to a moment.
type usage struct {
	at            time.Time
	cpu           time.Duration // of all threads, user and system
	own           time.Duration // of the calling thread
	read, written int64         // bytes at the device; see device
	reads, writes int64         // requests; see requests
}

// cost is the use of a piece of work.
type cost struct {
	wall, cpu     time.Duration
	read, written int64
	reads, writes int64
}

func (c *cost) add(from, to usage) {
	c.wall += to.at.Sub(from.at)
	c.cpu += to.cpu - from.cpu
	c.read += to.read - from.read
	c.written += to.written - from.written
	c.reads += to.reads - from.reads
	c.writes += to.writes - from.writes
}

func (c cost) spent() Spent {
	return Spent{Seconds: c.wall.Seconds(), CPU: c.cpu.Seconds(), Read: c.read, Written: c.written}
}

// memory is the resident memory of the process, in bytes.
type memory struct {
	current, peak int64 // peak: since resetPeak
	anonymous     int64 // without pages of files
}

func now() usage {
	u := usage{cpu: processTime(), own: threadTime()}
	u.read, u.written = device()
	u.reads, u.writes = requests()
	u.at = time.Now()
	return u
}

// unknownShare is the value of an unknown share.
const unknownShare = -1

// occupied counts the files below a directory, and their bytes on disk.
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

// ignoreGone ignores files that an engine's goroutines removed meanwhile.
func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// pause measures the work of engines between the timed parts, in their own goroutines. It excludes
// the harness: CPU of its thread, and writes of Prepare.
type pause struct {
	all  cost
	from usage
	on   bool
}

// begin pins the harness to a thread, to separate its CPU time from the engine's.
func (p *pause) begin() {
	runtime.LockOSThread()
	p.from, p.on = now(), true
}

// end may be called twice. It does not take wall time, which is the harness's between units.
func (p *pause) end() {
	if !p.on {
		return
	}
	to := now()
	runtime.UnlockOSThread()
	p.on = false
	p.all.cpu += max(to.cpu-p.from.cpu-(to.own-p.from.own), 0)
	p.all.written += to.written - p.from.written
	p.all.read += to.read - p.from.read
}

// A process is idle if, in each of idleLooks looks, it used less than a tenth of a core and wrote
// nothing.
const (
	idleLook  = 20 * time.Millisecond
	idleLooks = 3
	// idlePatience limits the wait for an engine that is never idle.
	idlePatience = time.Minute
)

// waitIdle waits until an engine has completed deferred work, and everything is written.
func waitIdle(ctx context.Context, e Engine, dir string) (c cost, err error) {
	from := now()
	if s, ok := e.(settler); ok {
		if err := s.Settle(ctx); err != nil {
			return c, err
		}
	}
	if err := syncFiles(dir); err != nil {
		return c, err
	}
	busy := now()
	for last, quiet := busy, 0; quiet < idleLooks && last.at.Sub(from.at) < idlePatience; {
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-time.After(idleLook):
		}
		look := now()
		if quiet++; look.cpu-last.cpu > idleLook/10 || look.written != last.written {
			quiet, busy = 0, look
		}
		last = look
	}
	c.add(from, busy)
	return c, nil
}
