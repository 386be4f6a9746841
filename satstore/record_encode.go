package satstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// The first byte of an encoded record is its version. Records without misses and marks have the
// first.
const (
	recordVersion       = 1
	recordVersionMisses = 2
)

// Bits of the marks byte of version 2.
const (
	markNoIndex = 1 << iota
	markByRobots
	markMore
	markRefuses
	markMissed // with the next bit: the kind of the misses
	_
	markByFilter
	knownMarks = 1<<iota - 1
)

// fixedRecordBytes is the fixed part of every encoded record: version, flags, state, errors, hops
// and the seven 32-bit numbers of the history. FORMAT.md has the table of bytes.
const fixedRecordBytes = 1 + 1 + 1 + 1 + 1 + 7*4

// maxStringBytes bounds each of the four strings. Addresses are far shorter (11 to 3715
// bytes in [SAT 4.1]); 32 KiB keeps a whole record within one read buffer.
const maxStringBytes = 32 << 10

// maxBodyBytes bounds an encoded record: four strings, six times and spans, three
// digests, and the numbers.
const maxBodyBytes = 4*maxStringBytes + 512

// Bits of the flags byte: which optional fields follow.
const (
	flagLastModified = 1 << iota
	flagTried
	flagDue
	flagBytesDigest
	flagTextDigest
	flagMainDigest
	flagInterval
	flagWeeks
	knownFlags = 1<<iota - 1
)

var errRecord = errors.New("record cannot be decoded")

// AppendRecord appends the encoding of r to b, without Page: the frame in the runs has that. It
// leaves out an ETag above maxStringBytes and cuts such a Reason, since neither must keep a visit
// from being stored.
func AppendRecord(b []byte, r *sitegraph.Record) ([]byte, error) {
	if len(r.URL) > maxStringBytes || len(r.Referer) > maxStringBytes {
		return b, fmt.Errorf("address of page %d has %d bytes, its referer %d: more than %d",
			r.Page, len(r.URL), len(r.Referer), maxStringBytes)
	}
	etag, reason := r.ETag, r.Reason
	if len(etag) > maxStringBytes {
		etag = ""
	}
	if len(reason) > maxStringBytes {
		reason = reason[:maxStringBytes]
	}
	h := &r.History
	marks := recordMarks(r)
	version := byte(recordVersion)
	if r.Misses != 0 || marks != 0 {
		version = recordVersionMisses
	}
	b = append(b, version, recordFlags(r), byte(r.State), r.Errors, r.Hops)
	for _, v := range [...]uint32{h.Epoch, h.Last, h.LastChange, h.Stable, h.MinInterval, h.Visits,
		h.Changes} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	if version == recordVersionMisses {
		b = append(b, r.Misses, marks)
	}
	b = binary.AppendVarint(b, int64(r.Status))
	b = binary.AppendVarint(b, r.Size)
	for _, t := range [...]time.Time{r.LastModified, r.Tried, r.Due} {
		if !t.IsZero() {
			b = binary.AppendVarint(b, t.Unix())
			b = binary.AppendUvarint(b, uint64(t.Nanosecond()))
		}
	}
	for _, d := range [...]*sitegraph.Digest{&r.Digests.Bytes, &r.Digests.Text, &r.Digests.Main} {
		if !d.IsZero() {
			b = append(b, d[:]...)
		}
	}
	if r.Interval != 0 {
		b = binary.AppendVarint(b, int64(r.Interval/time.Second))
		b = binary.AppendVarint(b, int64(r.Interval%time.Second))
	}
	if h.WeeksSeen|h.WeeksChanged != 0 {
		b = binary.LittleEndian.AppendUint32(b, h.WeeksSeen)
		b = binary.LittleEndian.AppendUint32(b, h.WeeksChanged)
	}
	b = appendString(b, r.URL)
	shared := sharedPrefix(r.URL, r.Referer)
	b = binary.AppendUvarint(b, uint64(shared))
	b = appendString(b, r.Referer[shared:])
	b = appendString(b, etag)
	return appendString(b, reason), nil
}

func recordMarks(r *sitegraph.Record) (marks byte) {
	if r.NoIndex {
		marks |= markNoIndex
	}
	if r.ByRobots {
		marks |= markByRobots
	}
	if r.ByFilter {
		marks |= markByFilter
	}
	if r.More {
		marks |= markMore
	}
	if r.Refuses {
		marks |= markRefuses
	}
	if r.Missed >= sitegraph.OutcomeGone && r.Missed <= sitegraph.OutcomeExcluded {
		marks |= byte(r.Missed-sitegraph.OutcomeGone+1) * markMissed
	}
	return marks
}

func recordFlags(r *sitegraph.Record) (flags byte) {
	set := func(on bool, bit byte) {
		if on {
			flags |= bit
		}
	}
	set(!r.LastModified.IsZero(), flagLastModified)
	set(!r.Tried.IsZero(), flagTried)
	set(!r.Due.IsZero(), flagDue)
	set(!r.Digests.Bytes.IsZero(), flagBytesDigest)
	set(!r.Digests.Text.IsZero(), flagTextDigest)
	set(!r.Digests.Main.IsZero(), flagMainDigest)
	set(r.Interval != 0, flagInterval)
	set(r.History.WeeksSeen|r.History.WeeksChanged != 0, flagWeeks)
	return flags
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
