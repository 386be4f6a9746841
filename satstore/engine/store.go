package engine

import (
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Store is an open store. See the package comment for what its methods promise.
type Store struct {
	fs    vfs.FS
	dir   string
	o     Options
	locks []io.Closer
	seed  uint32 // CRC32C of the store's id
	id    [16]byte

	clock  int64 // all units up to it were handed out
	since  int64 // the clock when far slots were last written
	radix  *radix
	slots  *slots
	index  index
	blocks []block
	free   []uint32 // free handles
	pages  pages
	files  files
	log    logWriter

	writers     [classes]*runWriter
	roll        int64    // least length at which a file ends: rollBytes
	chunks      [][]byte // spare buffers of the writers
	serial      uint64   // of the last run
	sharing     bool     // a copy with links is being made: its run files are shared
	newNames    bool     // a file was made since the directory was synced
	indexNo     int64    // number of the index file
	runTotal    int64    // bytes of runs written since Open
	indexBytes, // its length
	indexTotal int64 // bytes of index files written since Open

	fresh    [classes]int64 // bytes of frames added since the last commit
	deleted  []uint32       // since the deletions last logged
	changed  bool
	dead     []extent // freed since space was last released
	outdated []string // paths of log and index, to be removed with the next released space

	slotWaits     waits     // messages of the last slot that was asked for
	visiting      *visiting // while Advance hands out records
	err           error     // of the write or sync that stopped the store
	closed        bool
	damage        damageList
	scratch       []byte // a block
	seqs          []uint32
	waits         []uint16
	sums          []byte
	readBufs      [][]byte
	written       int64    // bytes of bodies and messages put since Open
	attachedBytes int64    // bytes in the log since Open
	attached      [][]byte // payloads of the transaction
	looking       bool     // Each is running: nothing may change
	pending       *pendingCheckpoint
	reclaiming    *reclaimWork
	touched       uint16         // keeps the compiler from leaving out index.touch
	replay        bool           // recovery: the budget of pages is not enforced
	rebuilt       bool           // recovery: the index file was damaged and was rebuilt
	expected      int            // records that the rebuilt index should have
	unread        []*DamageError // blocks that rebuilding could not read
}

// usable returns the reason why a call cannot be served.
func (s *Store) usable() error {
	if s.closed {
		return ErrClosed
	}
	return s.err
}

func (s *Store) writable() error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	return nil
}

// fail keeps the first error of a change for all later calls.
func (s *Store) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("run store %s: %w", s.dir, err)
	}
	return s.err
}

// Clock returns the last unit that was handed out.
func (s *Store) Clock() int64 { return s.clock }

// Horizon returns T: a record is due between 1 and T units after the clock.
func (s *Store) Horizon() int64 { return s.radix.horizon() }

// Next returns the number after the highest that was ever put.
func (s *Store) Next() uint32 { return s.index.next }

// Len returns how many records there are.
func (s *Store) Len() int { return s.index.count }

// newBlock returns the handle of a new block.
func (s *Store) newBlock(b block) uint32 {
	if n := len(s.free); n > 0 {
		h := s.free[n-1]
		s.free = s.free[:n-1]
		s.blocks[h] = b
		return h
	}
	if n := len(s.blocks); n == cap(s.blocks) { // append would leave a fifth of it unused
		s.blocks = append(make([]block, 0, n+n/16+64), s.blocks...)
	}
	s.blocks = append(s.blocks, b)
	return uint32(len(s.blocks) - 1)
}

// point sets the index entry of a record to a frame. Its former frame becomes stale.
func (s *Store) point(seq, h uint32, ord int, waiting bool) {
	p := s.index.grow(seq)
	old := *p
	*p = makePlace(h, ord, waiting)
	s.index.next = max(s.index.next, seq+1)
	b := &s.blocks[h]
	b.live++
	s.slots.byID[b.slot].live++
	if old == nowhere {
		s.index.count++
		return
	}
	s.unpoint(old)
}

// remove removes a record from the index.
func (s *Store) remove(seq uint32) {
	p := s.index.own(seq)
	if p == nil || *p == nowhere {
		return
	}
	old := *p
	*p = nowhere
	s.index.count--
	s.unpoint(old)
}

func (s *Store) unpoint(old place) {
	h := old.block()
	b := &s.blocks[h]
	b.live--
	s.slots.byID[b.slot].live--
	switch {
	case b.file == inPage:
		s.kill(b, old.frame())
	case b.live > 0 || b.file == inHeld || b.file == inNone:
	case b.file == inLimbo:
		s.free = append(s.free, h)
	default:
		s.freed(h)
	}
}

// freed marks the bytes of a block on disk as free. The handle stays while its slot lists it.
func (s *Store) freed(h uint32) {
	b := &s.blocks[h]
	f := s.files.all[b.file]
	f.blocks--
	f.live -= int64(b.size)
	s.dead = append(s.dead, extent{f, b.off, int64(b.size)})
	b.file = inNone
}

// kill marks a frame of a page as dead. Otherwise, written together with its successor, recovery
// would take it for the newest version.
func (s *Store) kill(b *block, ord int) {
	buf := s.pages.all[b.off].buf
	w := framesOf(buf[blockHeader:], b.kind)
	var f frame
	for w.next(&f) {
		if w.ord == ord {
			buf[blockHeader+w.at] |= flagDead
			return
		}
	}
	panic(fmt.Sprintf("runs: no frame %d in a page of %d bytes", ord, len(buf)))
}

// add appends a frame to a slot and returns its place.
func (s *Store) add(sl *slot, kind int, f *frame) (h uint32, ord int, err error) {
	n := frameLen(kind, f.ahead, f.body)
	list := sl.pages[kind]
	if k := len(list); k > 0 {
		h = list[k-1]
	}
	if len(list) == 0 || !s.room(h, n) {
		if !s.pages.fits(n) && !s.replay {
			if err := s.flushAll(); err != nil {
				return 0, 0, err
			}
		}
		number := s.pages.allocate(n)
		h = s.newBlock(block{off: int64(number), file: inPage, slot: sl.id, kind: uint8(kind)})
		sl.pages[kind] = append(sl.pages[kind], h)
	}
	b := &s.blocks[h]
	pg := &s.pages.all[b.off]
	pg.buf = appendFrame(pg.buf, kind, f)
	ord = int(b.count)
	b.count++
	s.fresh[sl.class] += int64(n)
	s.changed = true
	return h, ord, nil
}

// room reports whether a frame of n bytes fits into a page.
func (s *Store) room(h uint32, n int) bool {
	buf := s.pages.all[s.blocks[h].off].buf
	return len(buf)+n <= cap(buf) && s.blocks[h].count < maxFrames-1
}

// put appends the newest version of a record.
func (s *Store) put(seq uint32, due int64, waiting bool, body []byte) error {
	sl := s.slots.of(due)
	return s.putIn(sl, &frame{flags: moreIf(waiting), seq: seq, ahead: due - sl.start, body: body})
}

func (s *Store) putIn(sl *slot, f *frame) error {
	h, ord, err := s.add(sl, kindRecords, f)
	if err != nil {
		return err
	}
	s.point(f.seq, h, ord, f.flags&flagMore != 0)
	return nil
}

func moreIf(yes bool) byte {
	if yes {
		return flagMore
	}
	return 0
}

// clamp returns the unit in which a record is kept.
func (s *Store) clamp(due int64) int64 {
	return min(max(due, s.clock+1), s.clock+s.radix.horizon())
}
