package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/recrawl/recrawl/sitegraph"
)

// FuzzHeaders checks that a wait is bounded and in the future, that validators are valid, that no
// date is later than the answer, and that a target is canonical. Header fields are arbitrary.
func FuzzHeaders(f *testing.F) {
	f.Add("120", `W/"1"`, "Fri, 01 Mar 2024 12:00:00 GMT", "/x#y",
		`</self>; rel=self, <//hub>; rel="hub"`, "text/html; charset=x")
	f.Add("Fri, 01 Mar 2124 12:00:00 GMT", "\"a\r\nb\"", "Fri, 01 Mar 2124 12:00:00 GMT",
		"http://[::1%25lo]/", `<`, "\x1b")
	f.Add("99999999999999999999", "*", "1 Mar", "\\\\x", `<a>;rel`, "")
	now := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, retry, tag, modified, location, link, kind string) {
		h := http.Header{"Retry-After": {retry}, "Etag": {tag}, "Last-Modified": {modified},
			"Location": {location}, "Link": {link}, "Content-Type": {kind}}
		if at, ok := retryAfter(h, now); ok &&
			(at.Before(now) || at.After(now.Add(maxRetryAfter))) {
			t.Errorf("wait until %v", at)
		}
		a := &answer{status: http.StatusMovedPermanently, header: h, ended: now}
		o := new(sitegraph.Observation)
		validate(o, a)
		if strings.ContainsAny(o.ETag, "\r\n\x00") || o.LastModified.After(now) {
			t.Errorf("validators %q, %v", o.ETag, o.LastModified)
		}
		o = &sitegraph.Observation{URL: home}
		judgeRedirect(o, a, &sitegraph.Record{})
		reply := &answer{status: http.StatusPermanentRedirect, header: h, ended: now}
		for _, target := range []string{o.RedirectTo, reply.reply(home).Location} {
			if again, err := sitegraph.Canonical(target); target != "" &&
				(err != nil || again != target) {
				t.Errorf("target %q: %v", target, err)
			}
		}
		if strings.Trim(a.mediaType()+o.Detail, printableOctets) != "" {
			t.Errorf("not printable: %q %q", a.mediaType(), o.Detail)
		}
	})
}

var printableOctets = func() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

// FuzzNameServer checks that answers of a name server hold for a bounded time, and that a
// connection over TCP keeps at most one message.
func FuzzNameServer(f *testing.F) {
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true},
		Answers: []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName("a."),
				Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 1 << 31},
			Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}}
	packed, _ := m.Pack()
	f.Add(packed)
	f.Fuzz(func(t *testing.T, b []byte) {
		var h hearing
		h.message(b)
		if h.ttl < 0 || h.ttl > 1<<31*time.Second || h.ttl > 0 && h.ttl < time.Second {
			t.Errorf("it holds for %v", h.ttl)
		}
	})
}
