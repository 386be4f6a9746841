package archive

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/sitegraph"
)

// Visit is why a page was visited and what came of it: what no header says.
type Visit struct {
	URL         string
	Time        time.Time    // of the observation, as in the journal
	Reason      fmt.Stringer // nil: not known
	Probability float64      // of a change, as planned; NaN: not estimated
	Outcome     string
	Detail      string
	First       bool
	Referer     string // that first linked to the page; "": none

	past   []*Capture // of URL
	looked bool       // Begin did
}

// Take makes a visit and takes in what was said in it. Where the archive has no body that a "not
// modified" could mean, the page is asked for without condition. Of a page that says noarchive or
// that a filter rejects nothing is taken in. The client is handed what is kept of the copy, if it
// must read that anew. The error is that of the visit, or of the archive: then the visit must not
// count as made.
func (a *Archive) Take(
	ctx context.Context, v Visit, rec *sitegraph.Record,
	visit func(context.Context, *sitegraph.Record) (*sitegraph.Observation, error),
) (*sitegraph.Observation, error) {
	if a == nil {
		return visit(ctx, rec)
	}
	v.URL, v.Referer = rec.URL, rec.Referer
	held, err := a.Begin(&v)
	if err != nil {
		return new(sitegraph.Observation), err
	}
	if !held {
		rec = rec.Unconditional()
	}
	ctx, wire := fetch.Listen(ctx)
	defer wire.Release()
	wire.Copy = func(of sitegraph.Digest, most int64) (body []byte, contentType string, ok bool) {
		return a.copyOf(v.past, of, most)
	}
	o, err := visit(ctx, rec)
	if err != nil && ctx.Err() != nil {
		return o, err // it was broken off here: what came is no capture
	}
	v.Time, v.Outcome, v.Detail = o.Time, o.Outcome.String(), o.Detail
	exchanges := wire.Exchanges
	if o.NoArchive || o.Filter != "" {
		exchanges = slices.DeleteFunc(exchanges, func(x fetch.Exchange) bool {
			return x.URL == v.URL
		})
	}
	return o, cmp.Or(a.Put(&v, exchanges), err)
}

// Begin looks up what is there of the address, before the visit. It reports whether that includes a
// body that a "not modified" could mean.
func (a *Archive) Begin(v *Visit) (held bool, err error) {
	v.past, err = a.past(v.URL)
	v.looked = err == nil
	return a.original(v.past) != nil, err
}

// past are the latest captures of an address, the newest first.
func (a *Archive) past(url string) ([]*Capture, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.index.last(url)
}

// original is the record whose body a server means that says "not modified": that of the last
// proper answer. Nil: there is none.
func (a *Archive) original(past []*Capture) *Capture {
	for _, c := range past {
		switch {
		case c.MIME == Revisit && c.RefersDate != "" &&
			(c.Status == "200" || c.Status == "203" || c.Status == "304"):
			return a.target(c)
		case c.MIME != Revisit && (c.Status == "200" || c.Status == "203") &&
			(c.Truncated == "" || c.Truncated == fetch.CutLength.String()):
			return c
		}
	}
	return nil
}

// same is the record that has such a body already. Nil: there is none.
func (a *Archive) same(past []*Capture, status, digest string) *Capture {
	for _, c := range past {
		if c.Digest != digest || c.Status != status || c.Truncated != "" {
			continue
		}
		if c.MIME != Revisit {
			return c
		}
		if to := a.target(c); to != nil {
			return to
		}
	}
	return nil
}

// target is the record that a revisit refers to. Nil: it is not here, as where WARC files were
// moved away.
func (a *Archive) target(revisit *Capture) *Capture {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.index.has(revisit.RefersURI, revisit.RefersDate) {
		return nil
	}
	return &Capture{URL: revisit.RefersURI, Date: revisit.RefersDate}
}

// leastShared is the least body that is looked for under other addresses, and the least record that
// is found so, in octets: a revisit takes about as much.
const leastShared = 1 << 10

