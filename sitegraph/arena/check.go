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

// Each byte of an image is checked. That of a large one takes seconds, and so goes on while the
// image is in use already: nothing that came of it may outlive the process before Checked says that
// it is whole. Its head, which says where things lie, is checked first in any case. A wrong number
// in a column may end the process, but no more. So there is a mark beside an image that is in use
// and not checked yet: who finds it checks all before anything else.

// CheckedFirst is how many bytes an image has at most that is checked before it is used: a tenth of
// a second of work. Tests have less.
var CheckedFirst int64 = 256 << 20

// DamagedError is that of an image that was in use when the damage was found. The next process
// finds no image.
type DamagedError struct{ Err error }

// Hint says what to do.
func (e *DamagedError) Hint() string {
	return "start it again: all records are read then, and none is lost"
}

// ExitCode is that of failures.
func (e *DamagedError) ExitCode() int { return words.ExitFailed }

func (e *DamagedError) Error() string {
	return e.Err.Error() + "; nothing was kept that came of it"
}

func (e *DamagedError) Unwrap() error { return e.Err }

// checking is the check of an image in use.
type checking struct {
	checks *checks
	done   chan struct{}
	err    error // once it is done
}

// Checked waits until the image that the File goes on from is checked as a whole, and returns a
// *DamagedError if it is not as it was kept.
func (f *File) Checked() error {
	if f == nil || f.checking == nil {
		return nil
	}
	select {
	case <-f.checking.done:
	default:
		f.checking.checks.work() // who waits, helps
		<-f.checking.done
	}
	return f.checking.err
}

// checkNow checks the files of an image before it is used.
func (i *Image) checkNow(c *checks) error {
	err := c.run(runtime.GOMAXPROCS(0))
	if err == nil {
		_ = os.Remove(i.mark()) // it stays where the directory cannot be written, and costs time
	}
	return err
}

// checkLater begins to check the files of an image that is in use.
func (i *Image) checkLater(c *checks) {
	late, dir, mark := &checking{checks: c, done: make(chan struct{})}, i.dir, i.mark()
	i.File.checking = late
	go func() {
		defer close(late.done)
		switch err := c.run(1); { // the other processors are for those who wait for the image
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

// stop ends a check that nobody waits for any more.
func (c *checking) stop() {
	if c != nil {
		c.checks.fail(errStopped)
		<-c.done
	}
}

// mark is the name of a file that is there while the image is in use and not checked.
func (i *Image) mark() string { return imageOf(i.dir, &i.m) + "-unchecked" }

// setMark reports whether the mark is set, and was not there.
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
	err     error // of the first that failed; the others are left out then
}

type check struct {
	file  *os.File
	free  freePieces
	bytes []byte // where there is no file
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

// addBytes checks what is in memory.
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

// run does all, by so many goroutines and those that call work.
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

// work does what nobody else does.
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
