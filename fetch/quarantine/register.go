package quarantine

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// slotBytes holds the longest URL, and is written in one piece: it is a page of memory.
	slotBytes = 4096

	// maxSuspects limits the suspects that are remembered. A process that dies leaves as many as it
	// had visits in flight, usually 64.
	maxSuspects = 4096
)

// Register remembers in a file which pages are in flight, and which were when a process died.
type Register struct {
	mu       sync.Mutex
	file     *os.File
	slots    int64            // in the file
	free     []int64          // free slots
	suspects map[string]int64 // URL -> its slot
}

// Open reads the register, or makes one. No other process may have it open.
func Open(path string) (*Register, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the register of visits under way: %w", err)
	}
	r := &Register{file: file, suspects: map[string]int64{}}
	if err := r.load(); err != nil {
		file.Close()
		return nil, fmt.Errorf("read the register of visits under way %s: %w", path, err)
	}
	return r, nil
}

// load makes pages that were in flight suspects, frees all other slots, and makes that durable.
func (r *Register) load() error {
	size, err := r.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	r.slots = min((size+slotBytes-1)/slotBytes, 2*maxSuspects)
	slot := make([]byte, slotBytes)
	last := int64(0) // slots up to the last suspect
	for i := range r.slots {
		n, err := r.file.ReadAt(slot, i*slotBytes)
		if err != nil && err != io.EOF {
			return err
		}
		url := addressIn(slot[:n])
		if _, twice := r.suspects[url]; url == "" || twice || len(r.suspects) == maxSuspects {
			r.release(i)
			continue
		}
		r.suspects[url] = i
		last = i + 1
	}
	for len(r.free) > 0 && r.free[len(r.free)-1] >= last {
		r.free = r.free[:len(r.free)-1]
	}
	r.slots = last
	if err := r.file.Truncate(last * slotBytes); err != nil || last == 0 {
		return err
	}
	return r.file.Sync()
}

// addressIn returns the URL in a slot, or "".
func addressIn(slot []byte) string {
	if len(slot) < 2 {
		return ""
	}
	n := int(binary.BigEndian.Uint16(slot))
	if n == 0 || n > len(slot)-2 {
		return ""
	}
	url := string(slot[2 : 2+n])
	if canonical, err := sitegraph.Canonical(url); err != nil || canonical != url {
		return ""
	}
	return url
}

// Begin notes that a visit to the page at url begins. The caller must call ended when the visit
// ends. It ignores write errors: a crawl with a full disk is ended by its store.
func (r *Register) Begin(url string) (ended func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, suspect := r.suspects[url]; suspect || len(url) > slotBytes-2 {
		return func() {}
	}
	slot := r.slots
	if n := len(r.free); n > 0 {
		slot, r.free = r.free[n-1], r.free[:n-1]
	} else {
		r.slots++
	}
	r.file.WriteAt(append(binary.BigEndian.AppendUint16(nil, uint16(len(url))), url...),
		slot*slotBytes)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.release(slot)
	}
}

func (r *Register) release(slot int64) {
	r.file.WriteAt([]byte{0, 0}, slot*slotBytes)
	r.free = append(r.free, slot)
}

// Suspects returns the number of suspects.
func (r *Register) Suspects() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.suspects)
}

func (r *Register) isSuspect(url string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.suspects[url]
	return ok
}

// acquit ends the suspicion of a page.
func (r *Register) acquit(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slot, ok := r.suspects[url]; ok {
		delete(r.suspects, url)
		r.release(slot)
	}
}

// Close closes the register. Visits that have not ended are suspects for the next process.
func (r *Register) Close() error { return r.file.Close() }
