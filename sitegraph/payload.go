package sitegraph

import "crypto/md5"

// Captures of other tools have payload digests: of the body as sent, with its content coding, by
// various algorithms. The last bytes of such a digest mark it. So it is compared only with digests
// of the same kind, and never makes a visit of this crawler count as a change.
//
//	0   12  the start of an MD5 of what the tool wrote
//	12  1   the algorithm, or the tool
//	13  3   "pay"
//
// An MD5 ends so by chance once in 16 million. Its page is then compared one visit later.
const payloadMark = "pay"

// PayloadDigest returns the digest for a value that another tool made. Digests of one algorithm are
// equal if, and only if, the values are; those of two algorithms are not comparable. An empty value
// is unknown: the zero digest.
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

// payload returns the algorithm of another tool's digest; false: the digest is this program's own.
func (d Digest) payload() (algorithm byte, ok bool) {
	return d[12], string(d[13:]) == payloadMark
}

// comparable reports whether two digests of bytes show if the bytes are the same: both are known,
// or neither, and made in the same way.
func (d Digest) comparable(other Digest) bool {
	a, theirs := d.payload()
	b, too := other.payload()
	return d.IsZero() == other.IsZero() && theirs == too && (!theirs || a == b)
}
