package warc

import (
	"bufio"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"
)

// Digest is the digest of a block or payload in a record, and whether it is right.
type Digest struct {
	Claimed string `json:"claimed,omitempty"` // "": there is none
	// Actual has the form of the claim; "" if nothing was compared.
	Actual string `json:"actual,omitempty"`
	Right  bool   `json:"right"` // false if nothing was compared
	// Chunks means that the digest is of the body with its chunks: some writers violate the
	// standard so.
	Chunks bool `json:"over_chunks,omitempty"`
}

// Wrong reports whether a claim was compared and is wrong.
func (d Digest) Wrong() bool { return d.Actual != "" && !d.Right }

// digester compares a claim with the octets written to it.
type digester struct {
	claim string
	name  string // name of the algorithm
	hash  hash.Hash
}

func newDigester(claim string) *digester {
	d := &digester{claim: claim}
	name, _, _ := strings.Cut(claim, ":")
	switch d.name = name; strings.ToLower(strings.ReplaceAll(name, "-", "")) {
	case "sha1":
		d.hash = sha1.New()
	case "sha256":
		d.hash = sha256.New()
	case "md5":
		d.hash = md5.New()
	}
	return d
}

// isDigest reports whether a claim is the digest of a text.
func isDigest(text []byte, claim string) bool {
	d := newDigester(claim)
	_, _ = d.Write(text) // it cannot fail
	return d.result().Right
}

func (d *digester) Write(p []byte) (int, error) {
	if d.hash == nil {
		return len(p), nil
	}
	return d.hash.Write(p)
}

func (d *digester) result() Digest {
	result := Digest{Claimed: d.claim}
	if d.hash == nil {
		return result
	}
	sum := d.hash.Sum(nil)
	_, value, _ := strings.Cut(d.claim, ":")
	value = strings.TrimRight(value, "=")
	actual := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum)
	result.Right = strings.EqualFold(actual, value)
	switch len(value) {
	case hex.EncodedLen(len(sum)):
		actual = hex.EncodeToString(sum)
		result.Right = strings.EqualFold(actual, value)
	case base64.RawStdEncoding.EncodedLen(len(sum)): // used by other writers
		actual = base64.RawStdEncoding.EncodeToString(sum)
		result.Right = actual == strings.NewReplacer("-", "+", "_", "/").Replace(value)
	}
	result.Actual = d.name + ":" + actual
	return result
}

// Seen is the result of reading a whole record.
type Seen struct {
	Status  int    // of an HTTP answer; 0: it is none
	Type    string // media type of an HTTP answer, as sent; "": not named
	Chunked bool   // the head announces chunks
	Block   Digest
	Payload Digest
	Sum     string // SHA-1 of the payload, in the form of records
	Size    int64  // octets of the payload
}

// Verify reads a record to its end and compares its digests. Its error is that of Next. If the
// block is not the HTTP message that the record announces, all of it is the payload.
func (r *Reader) Verify(rec *Record) (seen Seen, err error) {
	block := newDigester(rec.Get(BlockDigestField))
	payload := newDigester(rec.Get(PayloadDigestField))
	var wire *digester // for the body with its chunks
	sum := sha1.New()
	in := bufio.NewReaderSize(io.TeeReader(rec.Block, block), 32<<10)
	var body io.Reader = in
	if rec.IsHTTP() {
		head, fields, err := messageHead(in)
		if err == nil {
			seen.Status, seen.Type = statusOf(head), get(fields, ContentField)
			seen.Chunked = isChunked(fields)
			if seen.Chunked && rec.Type() == Response {
				wire = newDigester(payload.claim)
				in = bufio.NewReaderSize(io.TeeReader(in, wire), maxChunkLine)
				body = &dechunker{r: in}
			}
		} else {
			sum.Write(head)
			_, _ = payload.Write(head)
		}
	}
	// Faults of chunks do not matter here. Faults of the file are found when the rest is read.
	seen.Size, _ = io.Copy(io.MultiWriter(sum, payload), body)
	if _, err = io.Copy(io.Discard, in); err == nil {
		err = r.Finish()
	}
	seen.Block, seen.Payload, seen.Sum = block.result(), payload.result(), DigestText(sum.Sum(nil))
	if wire != nil && seen.Payload.Wrong() {
		if as := wire.result(); as.Right {
			seen.Payload = as
			seen.Payload.Chunks = true
		}
	}
	if rec.Type() == Revisit { // the payload is that of the record it refers to
		seen.Payload = Digest{Claimed: payload.claim}
	}
	return seen, err
}
