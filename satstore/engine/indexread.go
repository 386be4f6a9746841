package engine

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// indexReader reads the chunks of an index file.
type indexReader struct {
	file   vfs.File
	path   string
	number int64
	size   int64
	at     int64
	start  int64 // start of the last chunk
	buf    []byte
}

func (r *indexReader) damage(what string) *DamageError {
	return &DamageError{Path: r.path, Offset: r.start, What: what}
}

// next returns the kind of the next chunk, and its payload without the kind.
func (r *indexReader) next() (kind byte, payload []byte, err error) {
	r.start = r.at
	var h [indexHead]byte
	if r.at+indexHead > r.size {
		return 0, nil, r.damage("index ends early")
	}
	if err := readFull(r.file, h[:], r.at); err != nil {
		return 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(h[:]))
	if n < 1 || n > maxChunk || r.at+indexHead+n > r.size {
		return 0, nil, r.damage("index chunk")
	}
	r.buf = sized(r.buf, int(n))
	if err := readFull(r.file, r.buf, r.at+indexHead); err != nil {
		return 0, nil, err
	}
	if indexCRC(r.number, r.buf) != binary.LittleEndian.Uint32(h[4:]) {
		return 0, nil, r.damage("index chunk")
	}
	r.at += indexHead + n
	return r.buf[0], r.buf[1:], nil
}

// openIndex opens an index file for reading.
func (s *Store) openIndex(number int64) (*indexReader, error) {
	r := &indexReader{path: s.indexPath(number), number: number}
	var err error
	if r.file, err = s.fs.Open(r.path); err != nil {
		if gone(err) {
			return nil, &DamageError{Path: r.path, What: "index", Cause: err}
		}
		return nil, err
	}
	stat, err := r.file.Stat()
	if err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	r.size = stat.Size()
	return r, nil
}

var _ io.Closer = (*indexReader)(nil)

func (r *indexReader) Close() error { return r.file.Close() }
