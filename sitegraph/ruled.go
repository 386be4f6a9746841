package sitegraph

import (
	"encoding/binary"
	"math/bits"
	"time"
)

// If a rule of the user selects a part of a page, Digests.Main is the digest of that part, and it
// decides, whatever ChangeBy is. The digest contains its rule. So contents read by different rules
// are never compared, and no record needs a field for the rule.
//
//	0   8  the content: the start of an MD5, or a SimHash; big endian
//	8   4  fingerprint of the rule; big endian
//	12  1  how many bits of the content may differ between two that count as the same; 0 for an MD5
//	13  3  "rul"
//
// An MD5 ends so by chance once in 16 million. Its page would then be compared by its bytes alone.
const ruledMark = "rul"

// RuledDigest returns the digest of the part of a page that a rule leaves. content is its hash,
// rule the fingerprint of the rule. Contents that differ in at most bits bits, 0 to 63, are the
// same.
func RuledDigest(content uint64, rule uint32, bits uint8) (d Digest) {
	binary.BigEndian.PutUint64(d[:], content)
	binary.BigEndian.PutUint32(d[8:], rule)
	d[12] = bits
	copy(d[13:], ruledMark)
	return d
}

// Rule returns the fingerprint of the rule by which a digest was made; false: no rule.
func (d Digest) Rule() (fingerprint uint32, ok bool) {
	return binary.BigEndian.Uint32(d[8:]), string(d[13:]) == ruledMark
}

// Distance returns in how many bits the contents of two digests of one rule differ, 0 to 64.
func (d Digest) Distance(other Digest) int {
	return bits.OnesCount64(binary.BigEndian.Uint64(d[:]) ^ binary.BigEndian.Uint64(other[:]))
}

// Comparison is the result of comparing two digests.
type Comparison uint8

const (
	// Incomparable: made by different rules or tools, or one is unknown.
	Incomparable Comparison = iota
	Same
	Different
)

// Compare compares a copy with a newer content: by a rule if there is one, otherwise by Differ.
// Equal bytes are the same by any rule.
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

// plain returns a digest of main text, or none if a rule made it.
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

// replaceBy replaces the digests of the copy by newer ones. If a page counts as unchanged although
// a few bits differ, its digest stays for the next comparison. Otherwise a page that changes by
// little each time would never count as changed.
func (d *Digests) replaceBy(newer Digests, verdict Verdict) {
	rule, ruled := d.Main.Rule()
	newRule, _ := newer.Main.Rule()
	if verdict == VerdictUnchanged && ruled && newer.Main[12] > 0 && rule == newRule {
		newer.Main = d.Main
	}
	*d = newer
}

// Rebase records a visit at t that saw the content and could not compare it. It removes the time
// since the last visit from the history: that time is neither stable nor changed. Without an
// earlier visit it does nothing.
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
