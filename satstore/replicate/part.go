package replicate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// A part is a byte of flags, the number of the part before it and a number that stands for its
// writer (8 bytes each, big endian), and a piece of the changes of its transaction, one after the
// other. A change begins with its kind; numbers are uvarints, texts have their length before them.
const headBytes = 17

func setHead(part []byte, flags byte, after, writer uint64) {
	part[0] = flags
	binary.BigEndian.PutUint64(part[1:], after)
	binary.BigEndian.PutUint64(part[9:], writer)
}

// head is the header of a part.
type head struct {
	flags         byte
	after, writer uint64
}

func headOf(number uint64, part []byte) (head, error) {
	if len(part) < headBytes {
		return head{}, fmt.Errorf("%w: part %d has %d bytes", errChange, number, len(part))
	}
	return head{part[0], binary.BigEndian.Uint64(part[1:]), binary.BigEndian.Uint64(part[9:])}, nil
}

// Flags of a part.
const (
	flagFirst = 1 << iota // of a transaction
	flagLast
	flagMark // no part of a transaction: only a header
)

// The kinds of changes.
const (
	kindRecord  = 1 // page, record as of FORMAT.md
	kindLinks   = 2 // page, number of links, links, number of frames, frames
	kindStart   = 3 // page
	kindSetting = 4 // name, value
	kindMessage = 5 // page, payload
	kindAnswer  = 6 // page, number of messages that the next record of it answers
)

func appendRecord(b []byte, r *sitegraph.Record) ([]byte, error) {
	body, err := satstore.AppendRecord(nil, r)
	b = binary.AppendUvarint(append(b, kindRecord), uint64(r.Page))
	return appendBytes(b, body), err
}

func appendLinks(b []byte, p sitegraph.PageID, links, frames []sitegraph.PageID) []byte {
	b = binary.AppendUvarint(append(b, kindLinks), uint64(p))
	for _, list := range [][]sitegraph.PageID{links, frames} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, q := range list {
			b = binary.AppendUvarint(b, uint64(q))
		}
	}
	return b
}

func appendStart(b []byte, p sitegraph.PageID) []byte {
	return binary.AppendUvarint(append(b, kindStart), uint64(p))
}

func appendSetting(b []byte, name string, value []byte) []byte {
	return appendBytes(appendBytes(append(b, kindSetting), []byte(name)), value)
}

func appendMessage(b []byte, p sitegraph.PageID, payload []byte) []byte {
	return appendBytes(binary.AppendUvarint(append(b, kindMessage), uint64(p)), payload)
}

func appendAnswer(b []byte, p sitegraph.PageID, messages int) []byte {
	b = binary.AppendUvarint(append(b, kindAnswer), uint64(p))
	return binary.AppendUvarint(b, uint64(messages))
}

func appendBytes(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// errChange reports a part that no program of this version sends.
var errChange = errors.New("a transaction of the log cannot be read")

// reading is the rest of the changes of a transaction.
type reading struct {
	b   []byte
	bad bool
}

func (r *reading) number() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reading) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reading) page() sitegraph.PageID {
	n := r.number()
	r.bad = r.bad || n >= 1<<31
	return sitegraph.PageID(n & (1<<31 - 1))
}

func (r *reading) pages() (list []sitegraph.PageID) {
	n := r.number()
	if n > uint64(len(r.b)) { // each takes at least a byte
		r.bad = true
		return nil
	}
	for range n {
		list = append(list, r.page())
	}
	return list
}

// apply makes the changes of a transaction in a store, without a commit.
func apply(s *satstore.Store, changes []byte) error {
	r := reading{b: changes}
	for len(r.b) > 0 && !r.bad {
		kind := r.b[0]
		r.b = r.b[1:]
		var err error
		switch kind {
		case kindRecord:
			p, body := r.page(), r.bytes()
			if r.bad {
				break
			}
			record := sitegraph.Record{Page: p}
			if err = satstore.DecodeRecord(body, &record); err != nil {
				break
			}
			if int(p) == s.Pages() {
				err = s.Add(&record)
			} else {
				err = s.Save(&record)
			}
		case kindLinks:
			p, links, frames := r.page(), r.pages(), r.pages()
			if !r.bad {
				err = s.SaveLinks(p, links, frames)
			}
		case kindStart:
			if p := r.page(); !r.bad {
				err = s.SaveStart(p)
			}
		case kindSetting:
			name, value := r.bytes(), r.bytes()
			if !r.bad {
				err = s.SaveSetting(string(name), value)
			}
		case kindMessage:
			if p, payload := r.page(), r.bytes(); !r.bad {
				err = s.Message(p, payload)
			}
		case kindAnswer:
			if p, n := r.page(), r.number(); !r.bad {
				err = s.Answered(p, int(min(n, math.MaxInt32)))
			}
		default:
			return fmt.Errorf("%w: a change of kind %d", errChange, kind)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errChange, err)
		}
	}
	if r.bad {
		return fmt.Errorf("%w: it is cut off", errChange)
	}
	return nil
}
