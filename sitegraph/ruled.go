package sitegraph

import (
	"encoding/binary"
	"math/bits"
	"time"
)

// Where a rule of the user says what of a page counts, Digests.Main is of what the rule leaves, and
// it decides, whatever ChangeBy is. It says itself by which rule it was made: so contents that were
// read by different rules are never compared, and no record needs a field for it.
//
//	0   8  the content: the start of an MD5, or a SimHash; big endian
//	8   4  fingerprint of the rule; big endian
//	12  1  how many bits of the content may differ between two that count as the same; 0 for an MD5
//	13  3  "rul"
//
// An MD5 ends so by chance once in 16 million. Its page would then be compared by its bytes alone.
const ruledMark = "rul"

// RuledDigest is a digest of what a rule leaves of a page. Content is a hash of it, rule the
// fingerprint of the rule. Contents are the same where at most so many bits differ, 0 to 63.
func RuledDigest(content uint64, rule uint32, bits uint8) (d Digest) {
	binary.BigEndian.PutUint64(d[:], content)
	binary.BigEndian.PutUint32(d[8:], rule)
	d[12] = bits
	copy(d[13:], ruledMark)
	return d
}

// Rule is the fingerprint of the rule by which a digest was made; false: by none.
func (d Digest) Rule() (fingerprint uint32, ok bool) {
	return binary.BigEndian.Uint32(d[8:]), string(d[13:]) == ruledMark
}

// Distance is in how many bits the contents of two digests of one rule differ, 0 to 64.
func (d Digest) Distance(other Digest) int {
	return bits.OnesCount64(binary.BigEndian.Uint64(d[:]) ^ binary.BigEndian.Uint64(other[:]))
}

// Comparison is what two digests tell of the contents.
type Comparison uint8

const (
	// they were made by different rules or tools, or one is not known
	Incomparable Comparison = iota
	Same
	Different
)

// Compare compares a copy with a newer content. Where a rule says what counts, that decides;
// without one, Differ says what does. Equal bytes are the same by any rule.
func (d Digests) Compare(newer Digests, by ChangeBy) Comparison {
	rule, ruled := d.Main.Rule()
	newRule, newRuled := newer.Main.Rule()
	switch {
	case !newRuled && (!ruled || by != ChangeByMain):
		d.Main, newer.Main = plain(d.Main), plain(newer.Main)
		if d.byBytes(newer, by) && !d.Bytes.comparable(newer.Bytes) {
			return Incomparable
		}
		return comparison(d.differ(newer, by))
	case !d.Bytes.IsZero() && d.Bytes == newer.Bytes:
		return Same
	case !ruled || !newRuled || rule != newRule:
		return Incomparable
	}
	return comparison(d.Main.Distance(newer.Main) > int(newer.Main[12]))
}

// plain is a digest of main text, or none where a rule made it.
func plain(d Digest) Digest {
	if _, ruled := d.Rule(); ruled {
		return Digest{}
	}
	return d
}

func comparison(different bool) Comparison {
	if different {
		return Different
	}
	return Same
}

// replaceBy makes newer digests those of the copy. Of a page that counts as unchanged though a few
// bits differ, the digest stays to which the next content is compared: else a page that changes by
// little each time would never count as changed.
func (d *Digests) replaceBy(newer Digests, verdict Verdict) {
	rule, ruled := d.Main.Rule()
	newRule, _ := newer.Main.Rule()
	if verdict == VerdictUnchanged && ruled && newer.Main[12] > 0 && rule == newRule {
		newer.Main = d.Main
	}
	*d = newer
}

// Rebase takes note of a visit at t that saw the content and could not compare it. The time since
// the last visit is taken out of the history: it is neither stable nor changed. Without an earlier
// visit it does nothing.
func (h *History) Rebase(t time.Time) {
	now := Unix32(t)
	if h.Visits == 0 || now <= h.Last {
		return
	}
	passed := Week(now) - Week(h.Last)
	h.WeeksSeen, h.WeeksChanged = h.WeeksSeen<<passed, h.WeeksChanged<<passed
	h.Epoch += now - h.Last
	h.Last = now
}
