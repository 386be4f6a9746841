package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// notModified makes the records that stand in a WACZ for captures of "not modified". A record of
// the archive has the header that the server sent, which has no type and no content coding: with it
// ReplayWeb.page shows compressed octets as they are. These have no header, so that the one of the
// record that they name holds.
//
// They are made twice, for the file and for the index, and are the same both times: so their places
// need no memory.
type notModified struct {
	name     string // of the file in archive/
	software string
	any      bool // there are such captures
	w        warc.Writer
	record   []byte // room
	end      int64  // of the records that stand in the index so far
}

// newNotModified looks whether there are any, and for a name that no WARC file has.
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

// each hands out the captures of "not modified" and those that they mean.
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

// of is the record that stands for a capture. It is valid until the next call.
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

// stand lets a line of the index be that of the record which stands for its capture. False: there
// is none. It is called in the order of write.
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

// moment is when a capture was made, as exactly as its record says.
func moment(c *Capture) time.Time {
	if at, err := warc.ParseDate(c.Date); err == nil {
		return at
	}
	return c.Time
}
