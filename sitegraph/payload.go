package sitegraph

import "crypto/md5"

// Captures of other tools come with digests of payloads: of the body as it was sent, its content
// coding kept, by an algorithm of their own. Such a digest says by its last bytes that it is one.
// So it is compared to its like alone, and a visit of our own never counts as a change by it.
//
//	0   12  the start of an MD5 of what the tool wrote
//	12  1   the algorithm, or the tool
//	13  3   "pay"
//
// An MD5 ends so by chance once in 16 million. Its page is then compared one visit later.
const payloadMark = "pay"

// PayloadDigest stands for a digest that another tool made. Digests of one algorithm are equal if,
// and only if, the values are; those of two algorithms are not comparable. An empty value is not
// known: the zero digest.
func PayloadDigest(algorithm, value string) (d Digest) {
	if value == "" {
		return d
	}
	d = md5.Sum([]byte(value))
	name := md5.Sum([]byte(algorithm))
	d[12] = name[0]
	copy(d[13:], payloadMark)
	return d
}

// payload tells by which algorithm another tool made a digest; false: it is our own.
func (d Digest) payload() (algorithm byte, ok bool) {
	return d[12], string(d[13:]) == payloadMark
}

// comparable reports whether two digests of bytes say together if the bytes are the same: both are
// known, or neither, and made in the same way.
func (d Digest) comparable(other Digest) bool {
	a, theirs := d.payload()
	b, too := other.payload()
	return d.IsZero() == other.IsZero() && theirs == too && (!theirs || a == b)
}
