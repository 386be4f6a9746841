package paper

import (
	"fmt"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stream is a file and the write buffer before it.
type stream struct {
	name  string // of the file; "" until the bucket is used
	size  int64  // bytes of the file that count; it may be longer
	dirty bool   // written since the last checkpoint
	buf   buffer

	class         int // of classes
	before, after *stream

	file         vfs.File // nil: not open
	newer, older *stream  // among the open ones
}

func (s *stream) empty() bool { return s.size == 0 && s.buf.pages == 0 }

// bucket is the records, and apart from them or not the messages, of Width units.
type bucket struct {
	level    int
	number   int64 // due / Width
	records  stream
	messages stream // used if Hashed
}

func (b *bucket) streams() [2]*stream { return [2]*stream{&b.records, &b.messages} }
func (b *bucket) empty() bool         { return b.records.empty() && b.messages.empty() }

// calendar is the buckets of all levels, each level a ring.
type calendar struct {
	levels []Level
	rings  [][]bucket
}

func newCalendar(levels []Level) calendar {
	c := calendar{levels: levels}
	for k, l := range levels {
		ring := make([]bucket, l.Count)
		for i := range ring {
			ring[i] = bucket{level: k, number: -1}
			ring[i].records.class, ring[i].messages.class = noClass, noClass
		}
		c.rings = append(c.rings, ring)
	}
	return c
}

// place says in which bucket a due unit is while the unit now is the next to be read:
// level k reaches to the end of the bucket of level k+1 that holds now, and, if it has
// more buckets than that takes, of as many after it.
func (c *calendar) place(due, now int64) (level int, number int64) {
	last := len(c.levels) - 1
	for level < last {
		l, above := c.levels[level], int64(c.levels[level+1].Width)
		if due/above < now/above+int64(l.Count*l.Width)/above {
			break
		}
		level++
	}
	return level, due / int64(c.levels[level].Width)
}

// at returns a bucket, empty if it was not used yet.
func (c *calendar) at(level int, number int64) *bucket {
	ring := c.rings[level]
	b := &ring[number%int64(len(ring))]
	if b.number != number {
		if !b.empty() {
			panic(fmt.Sprintf("paper: buckets %d and %d of level %d at once",
				b.number, number, level))
		}
		b.number = number
		name := strconv.Itoa(level) + "-" + strconv.FormatInt(number, 10)
		b.records.name, b.messages.name = recordsPrefix+name, messagesPrefix+name
	}
	return b
}

// Names of files: recordsPrefix LEVEL - NUMBER, and so on.
const (
	recordsPrefix  = "bucket-"
	messagesPrefix = "messages-"
)

// all calls f for each bucket that is not empty.
func (c *calendar) all(f func(b *bucket) error) error {
	for _, ring := range c.rings {
		for i := range ring {
			if b := &ring[i]; !b.empty() {
				if err := f(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
