package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// readChunk is the size of a read: from 64 KiB on a disk reads at full speed.
	readChunk = 512 << 10
	// readGap is the largest gap between two blocks that one read covers.
	readGap = runAlign
	// readAhead is how many chunks are read before they are needed, by readWorkers goroutines.
	readAhead   = 4
	readWorkers = 2
)

// readPart is a block in a chunk, with everything needed to check it elsewhere.
type readPart struct {
	h   uint32
	b   block
	key slotKey
	ok  bool // the block is the one that was written
	// frames of the block; if it is damaged, those that salvage found, without bad ones
	frames []byte
	bad    []uint16
	err    error // of a read without its bytes
}

// readJob is a chunk: adjacent blocks.
type readJob struct {
	f     *runFile
	off   int64
	n     int
	buf   []byte
	parts []readPart
	err   error // that costs no records
	done  chan struct{}
}

// plan orders blocks by their places and makes chunks of them. It leaves out blocks without live
// records.
func (s *Store) plan(handles []uint32) []*readJob {
	list := make([]uint32, 0, len(handles))
	for _, h := range handles {
		if b := &s.blocks[h]; b.file != inNone && b.live > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(x, y uint32) int {
		a, b := &s.blocks[x], &s.blocks[y]
		return cmp.Or(
			cmp.Compare(s.files.all[a.file].number, s.files.all[b.file].number),
			cmp.Compare(a.off, b.off),
		)
	})
	var jobs []*readJob
	parts := make([]readPart, 0, len(list))
	for _, h := range list {
		b := s.blocks[h]
		f := s.files.all[b.file]
		parts = append(parts, readPart{h: h, b: b, key: s.slots.byID[b.slot].slotKey})
		end := b.off + int64(b.size)
		if n := len(jobs); n > 0 {
			j := jobs[n-1]
			if j.f == f && b.off <= j.off+int64(j.n)+readGap && end-j.off <= readChunk {
				j.n = int(end - j.off)
				j.parts = parts[len(parts)-len(j.parts)-1:]
				continue
			}
		}
		jobs = append(
			jobs,
			&readJob{
				f:     f,
				off:   b.off,
				n:     int(b.size),
				parts: parts[len(parts)-1:],
				done:  make(chan struct{}),
			},
		)
	}
	return jobs
}

// read fills the chunk and checks its blocks.
func (j *readJob) read(t *files, seed uint32) {
	if err := t.read(j.f, j.buf, j.off); err != nil {
		if !gone(err) && !unreadable(err) {
			j.err = err
			return
		}
		for i := range j.parts { // some of the blocks may be readable
			p := &j.parts[i]
			if p.err = t.readBlock(j.f, j.bytes(p), p.b.off); p.err != nil && !gone(p.err) {
				j.err = p.err
				return
			}
		}
	}
	for i := range j.parts {
		p := &j.parts[i]
		p.frames, p.bad, p.ok = blockIn(j.bytes(p), seed, &p.b, p.key, j.f.number)
	}
}

func (j *readJob) bytes(p *readPart) []byte {
	at := p.b.off - j.off
	return j.buf[at : at+int64(p.b.size)]
}

// prefetchBytes bounds the blocks that the system is asked to read in advance. It then reads with a
// deeper queue than the workers, but must not evict other data.
const prefetchBytes = 16 << 20

// prefetch asks the system to read the blocks.
func (s *Store) prefetch(jobs []*readJob) {
	total := 0
	for _, j := range jobs {
		if total += j.n; total > prefetchBytes {
			return
		}
		file, err := s.files.acquire(j.f)
		if err != nil {
			return // the read itself reports errors
		}
		_ = file.Prefetch(j.off, int64(j.n))
		s.files.release(j.f)
	}
}

// readers read chunks before they are needed.
type readers struct {
	work chan *readJob
	quit atomic.Bool
	wg   sync.WaitGroup
}

func (s *Store) startReaders() *readers {
	r := &readers{work: make(chan *readJob, readAhead)}
	for range readWorkers {
		r.wg.Go(func() {
			for j := range r.work {
				if !r.quit.Load() {
					j.read(&s.files, s.seed)
				}
				close(j.done)
			}
		})
	}
	return r
}

// stop returns when all goroutines have ended.
func (r *readers) stop() {
	r.quit.Store(true)
	close(r.work)
	r.wg.Wait()
}

// eachBlock calls f with the frames of each block with live records, in storage order. Damaged
// records are lost: it removes them from the index, and notes them.
func (s *Store) eachBlock(handles []uint32, f func(h uint32, frames []byte) error) error {
	jobs := s.plan(handles)
	if len(jobs) == 0 {
		return nil
	}
	one := func(j *readJob) error {
		err := s.useChunk(j, f)
		s.readBufs = append(s.readBufs, j.buf)
		return err
	}
	if len(jobs) == 1 {
		j := jobs[0]
		j.buf = s.readBuf(j.n)
		j.read(&s.files, s.seed)
		return one(j)
	}
	r := s.startReaders()
	defer r.stop()
	s.prefetch(jobs)
	sent := 0
	for i, j := range jobs {
		for sent < len(jobs) && sent < i+readAhead {
			jobs[sent].buf = s.readBuf(jobs[sent].n)
			r.work <- jobs[sent]
			sent++
		}
		<-j.done
		if err := one(j); err != nil {
			return err
		}
	}
	return nil
}

// readBuf returns memory for a chunk, reused if possible.
func (s *Store) readBuf(n int) []byte {
	if k := len(s.readBufs); k > 0 && n <= readChunk {
		b := s.readBufs[k-1]
		s.readBufs = s.readBufs[:k-1]
		return b[:n]
	}
	return make([]byte, n, max(n, readChunk))
}

func (s *Store) useChunk(j *readJob, f func(h uint32, frames []byte) error) error {
	if j.err != nil {
		return j.err
	}
	for i := range j.parts {
		p := &j.parts[i]
		if s.blocks[p.h].live == 0 {
			continue
		}
		if !p.ok {
			s.lose(p.h, p.bad, "block", p.err)
		}
		if p.frames == nil {
			continue
		}
		if err := f(p.h, p.frames); err != nil {
			return err
		}
	}
	return nil
}
