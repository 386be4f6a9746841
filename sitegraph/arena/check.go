package arena

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Each byte of an image is checked. For a large image that takes seconds, and goes on while the
// image is in use: nothing that depends on it may outlive the process before Checked reports
// success. Its head, which has the places of all parts, is checked first. Until the check ends, a
// wrong number in a column can only end the process. A mark beside the image shows that it is in
// use and not checked yet; a process that finds the mark checks all before anything else.

// CheckedFirst is the size up to which an image is checked before its use: a tenth of a second of
// work. Tests set less.
var CheckedFirst int64 = 256 << 20

// DamagedError reports damage of an image that was already in use. The next process finds no image.
type DamagedError struct{ Err error }

// Hint says what to do.
func (e *DamagedError) Hint() string {
	return "start it again: all records are read then, and none is lost"
}

// ExitCode returns the exit code of failures.
func (e *DamagedError) ExitCode() int { return words.ExitFailed }

func (e *DamagedError) Error() string {
	return e.Err.Error() + "; nothing was kept that came of it"
}

func (e *DamagedError) Unwrap() error { return e.Err }

// checking is the check of an image in use.
type checking struct {
	checks *checks
	done   chan struct{}
	err    error // set when it is done
}

// Checked waits until the image of the File is checked completely. It returns a *DamagedError if
// the image is damaged.
func (f *File) Checked() error {
	if f == nil || f.checking == nil {
		return nil
	}
	select {
	case <-f.checking.done:
	default:
		f.checking.checks.work() // the waiting goroutine helps
		<-f.checking.done
	}
	return f.checking.err
}

// checkNow checks the files of an image before its use.
func (i *Image) checkNow(c *checks) error {
	err := c.run(runtime.GOMAXPROCS(0))
	if err == nil {
		_ = os.Remove(i.mark()) // it stays if the directory cannot be written, which costs time
	}
	return err
}

// checkLater starts to check the files of an image in use.
func (i *Image) checkLater(c *checks) {
	late, dir, mark := &checking{checks: c, done: make(chan struct{})}, i.dir, i.mark()
	i.File.checking = late
	go func() {
		defer close(late.done)
		switch err := c.run(1); { // other processors are for the users of the image
		case errors.Is(err, errStopped):
			late.err = err
		case err != nil:
			late.err = &DamagedError{errors.Join(err,
				os.Remove(filepath.Join(dir, imageName)), syncDirectory(dir))}
		default:
			_ = os.Remove(mark)
		}
	}()
}

// stop ends a check that is no longer needed.
func (c *checking) stop() {
	if c != nil {
		c.checks.fail(errStopped)
		<-c.done
	}
}

// mark returns the name of the file that marks an image in use that is not checked.
func (i *Image) mark() string { return imageOf(i.dir, &i.m) + "-unchecked" }

// setMark sets the mark. It reports whether the mark was new.
func (i *Image) setMark() bool {
	f, err := os.OpenFile(i.mark(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return err == nil && f.Close() == nil
}

// checks compare checksums, several at once.
type checks struct {
	all     []check
	files   []*os.File // to close at the end
	bytes   int64
	next    atomic.Int64
	pending sync.WaitGroup // one for each of all
	failed  atomic.Bool
	mu      sync.Mutex
	err     error // the first error; the other checks are left out then
}

type check struct {
	file  *os.File
	free  freePieces
	bytes []byte // if there is no file
	at    int64
	n     int
	sum   uint32
}

var errStopped = errors.New("the check was stopped")

// add checks a file.
func (c *checks) add(name string, of *imageFile, free freePieces) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	c.files = append(c.files, file)
	return c.addAll(check{file: file, free: free}, of.Bytes, of.Sums)
}

// addBytes checks bytes in memory.
func (c *checks) addBytes(b []byte, sums []uint32) error {
	return c.addAll(check{bytes: b}, int64(len(b)), sums)
}

func (c *checks) addAll(each check, bytes int64, sums []uint32) error {
	if int64(len(sums)) != (bytes+imageStep-1)/imageStep {
		return errImage("its head is damaged")
	}
	c.bytes += bytes
	c.pending.Add(len(sums))
	for k, sum := range sums {
		each.at = int64(k) * imageStep
		each.n, each.sum = int(min(imageStep, bytes-each.at)), sum
		c.all = append(c.all, each)
	}
	return nil
}

// run does all checks, in some goroutines and in those that call work.
func (c *checks) run(goroutines int) error {
	for range goroutines {
		go c.work()
	}
	c.pending.Wait()
	c.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// work does checks that no other goroutine does.
func (c *checks) work() {
	buffer := make([]byte, checkStep)
	for n := c.next.Add(1) - 1; n < int64(len(c.all)); n = c.next.Add(1) - 1 {
		if !c.failed.Load() {
			if err := c.all[n].check(buffer); err != nil {
				c.fail(err)
			}
		}
		c.pending.Done()
	}
}

func (c *checks) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.failed.Store(true)
}

func (c *checks) close() {
	for _, f := range c.files {
		f.Close() // it was only read
	}
	c.files = nil
}

func (c *check) check(buffer []byte) error {
	sum, name := uint32(0), imageName
	if c.file != nil {
		name = c.file.Name()
	} else {
		sum = crc32.Checksum(c.bytes[c.at:c.at+int64(c.n)], castagnoli)
	}
	for done := 0; c.file != nil && done < c.n; {
		b, at := buffer[:min(len(buffer), c.n-done)], c.at+int64(done)
		if _, err := c.file.ReadAt(b, at); err != nil {
			return errImage(err.Error())
		}
		c.free.blank(b, at)
		sum = crc32.Update(sum, castagnoli, b)
		done += len(b)
	}
	if sum != c.sum {
		return errImage(fmt.Sprintf("%s is damaged in the %d bytes from %d on", name, c.n, c.at))
	}
	return nil
}
