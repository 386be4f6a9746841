package satstore

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// DecodeRecord sets every field of r except Page from an encoding. It keeps a string of r that has
// the right value, so that reading many records into one allocates little. It never panics, and
// allocates at most 4 * maxStringBytes, whatever the bytes. Times are in UTC. A record with an
// unknown version or unknown marks is a *FormatError: its checksum was right, so a newer program
// wrote it.
func DecodeRecord(body []byte, r *sitegraph.Record) error {
	if len(body) < fixedRecordBytes {
		return fmt.Errorf("%w: %d bytes, less than the fixed %d",
			errRecord, len(body), fixedRecordBytes)
	}
	if body[0] > recordVersionMisses {
		return &FormatError{What: "a record", Found: int(body[0]), Known: recordVersionMisses}
	}
	if body[0] < recordVersion {
		return fmt.Errorf("%w: version %d", errRecord, body[0])
	}
	flags := body[1]
	if flags&^knownFlags != 0 {
		return fmt.Errorf("%w: unknown flags %#x", errRecord, flags)
	}
	r.State, r.Errors, r.Hops = sitegraph.State(body[2]), body[3], body[4]
	h := &r.History
	for i, v := range [...]*uint32{&h.Epoch, &h.Last, &h.LastChange, &h.Stable, &h.MinInterval,
		&h.Visits, &h.Changes} {
		*v = binary.LittleEndian.Uint32(body[5+4*i:])
	}
	c := cursor{b: body[fixedRecordBytes:]}
	r.Misses, r.NoIndex, r.ByRobots, r.ByFilter, r.More = 0, false, false, false, false
	r.Missed, r.Refuses = sitegraph.OutcomeUnknown, false
	if body[0] == recordVersionMisses {
		var marks byte
		r.Misses, marks = c.byte(), c.byte()
		if marks&^knownMarks != 0 {
			return &FormatError{What: "the marks of a record", Found: int(marks), Known: knownMarks}
		}
		if r.Misses == 0 && marks == 0 {
			return fmt.Errorf("%w: neither misses nor marks", errRecord)
		}
		r.NoIndex, r.ByRobots = marks&markNoIndex != 0, marks&markByRobots != 0
		r.More, r.Refuses = marks&markMore != 0, marks&markRefuses != 0
		r.ByFilter = marks&markByFilter != 0
		if missed := marks / markMissed % 4; missed != 0 {
			r.Missed = sitegraph.OutcomeGone + sitegraph.Outcome(missed-1)
		}
	}
	r.Status = int(c.varint())
	r.Size = c.varint()
	r.LastModified = c.time(flags & flagLastModified)
	r.Tried = c.time(flags & flagTried)
	r.Due = c.time(flags & flagDue)
	c.digest(&r.Digests.Bytes, flags&flagBytesDigest)
	c.digest(&r.Digests.Text, flags&flagTextDigest)
	c.digest(&r.Digests.Main, flags&flagMainDigest)
	r.Interval = 0
	if flags&flagInterval != 0 {
		r.Interval = time.Duration(c.varint()) * time.Second
		r.Interval += time.Duration(c.varint())
	}
	h.WeeksSeen, h.WeeksChanged = 0, 0
	if flags&flagWeeks != 0 {
		h.WeeksSeen, h.WeeksChanged = c.uint32(), c.uint32()
	}
	setString(&r.URL, c.string())
	shared := c.uvarint()
	if shared > uint64(len(r.URL)) {
		c.bad = true
		shared = 0
	}
	setJoined(&r.Referer, r.URL[:shared], c.string())
	setString(&r.ETag, c.string())
	setString(&r.Reason, c.string())
	if c.bad || len(c.b) != 0 {
		return fmt.Errorf("%w: a field is cut, too long, or followed by %d bytes",
			errRecord, len(c.b))
	}
	return nil
}

// cursor reads fields until one is bad; from then on it returns zero values.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) fail() { c.bad, c.b = true, nil }

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) byte() byte {
	if len(c.b) == 0 {
		c.fail()
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *cursor) uint32() uint32 {
	if len(c.b) < 4 {
		c.fail()
		return 0
	}
	v := binary.LittleEndian.Uint32(c.b)
	c.b = c.b[4:]
	return v
}

func (c *cursor) time(present byte) time.Time {
	if present == 0 {
		return time.Time{}
	}
	seconds, nanos := c.varint(), c.uvarint()
	if nanos >= 1e9 {
		c.fail()
	}
	if c.bad {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).UTC()
}

func (c *cursor) digest(d *sitegraph.Digest, present byte) {
	*d = sitegraph.Digest{}
	if present == 0 {
		return
	}
	if len(c.b) < len(d) {
		c.fail()
		return
	}
	copy(d[:], c.b)
	c.b = c.b[len(d):]
}

func (c *cursor) string() []byte {
	n := c.uvarint()
	if n > maxStringBytes || n > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	s := c.b[:n]
	c.b = c.b[n:]
	return s
}

func setString(s *string, b []byte) {
	if *s != string(b) { // compares without allocating
		*s = string(b)
	}
}

func setJoined(s *string, head string, tail []byte) {
	if len(*s) == len(head)+len(tail) && (*s)[:len(head)] == head &&
		(*s)[len(head):] == string(tail) {
		return
	}
	*s = head + string(tail)
}
