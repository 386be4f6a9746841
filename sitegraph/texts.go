package sitegraph

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// ref says where a text or a list lies: 24 bits for the number of a chunk, 16 for an offset in
// it, 24 for a length. The zero ref is an empty one.
type ref uint64

const (
	maxChunks = 1 << 24 // 1 TiB of addresses, 4 TiB of links
	maxChunk  = 1 << 16 // bytes or links of a chunk that several share
	maxLength = 1<<24 - 1
)

func makeRef(chunk, offset, length int) ref {
	if uint(chunk) >= maxChunks || uint(offset) >= maxChunk || uint(length) > maxLength {
		panic(
			fmt.Sprintf(
				"sitegraph: no room for an address or links of length %d at %d of chunk %d; most "+
					"are %d, %d, %d",
				length,
				offset,
				chunk,
				maxLength,
				maxChunk-1,
				maxChunks-1,
			),
		)
	}
	return ref(chunk)<<40 | ref(offset)<<24 | ref(length)
}

func (r ref) chunk() int  { return int(r >> 40) }
func (r ref) offset() int { return int(r >> 24 & (maxChunk - 1)) }
func (r ref) length() int { return int(r & maxLength) }

// chunkSize is that of a new chunk of which need is used at once, when the others hold total:
// an eighth of it, for small graphs have small chunks, and four times what is used, so that
// less than a quarter of a chunk stays free when the next thing does not fit.
func chunkSize(total, need int) int {
	const smallest = 1 << 8
	eighth := 1 << bits.Len(uint(total)/16)
	return min(maxChunk, max(smallest, eighth, 1<<bits.Len(uint(4*need-1))))
}

// ownChunk says that something is so long that it gets a chunk to itself: in a chunk of the
// largest size, less than a sixteenth stays free.
func ownChunk(need int) bool { return need > maxChunk/16 }

// texts keeps texts in chunks that are only ever added to: a string once returned stays, and
// keeps its chunk alive.
type texts struct {
	chunks []string        // as far as they are filled
	tail   strings.Builder // fills chunks[open]; it never has to move what is in it
	open   int
	total  int         // bytes
	file   *arena.File // for chunks that are full; nil: they stay in memory
}

func (t *texts) at(r ref) string {
	return t.chunks[r.chunk()][r.offset() : r.offset()+r.length()]
}

func (t *texts) add(s string) ref {
	t.total += len(s)
	if ownChunk(len(s)) {
		t.chunks = append(t.chunks, strings.Clone(s))
		t.putAway(len(t.chunks) - 1)
		return makeRef(len(t.chunks)-1, 0, len(s))
	}
	if t.tail.Cap() == 0 || t.tail.Cap()-t.tail.Len() < len(s) {
		if t.tail.Cap() > 0 {
			t.putAway(t.open)
		}
		t.tail.Reset()
		t.tail.Grow(chunkSize(t.total, len(s)))
		t.open = len(t.chunks)
		t.chunks = append(t.chunks, "")
	}
	r := makeRef(t.open, t.tail.Len(), len(s))
	t.tail.WriteString(s)
	t.chunks[t.open] = t.tail.String()
	return r
}

// putAway takes a chunk that is full out of memory.
func (t *texts) putAway(i int) {
	// A string and its bytes have the same memory; Put only reads it.
	text := t.chunks[i]
	if p, ok := t.file.Put(unsafe.Slice(unsafe.StringData(text), len(text))); ok {
		t.chunks[i] = unsafe.String(unsafe.SliceData(p.Bytes), len(p.Bytes))
	}
}
