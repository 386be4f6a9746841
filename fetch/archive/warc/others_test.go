package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func zipped(texts ...string) string {
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
	}
	return b.String()
}

// TestOtherWriters reads two records as other writers separate and pack them, each also at its
// offset alone.
func TestOtherWriters(t *testing.T) {
	const head = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 5\r\n\r\nhello"
	const record = head + "\r\n\r\n"
	for name, file := range map[string]string{
		"one member":           zipped(record + record),
		"empty members":        zipped("", record, "", record, ""),
		"empty lines in front": "\r\n\n" + record + record,
		"in front in a member": zipped("\r\n"+record, "\n\n"+record),
		"byte order mark":      "\xef\xbb\xbf" + record + record,
		"line feeds":           head + "\n\n" + head + "\n\n",
		"line feeds, zipped":   zipped(head+"\n\n", head+"\n\n"),
		"one line end":         head + "\r\n" + record,
		"no line end, zipped":  zipped(head, head),
		"many line ends":       record + "\r\n\r\n\r\n" + record + "\n",
		"plain, then zipped":   record + zipped(record),
		"members anywhere": zipped((record + record)[:9], (record + record)[9:43], "",
			(record + record)[43:len(record)-6], (record + record)[len(record)-6:len(record)+8],
			record[8:]),
	} {
		records, _, err := all(t, []byte(file))
		if err != nil || len(records) != 2 {
			t.Errorf("%s: %d records, %v", name, len(records), err)
			continue
		}
		for i, want := range records {
			r := NewReader(strings.NewReader(file[want.Offset:]), want.Offset)
			if err := r.Skip(want.Within); err != nil {
				t.Fatalf("%s, record %d: %v", name, i, err)
			}
			rec, err := r.Next()
			if err != nil || rec.Within != want.Within || rec.Length != 5 {
				t.Errorf("%s, record %d at %d and %d: %+v, %v",
					name, i, want.Offset, want.Within, rec, err)
			}
		}
	}
}

// TestMemberEndsEarly checks a member that ends before its record. The record is damaged, and the
// record in the next member is read.
func TestMemberEndsEarly(t *testing.T) {
	const head = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 500\r\n\r\n"
	const record = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	for _, early := range []string{"WARC/1.0\r\nWARC-", head, head + "hello"} {
		first := zipped(early)
		records, _, err := all(t, []byte(first+zipped(record)))
		var damage *DamageError
		if len(records) != 0 || !errors.As(err, &damage) || damage.Offset != 0 {
			t.Errorf("%q: %d records, %v", early, len(records), err)
		}
	}
}

// TestARC reads ARC files of both versions.
func TestARC(t *testing.T) {
	const answer = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello"
	record := func(address, stamp, kind, more, block string) string {
		return fmt.Sprintf("%s 192.0.2.1 %s %s %s%d\n%s\n", address, stamp, kind, more, len(block),
			block)
	}
	for _, more := range []string{"", "200 - - 0 x.arc "} {
		parts := []string{
			record("filedesc://x.arc", "20240131120000", "text/plain", more, "1 0 Internet\nURL\n"),
			record("http://h.example/a", "20240131120000", "text/html", more, answer),
			record("http://h.example/a b", "202401311200", "text/html", more, answer),
			record("dns:h.example", "20240131120000", "text/dns", more, "1.2.3.4"),
			record("http://h.example/e", "20240131120000", "no-type", more, ""),
		}
		for name, file := range map[string]string{"plain": strings.Join(parts, ""),
			"members": zipped(parts...), "one member": zipped(strings.Join(parts, ""))} {
			records, seen, err := all(t, []byte(file))
			if err != nil || len(records) != len(parts) {
				t.Errorf("%s: %d records, %v", name, len(records), err)
				continue
			}
			for i, want := range []string{"warcinfo filedesc://x.arc text/plain 0",
				"response http://h.example/a application/http; msgtype=response 200",
				"response http://h.example/a%20b application/http; msgtype=response 200",
				"resource dns:h.example text/dns 0", "resource http://h.example/e no-type 0"} {
				rec := &records[i]
				got := fmt.Sprint(rec.Type(), " ", rec.URI(), " ", rec.Get(ContentField), " ",
					seen[i].Status)
				if at, err := rec.Date(); got != want || err != nil ||
					FormatDate(at) != "2024-01-31T12:00:00.000000Z" {
					t.Errorf("%s: %s of %v; want %s", name, got, at, want)
				}
			}
		}
	}
	for _, line := range []string{"", "http://h.example/", "http://h.example/ - x text/html 5",
		"h.example 192.0.2.1 20240131120000 text/html 5",
		"http://h.example/ 192.0.2.1 20240131120000 text/html -5",
		"http://h.example/ 192.0.2.1 20240199120000 text/html 5"} {
		if fields := arcFields(line); fields != nil {
			t.Errorf("%q is %v", line, fields)
		}
	}
}

// TestParseRecord reads bodies that writers decoded, with unchanged headers.
func TestParseRecord(t *testing.T) {
	page := "<title>T</title>" + strings.Repeat("<p>words", 20)
	digest := func(text string) string {
		d := newDigester("sha1:")
		d.Write([]byte(text))
		return d.result().Actual
	}
	coded := zipped(page)
	const short, gz = "Content-Length: 9", "Content-Encoding: gzip\r\nContent-Length: "
	for name, test := range map[string]struct{ fields, body, claim, want string }{
		"decoded":            {gz + "9", page, "", page},
		"no coding at all":   {"Content-Encoding: none\r\n" + short, page, "", page[:9]},
		"coded, and more":    {gz + fmt.Sprint(len(coded)), coded + "more", "", coded},
		"more":               {short, page, "", page[:9]},
		"digest of all":      {short, page, digest(page), page},
		"digest of the body": {gz + "9", page, digest(page[:9]), page[:9]},
		"another digest":     {gz + "9", page, digest("x"), page},
		"without its chunks": {"Transfer-Encoding: chunked", "5\r\n" + page,
			digest("5\r\n" + page), "5\r\n" + page},
	} {
		rec := &Record{Header: []Field{{TypeField, Response}, {PayloadDigestField, test.claim}}}
		block := "HTTP/1.1 200 OK\r\n" + test.fields + "\r\n\r\n" + test.body
		m, err := ParseRecord(rec, []byte(block))
		if err != nil || string(m.Plain()) != test.want || m.Size != int64(len(test.want)) ||
			DigestText(m.Payload) != digest(test.want) {
			t.Errorf("%s: %.50q, %d octets, %v", name, m.Plain(), m.Size, err)
		}
	}
}

func TestCodings(t *testing.T) {
	got := Codings([]Field{{"Transfer-Encoding", "gzip, chunked"}, {"content-encoding", "br, x"}})
	if !slices.Equal(got, []string{"br", "gzip"}) {
		t.Errorf("%q", got)
	}
}
