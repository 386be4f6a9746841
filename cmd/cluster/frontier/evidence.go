package frontier

import (
	"encoding/binary"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Evidence is a record as the frontier keeps it: with what policies and the next comparison need.
//
//	0   version, 1
//	1   state, errors, misses: a byte each
//	4   status, 16 bits
//	6   the nine numbers of the history, 32 bits each
//	42  last visit and Last-Modified in unix seconds, 32 bits each; 0: none
//	50  size, 64 bits
//	58  digest, 16 bytes
//
// Numbers are little-endian.
const (
	evidenceVersion = 1
	evidenceBytes   = 74
	mostVisits      = 1 << 31 // the most visits that evidence counts
)

func encodeEvidence(r *sitegraph.Record) []byte {
	b := make([]byte, 0, evidenceBytes)
	b = append(b, evidenceVersion, byte(r.State), r.Errors, r.Misses)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.Status))
	for _, n := range historyFields(&r.History) {
		b = binary.LittleEndian.AppendUint32(b, *n)
	}
	b = binary.LittleEndian.AppendUint32(b, sitegraph.Unix32(r.Tried))
	b = binary.LittleEndian.AppendUint32(b, sitegraph.Unix32(r.LastModified))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Size))
	return append(b, r.Digests.Bytes[:]...)
}

func historyFields(h *sitegraph.History) [9]*uint32 {
	return [...]*uint32{
		&h.Epoch, &h.Last, &h.LastChange, &h.Stable, &h.MinInterval, &h.Visits, &h.Changes,
		&h.WeeksSeen, &h.WeeksChanged,
	}
}

// decodeEvidence reads evidence. It returns false if the evidence is damaged or of another version.
func decodeEvidence(b []byte) (r sitegraph.Record, ok bool) {
	if len(b) != evidenceBytes || b[0] != evidenceVersion ||
		sitegraph.State(b[1]) > sitegraph.StateExcluded {
		return r, false
	}
	r.State, r.Errors, r.Misses = sitegraph.State(b[1]), min(b[2], sitegraph.MaxErrors),
		min(b[3], sitegraph.MaxErrors)
	r.Status = int(binary.LittleEndian.Uint16(b[4:]))
	for i, n := range historyFields(&r.History) {
		*n = binary.LittleEndian.Uint32(b[6+4*i:])
	}
	r.Tried, r.LastModified = encodedTime(b[42:]), encodedTime(b[46:])
	r.Size = int64(binary.LittleEndian.Uint64(b[50:]))
	copy(r.Digests.Bytes[:], b[58:])
	h := &r.History
	ok = h.Epoch <= h.Last && h.LastChange <= h.Last && h.Changes <= h.Visits && r.Size >= 0
	h.Visits, h.Changes = min(h.Visits, mostVisits), min(h.Changes, mostVisits)
	return r, ok
}

func encodedTime(b []byte) time.Time {
	if s := binary.LittleEndian.Uint32(b); s != 0 {
		return time.Unix(int64(s), 0).UTC()
	}
	return time.Time{}
}
