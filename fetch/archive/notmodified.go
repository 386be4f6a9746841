package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// notModified makes records for the captures of "not modified" in a WACZ. The original record has
// the header that the server sent, without type and content coding, so ReplayWeb.page would show
// compressed octets. The new records have no header, so that the header of the record that they
// name applies.
//
// They are made twice, for the file and for the index, and are equal. So their places need no
// memory.
type notModified struct {
	name     string // name of the file in archive/
	software string
	any      bool // there are such captures
	w        warc.Writer
	record   []byte // buffer
	end      int64  // end of the records that the index has so far
}

// newNotModified looks for such captures, and for a name that no WARC file has.
func newNotModified(r *Reader, software string) (*notModified, error) {
	n := &notModified{name: "not-modified.warc.gz", software: software}
	for i := 1; slices.ContainsFunc(r.Files(), func(f WARCFile) bool {
		return f.Name == n.name
	}); i++ {
		n.name = fmt.Sprintf("not-modified-%d.warc.gz", i)
	}
	err := n.each(r, func(*Capture, *Capture) error { n.any = true; return io.EOF })
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// each passes each capture of "not modified" and its original to yield.
func (n *notModified) each(r *Reader, yield func(c, original *Capture) error) error {
	return r.Each(func(c *Capture) error {
		if c.Status != "304" {
			return nil
		}
		original, err := r.Original(c)
		if errors.Is(err, ErrNoBody) {
			return nil
		}
		if err != nil {
			return err
		}
		return yield(c, original)
	})
}

// write writes the file.
func (n *notModified) write(r *Reader, w io.Writer, created time.Time) error {
	info, err := n.info(created)
	if err == nil {
		_, err = w.Write(info)
	}
	if err != nil {
		return err
	}
	n.end = int64(len(info))
	return n.each(r, func(c, original *Capture) error {
		record, err := n.of(c, original)
		if err == nil {
			_, err = w.Write(record)
		}
		return err
	})
}

func (n *notModified) info(created time.Time) ([]byte, error) {
	text := "software: " + n.software + "\r\nformat: WARC File Format 1.1\r\n" +
		"description: Records that stand for the captures of 304 Not Modified in the other " +
		"files, without the header of these, for tools that replay.\r\n"
	return n.w.Append(n.record[:0],
		&warc.NewRecord{Type: warc.Info, ID: warc.NamedID(n.name + " " + created.String()),
			Date: created,
			Fields: []warc.Field{{Name: warc.FilenameField, Value: n.name},
				{Name: warc.ContentField, Value: warc.Fields}}, Block: [][]byte{[]byte(text)}})
}

// of returns the record for a capture, valid until the next call.
func (n *notModified) of(c, original *Capture) ([]byte, error) {
	record, err := n.w.Append(n.record[:0],
		&warc.NewRecord{Type: warc.Revisit,
			ID: warc.NamedID(fmt.Sprintf("%s %d", c.Filename, c.Offset)), Date: moment(c),
			Fields: []warc.Field{{Name: warc.URIField, Value: c.URL},
				{Name: warc.ProfileField, Value: warc.NotModified},
				{Name: warc.RefersURIField, Value: original.URL},
				{Name: warc.RefersDateField, Value: original.Date}}})
	n.record = record
	return record, err
}

// stand changes a line of the index to the record for its capture. It returns false if there is no
// record. Calls must be in the order of write.
func (n *notModified) stand(r *Reader, c, line *Capture) (ok bool, err error) {
	original, err := r.Original(c)
	if errors.Is(err, ErrNoBody) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	record, err := n.of(c, original)
	if err != nil {
		return false, err
	}
	line.MIME, line.Status, line.Digest = Revisit, original.Status, original.Digest
	line.Filename, line.Offset, line.Length = n.name, n.end, int64(len(record))
	n.end += line.Length
	return true, nil
}

// moment returns the time of a capture, as exactly as its record has it.
func moment(c *Capture) time.Time {
	if at, err := warc.ParseDate(c.Date); err == nil {
		return at
	}
	return c.Time
}
