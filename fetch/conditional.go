package fetch

import (
	"net/http"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// maxETag is the longest entity tag that is remembered, in octets.
const maxETag = 1 << 10

// validETag reports whether a tag can be sent back unchanged (RFC 9110 8.8.3).
func validETag(tag string) bool {
	if len(tag) > maxETag || len(tag) < 2 {
		return false
	}
	opaque := tag
	if len(tag) > 2 && tag[:2] == "W/" {
		opaque = tag[2:]
	}
	if len(opaque) < 2 || opaque[0] != '"' || opaque[len(opaque)-1] != '"' {
		return false
	}
	for i := 1; i < len(opaque)-1; i++ {
		if c := opaque[i]; c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

// FullEvery is the number of visits from one unconditional request for a copy to the next. Some
// servers answer 304 for ever.
const FullEvery = 16

// acceptPages is the Accept field of a request for a page.
const acceptPages = "text/html,application/xhtml+xml"

// requestHeader returns the header of a request for a page, and whether it is conditional. With
// json or documents, JSON or other documents are accepted as pages.
func requestHeader(rec *sitegraph.Record, json, documents bool) (h http.Header, conditional bool) {
	h = http.Header{"Accept": {acceptPages}}
	if json {
		h.Set("Accept", acceptPages+",application/json")
	}
	if documents {
		h.Set("Accept", acceptPages+",application/json;q=0.9,text/plain;q=0.9,*/*;q=0.1")
	}
	isSource := rec.State == sitegraph.StateSource
	if isSource {
		h.Set(
			"Accept",
			"application/atom+xml,application/rss+xml,application/xml,text/xml,text/plain;q=0.5,*/*;q=0.1",
		)
	}
	if rec.State != sitegraph.StateAlive && !isSource ||
		rec.History.Visits%FullEvery == FullEvery-1 {
		return h, false
	}
	return h, condition(h, rec.ETag, rec.LastModified)
}

// lastModified reads the header field. A time in the future is ignored unless it is past by the
// server's own clock (RFC 9110 8.8.2.1).
func lastModified(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil && date.After(now) {
		now = date
	}
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || t.After(now) || t.Unix() <= 0 {
		return time.Time{}
	}
	return t.UTC()
}

// Condition makes a request conditional on the validators of a copy: the fields ETag and
// Last-Modified of its header.
func Condition(h http.Header, etag, lastModified string) {
	at, _ := http.ParseTime(lastModified) // zero for an invalid date
	condition(h, etag, at)
}

// condition makes a request conditional on a valid entity tag and a time that is not zero. It
// reports whether it set a condition.
func condition(h http.Header, etag string, lastModified time.Time) (conditional bool) {
	if validETag(etag) {
		h.Set("If-None-Match", etag)
		conditional = true
	}
	if !lastModified.IsZero() {
		h.Set("If-Modified-Since", lastModified.UTC().Format(http.TimeFormat))
		conditional = true
	}
	return conditional
}
