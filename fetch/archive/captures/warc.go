package captures

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// warc reads the records of a WARC file. If it is compressed, reading continues after damage.
func (r *reader) warc(ctx context.Context, in *Input) error {
	if in.Size == 0 {
		_, err := r.records(ctx, in, 0)
		return err
	}
	return r.places(ctx, in, in.file, in.Size)
}

// places reads records from in, and after damaged ones from at.
func (r *reader) places(ctx context.Context, in io.Reader, at io.ReaderAt, size int64) error {
	damage, err := r.records(ctx, in, 0)
	for damage != nil {
		next, bad := archive.RecordBehind(at, damage.Offset)
		if bad != nil || next < 0 {
			break
		}
		r.file.EndedHere = ""
		damage, err = r.records(ctx, io.NewSectionReader(at, next, size-next), next)
	}
	return err
}

// records reads records from an offset to the end or the first damage.
func (r *reader) records(ctx context.Context, in io.Reader, offset int64) (
	damage *warc.DamageError, err error) {
	from := warc.NewReader(in, offset)
	for ctx.Err() == nil {
		rec, err := from.Next()
		if err == io.EOF {
			return nil, nil
		}
		var c *Capture
		if err == nil {
			c, err = r.record(rec)
		}
		if err == nil {
			err = from.Finish()
		}
		if errors.As(err, &damage) {
			r.file.bad(damage.Offset, err.Error(), nil)
			if c == nil || !warc.IsCut(err) {
				r.file.EndedHere = fmt.Sprintf("at octet %d", damage.Offset)
				return damage, nil
			}
			err = nil // its block is whole: only the end of the record is missing
		}
		if err != nil {
			return nil, err
		}
		r.file.Read++
		r.file.ARC = r.file.ARC || rec.Version == "ARC"
		if c == nil {
			continue
		}
		at, err := rec.Date()
		if err != nil {
			r.file.bad(rec.Offset, err.Error(), nil)
			continue
		}
		if err := r.capture(c, at); err != nil || damage != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// record makes a capture of a record. It returns nil, and counts, if the record is no evidence
// about a page.
func (r *reader) record(rec *warc.Record) (*Capture, error) {
	kind := rec.Type()
	if kind != warc.Response && kind != warc.Revisit && kind != warc.Resource {
		return nil, nil
	}
	url, ok := r.page(rec.Offset, rec.URI(), []byte(rec.URI()))
	if !ok {
		return nil, nil
	}
	if rec.Length > archive.MostBody {
		r.file.bad(rec.Offset, fmt.Sprintf("its block of %d octets is larger than %d",
			rec.Length, archive.MostBody), []byte(url))
		return nil, nil
	}
	block, err := io.ReadAll(rec.Block)
	if err != nil {
		return nil, err
	}
	c := &Capture{URL: url, Payload: payloadDigest(rec.Get(warc.PayloadDigestField))}
	a := archive.Answer{Status: http.StatusOK, Body: block,
		Header: []warc.Field{{Name: warc.ContentField, Value: rec.Get(warc.ContentField)}}}
	cut := rec.Get(warc.TruncatedField)
	if rec.IsHTTP() {
		m, err := warc.ParseRecord(rec, block)
		if err != nil {
			if kind != warc.Revisit { // it may have no HTTP header
				r.file.bad(rec.Offset, err.Error(), []byte(url))
				return nil, nil
			}
			m = &warc.Message{}
		}
		a.Status, a.Header, a.Body = m.Status, m.Fields(), m.Plain()
		cut = m.Cut(rec)
		if kind == warc.Response && m.Payload != nil {
			// The digest in the header may be of the chunks; revisits name that of a decoded body.
			made := payloadDigest(warc.DigestText(m.Payload))
			if c.Payload.IsZero() || c.Payload != made && !m.IsDecoded() {
				c.Payload = made
			}
		}
	}
	c.Status = a.Status
	c.Kind = kindOf(a.Status)
	switch {
	case kind == warc.Revisit &&
		(c.Status == 0 || c.Kind == KindFetched || c.Kind == KindUnchanged):
		// The body may be that of another URL: compare its digest only.
		if c.Kind = KindFetched; c.Payload.IsZero() {
			c.Kind = KindUnchanged
		}
		return c, nil
	case c.Kind == KindMoved:
		if resolver, err := sitegraph.NewResolver(url); err == nil {
			c.To, _ = resolver.Resolve(a.Get("Location"))
		}
		fallthrough
	case c.Kind == KindGone:
		c.Payload = sitegraph.Digest{}
		return c, nil
	case c.Kind != KindFetched:
		r.file.NoNews++
		return nil, nil
	case cut != "":
		r.file.bad(rec.Offset, "its body is cut: "+cut, []byte(url))
		return nil, nil
	}
	return r.body(rec, c, &a), nil
}

// body makes the digests of an own visit from a body.
func (r *reader) body(rec *warc.Record, c *Capture, a *archive.Answer) *Capture {
	text, err := a.Text(archive.MostBody)
	if err != nil { // a lost part would look like a change
		r.file.bad(rec.Offset, err.Error(), []byte(c.URL))
		return nil
	}
	contentType := a.Get("Content-Type")
	if contentType == "" {
		contentType = http.DetectContentType(text)
	}
	if media, _, err := mime.ParseMediaType(contentType); err == nil && !isPageType(media) {
		r.file.NoPages++
		return nil
	}
	page := extract.HTML(text, contentType, c.URL, extract.Options{Main: r.o.Main})
	c.Digests, c.Size, c.NoIndex = page.Digests, int64(len(text)), page.NoIndex
	if r.o.Links {
		c.Links, c.Frames, c.LinksKnown = page.Links, page.Frames, true
	}
	return c
}

// wacz reads a WACZ: its WARC files, or else its index.
func (r *reader) wacz(ctx context.Context, in *Input) error {
	from, size, done, err := seekable(in)
	if err != nil {
		return err
	}
	defer done()
	return r.zip(ctx, from, size, true)
}

// zip reads a WACZ. It may be a download: a ZIP of WACZ files, or of WARC files alone.
func (r *reader) zip(ctx context.Context, from io.ReaderAt, size int64, outer bool) error {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return fmt.Errorf("it is not a whole WACZ: %w", err)
	}
	of := func(folder string, endings ...string) (found []*zip.File) {
		for _, f := range z.File {
			if strings.HasPrefix(f.Name, folder) &&
				slices.ContainsFunc(endings, func(e string) bool {
					return strings.HasSuffix(f.Name, e)
				}) {
				found = append(found, f)
			}
		}
		return found
	}
	files := of("", ".warc.gz", ".warc", ".arc.gz", ".arc")
	if outer {
		files = append(files, of("", ".wacz")...)
	}
	if len(files) == 0 {
		files = of("indexes/", ".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
	}
	if len(files) == 0 {
		return errors.New("the WACZ has neither WARC files nor an index in indexes/")
	}
	for _, f := range files {
		if err := r.within(ctx, f, from); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// within reads a file in a ZIP. Uncompressed ones are read at any offset.
func (r *reader) within(ctx context.Context, f *zip.File, from io.ReaderAt) error {
	if at, err := f.DataOffset(); f.Method == zip.Store && err == nil {
		size := int64(min(f.CompressedSize64, math.MaxInt64))
		part := io.NewSectionReader(from, at, size)
		switch {
		case strings.HasSuffix(f.Name, ".wacz"):
			return r.zip(ctx, part, size, false)
		case !strings.HasPrefix(f.Name, "indexes/"):
			return r.places(ctx, part, part, size)
		}
	}
	part, err := f.Open()
	if err != nil {
		return err
	}
	defer part.Close() // it was read only
	switch {
	case strings.HasSuffix(f.Name, ".wacz"):
		return errors.New("it is compressed within the WACZ: unpack it first")
	case !strings.HasPrefix(f.Name, "indexes/"):
		_, err := r.records(ctx, part, 0)
		return err
	case strings.HasSuffix(f.Name, ".gz"):
		z, err := gzip.NewReader(part)
		if err != nil {
			return fmt.Errorf("undo gzip: %w", err)
		}
		return r.cdxj(ctx, &Input{Reader: z})
	}
	return r.cdxj(ctx, &Input{Reader: part})
}

// seekable makes an input readable at any offset, for example standard input.
func seekable(in *Input) (from io.ReaderAt, size int64, done func(), err error) {
	if in.Size > 0 && in.file != nil {
		return in.file, in.Size, func() {}, nil
	}
	var all bytes.Buffer
	if size, err = io.Copy(&all, io.LimitReader(in, mostPiped+1)); err != nil {
		return nil, 0, nil, err
	}
	if size > mostPiped {
		return nil, 0, nil, fmt.Errorf("a WACZ of more than %d octets cannot be read from a "+
			"pipe; name the file", mostPiped)
	}
	return bytes.NewReader(all.Bytes()), size, func() {}, nil
}

// mostPiped limits a WACZ in memory, in octets.
const mostPiped = 64 << 20