// elsewhere is the record of any address that has the body of a capture, sent in the same form;
// nil: there is none.
func (a *Archive) elsewhere(c *Capture) *Capture {
	key := contentKey(c)
	if key == "" {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if first := a.shared[key]; first != nil {
		return first
	}
	found, err := a.index.under(key)
	if err != nil || len(found) == 0 {
		return nil // it is kept once more, which loses nothing
	}
	return found[0]
}

// smallAnswer is the size in octets, as stored, up to which what is beside an answer is compressed.
const smallAnswer = 2 << 10

// Put takes in what was said in a visit. It is durable after the next Sync.
func (a *Archive) Put(v *Visit, exchanges []fetch.Exchange) error {
	if len(exchanges) == 0 {
		return nil
	}
	w := <-a.writers
	defer a.giveBack(w)
	data := w.data[:0]
	defer func() { w.data = data }()
	var captures []*Capture
	for i := range exchanges {
		x := &exchanges[i]
		past, err := v.past, error(nil)
		if x.URL != v.URL || !v.looked {
			if past, err = a.past(x.URL); err != nil {
				return err
			}
		}
		answer, capture := a.answerOf(x, past)
		answer.Coding = a.coding(answer)
		capture.Offset = int64(len(data))
		if data, err = w.Append(data, answer); err != nil {
			return err
		}
		capture.Length = int64(len(data)) - capture.Offset
		captures = append(captures, capture)
		// Beside a page, to compress what is small takes a tenth of the page's time and saves a
		// twentieth of its space. Beside a revisit it saves a third.
		coding := warc.Small
		if capture.Length > smallAnswer {
			coding = warc.Stored
		}
		if data, err = w.Append(data, beside(answer, x, warc.Request, warc.HTTPRequest, x.Request,
			coding)); err != nil {
			return err
		}
		if x.URL == v.URL {
			if data, err = w.Append(data, beside(answer, x, warc.Metadata, warc.Fields, v.block(x),
				coding)); err != nil {
				return err
			}
		}
	}
	return a.append(data, captures)
}

// gzipMark begins a body that is compressed (RFC 1952, 2.3.1). It is looked for within so many
// octets: the first chunk may begin before it.
var gzipMark = []byte{0x1f, 0x8b, 8}

const markWithin = 16

// answerOf is the record of an answer, and its line of the index.
func (a *Archive) answerOf(x *fetch.Exchange, past []*Capture) (
	*warc.NewRecord, *Capture) {
	m, err := warc.ParseResponse(x.Response)
	if err != nil { // no header that anybody could read: what came is kept as it is
		m = &warc.Message{Status: x.Status, Head: x.Response, Open: true}
	}
	cut := x.Cut
	switch {
	case m.Whole && !m.Open:
		cut = fetch.CutNot
	case !m.Whole && cut == fetch.CutNot:
		cut = fetch.CutDisconnect
	}
	r := &warc.NewRecord{Type: warc.Response, ID: warc.NewID(), Date: x.Began,
		Block: [][]byte{m.Head, m.Body}}
	if bytes.Contains(m.Body[:min(len(m.Body), markWithin)], gzipMark) {
		r.Coding = warc.Stored
	}
	add := func(name, value string) {
		r.Fields = append(r.Fields, warc.Field{Name: name, Value: value})
	}
	c := &Capture{Key: SURT(x.URL), Time: x.Began, URL: x.URL,
		Date:   warc.FormatDate(x.Began),
		Status: strconv.Itoa(x.Status), MIME: mediaType(m.Get("Content-Type")),
		Truncated: cut.String(), Chunked: m.IsChunked()}
	if m.Payload != nil {
		c.Digest = warc.DigestText(m.Payload)
	}
	refer := func(to *Capture, profile string) {
		r.Type, r.Block = warc.Revisit, [][]byte{m.Head}
		c.MIME, c.RefersURI, c.RefersDate = Revisit, to.URL, to.Date
		add(warc.ProfileField, profile)
		add(warc.RefersURIField, to.URL)
		add(warc.RefersDateField, to.Date)
	}
	add(warc.URIField, x.URL)
	add(warc.AddressField, x.Address.String())
	if x.Status == 304 {
		if to := a.original(past); to != nil {
			refer(to, warc.NotModified)
		}
	} else if m.Size > 0 && cut == fetch.CutNot {
		to := a.same(past, c.Status, c.Digest)
		if to == nil && m.Size >= leastShared {
			to = a.elsewhere(c)
		}
		if to != nil {
			refer(to, warc.SamePayload)
		}
	}
	if c.Digest != "" {
		add(warc.PayloadDigestField, c.Digest)
	}
	if c.Truncated != "" {
		add(warc.TruncatedField, c.Truncated)
	}
	add(warc.ContentField, warc.HTTPResponse)
	return r, c
}

// beside is a record of the same event as another one.
func beside(
	answer *warc.NewRecord, x *fetch.Exchange, kind, content string, block []byte,
	coding warc.Coding,
) *warc.NewRecord {
	r := &warc.NewRecord{Type: kind, ID: warc.NewID(), Date: answer.Date, Block: [][]byte{block},
		Coding: coding}
	r.Fields = []warc.Field{{Name: warc.URIField, Value: x.URL},
		{Name: warc.ConcurrentField, Value: answer.ID}}
	if kind == warc.Request {
		r.Fields = append(r.Fields, warc.Field{Name: warc.AddressField, Value: x.Address.String()})
	}
	r.Fields = append(r.Fields, warc.Field{Name: warc.ContentField, Value: content})
	return r
}

// block are the fields of a metadata record (WARC 1.1, 6.6): those of the standard, and our own.
func (v *Visit) block(x *fetch.Exchange) []byte {
	fields := []warc.Field{
		{Name: "fetchTimeMs", Value: strconv.FormatInt(x.Ended.Sub(x.Began).Milliseconds(), 10)},
		{Name: "visitOutcome", Value: v.Outcome},
		{Name: "firstVisit", Value: strconv.FormatBool(v.First)},
	}
	if v.Reason != nil {
		fields = append(fields, warc.Field{Name: "visitReason", Value: v.Reason.String()})
	}
	if !v.Time.IsZero() {
		fields = append(fields,
			warc.Field{Name: "visitTime", Value: v.Time.UTC().Format(time.RFC3339Nano)})
	}
	if !math.IsNaN(v.Probability) {
		fields = append(fields,
			warc.Field{Name: "changeProbability",
				Value: strconv.FormatFloat(v.Probability, 'g', 6, 64)})
	}
	if v.Detail != "" {
		fields = append(fields, warc.Field{Name: "visitDetail", Value: v.Detail})
	}
	if v.Referer != "" {
		fields = append(fields, warc.Field{Name: "via", Value: v.Referer})
	}
	return fieldsBlock(fields)
}

// fieldsBlock is a block of application/warc-fields. What would end a line becomes a blank.
func fieldsBlock(fields []warc.Field) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		b.WriteString(f.Name + ": " + strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, f.Value) + "\r\n")
	}
	return b.Bytes()
}

// mediaType is a Content-Type without parameters, as indexes have it.
func mediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if kind == "" || strings.ContainsFunc(kind, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "unk" // as others do
	}
	return kind
}
