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

// Visit is the reason for a visit and its outcome, which no header contains.
type Visit struct {
	URL         string
	Time        time.Time    // of the observation, as in the journal
	Reason      fmt.Stringer // nil: not known
	Probability float64      // planned probability of a change; NaN: not estimated
	Outcome     string
	Detail      string
	First       bool
	Referer     string // URL of the first page with a link to it; "": none

	past   []*Capture // of URL
	looked bool       // Begin was called
}

// Take makes a visit and stores its exchanges. The visit is unconditional if the archive has no
// body that a "not modified" could refer to. Nothing is stored of a page that says noarchive or
// that a filter rejects. If the client must reread the copy, it gets the stored body. The error is
// that of the visit, or of the archive: then the visit must not count as made.
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
		return o, err // interrupted here: the answer is no capture
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

// Begin looks up the captures of the URL before the visit. It reports whether one has a body that a
// "not modified" could refer to.
func (a *Archive) Begin(v *Visit) (held bool, err error) {
	v.past, err = a.past(v.URL)
	v.looked = err == nil
	return a.original(v.past) != nil, err
}

// past returns the latest captures of a URL, newest first.
func (a *Archive) past(url string) ([]*Capture, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.index.last(url)
}

// original returns the record that a "not modified" refers to: the last successful answer. It
// returns nil if there is none.
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

// same returns the record that already has such a body, or nil.
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

// target returns the record that a revisit refers to, or nil if it is not here, for example because
// WARC files were moved away.
func (a *Archive) target(revisit *Capture) *Capture {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.index.has(revisit.RefersURI, revisit.RefersDate) {
		return nil
	}
	return &Capture{URL: revisit.RefersURI, Date: revisit.RefersDate}
}

// leastShared is the least size in octets of bodies that are compared across URLs: a revisit takes
// about as much.
const leastShared = 1 << 10

// elsewhere returns the record of any URL with the body of a capture, sent in the same form, or
// nil.
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
		return nil // the body is stored twice, which loses nothing
	}
	return found[0]
}

// smallAnswer is the stored size in octets up to which request and metadata are compressed with an
// answer.
const smallAnswer = 2 << 10

// Put stores the exchanges of a visit. They are durable after the next Sync.
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
		// For a page, compressing its small records takes a tenth of the page's time and saves a
		// twentieth of its space. For a revisit it saves a third.
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

// gzipMark begins a compressed body (RFC 1952, 2.3.1). The first markWithin octets are searched,
// because a chunk size may come before it.
var gzipMark = []byte{0x1f, 0x8b, 8}

const markWithin = 16

// answerOf returns the record of an answer, and its line in the index.
func (a *Archive) answerOf(x *fetch.Exchange, past []*Capture) (
	*warc.NewRecord, *Capture) {
	m, err := warc.ParseResponse(x.Response)
	if err != nil { // an unreadable header: keep the answer as it came
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

// beside returns a record of the same event as another one.
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

// block returns the fields of a metadata record (WARC 1.1, 6.6): those of the standard, and
// recrawl's own.
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

// fieldsBlock returns a block of application/warc-fields. Characters that would end a line become
// blanks.
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

// mediaType returns a Content-Type without parameters, as in indexes.
func mediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if kind == "" || strings.ContainsFunc(kind, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "unk" // as other tools do
	}
	return kind
}
