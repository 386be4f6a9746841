package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 123456000, time.UTC)

// written returns records in the form of a visit, and the offsets after each.
func written(t testing.TB, bodies ...string) (file []byte, ends []int) {
	t.Helper()
	var w Writer
	for i, body := range bodies {
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: "+
			"%d\r\n\r\n", len(body))
		sum := sha1.Sum([]byte(body))
		var err error
		file, err = w.Append(file, &NewRecord{Type: Response, ID: NewID(), Date: noon,
			Coding: Coding(i) % codings, Block: [][]byte{[]byte(head), []byte(body)},
			Fields: []Field{{URIField, fmt.Sprintf("http://h.example/%d", i)},
				{PayloadDigestField, DigestText(sum[:])},
				{ContentField, HTTPResponse}}})
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, len(file))
	}
	return file, ends
}

// random returns text that hardly compresses, with beginnings of records in it.
func random(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\n" + string(b)
}

// all reads records to the end of a file.
func all(t testing.TB, file []byte) (records []Record, seen []Seen, err error) {
	t.Helper()
	r := NewReader(bytes.NewReader(file), 0)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records, seen, nil
		}
		if err != nil {
			return records, seen, err
		}
		s, err := r.Verify(rec)
		if err != nil {
			return records, seen, err
		}
		records, seen = append(records, *rec), append(seen, s)
	}
}

// TestRoundTrip checks that records are read back octet for octet, each also at its offset.
func TestRoundTrip(t *testing.T) {
	bodies := []string{"", "x", random(22_000), strings.Repeat("a", 3<<20), random(1)}
	file, ends := written(t, bodies...)
	records, seen, err := all(t, file)
	if err != nil || len(records) != len(bodies) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i, rec := range records {
		begin := 0
		if i > 0 {
			begin = ends[i-1]
		}
		if rec.Offset != int64(begin) || rec.Stored != int64(ends[i]-begin) ||
			rec.Version != "WARC/1.1" || !rec.Gzip || rec.Within != 0 {
			t.Errorf("record %d lies at %d, %d octets; want %d, %d",
				i, rec.Offset, rec.Stored, begin, ends[i]-begin)
		}
		if !seen[i].Block.Right || !seen[i].Payload.Right ||
			seen[i].Size != int64(len(bodies[i])) || seen[i].Status != 200 {
			t.Errorf("record %d: %+v", i, seen[i])
		}
		if at, err := rec.Date(); err != nil || !at.Equal(noon) {
			t.Errorf("record %d is of %v, %v", i, at, err)
		}
		one, err := NewReader(bytes.NewReader(file[begin:ends[i]]), int64(begin)).Next()
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(one.Block)
		if err != nil || !bytes.HasSuffix(block, []byte(bodies[i])) ||
			one.URI() != fmt.Sprintf("http://h.example/%d", i) {
			t.Errorf("record %d read alone: %d octets of %s, %v", i, len(block), one.URI(), err)
		}
	}
}

// TestCutAnywhere checks that a file cut at any octet is read up to the incomplete record.
func TestCutAnywhere(t *testing.T) {
	file, ends := written(t, "first", random(300), "", "last")
	for cut := range len(file) {
		whole := 0
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		records, _, err := all(t, file[:cut])
		var damage *DamageError
		atEnd := cut == 0 || whole > 0 && ends[whole-1] == cut
		switch {
		case len(records) != whole:
			t.Fatalf("cut at %d: %d records, want %d", cut, len(records), whole)
		case atEnd && err != nil:
			t.Fatalf("cut at %d, behind a record: %v", cut, err)
		case !atEnd && (!errors.As(err, &damage) || !IsCut(err)):
			t.Fatalf("cut at %d: %v, want a cut record", cut, err)
		case !atEnd && whole > 0 && damage.Offset != int64(ends[whole-1]):
			t.Fatalf("cut at %d: %v, want it at %d", cut, err, ends[whole-1])
		}
	}
}

// TestDamageAnywhere checks that any changed octet is found: by checksum, structure or digest.
func TestDamageAnywhere(t *testing.T) {
	file, _ := written(t, "first", random(200), "last")
	_, seen, _ := all(t, file)
	for at := range file {
		bad := bytes.Clone(file)
		bad[at] ^= 0x55
		records, now, err := all(t, bad)
		if err != nil || len(now) != len(seen) {
			continue
		}
		for i := range now {
			// Time, flags and system in the header of a gzip member have no effect.
			if !now[i].Block.Right || now[i].Sum != seen[i].Sum ||
				records[i].URI() != fmt.Sprintf("http://h.example/%d", i) {
				t.Fatalf("octet %d was changed and record %d reads as %+v", at, i, now[i])
			}
		}
	}
}

// TestFieldsCannotForge checks that no value of a server can end the line of a header field.
func TestFieldsCannotForge(t *testing.T) {
	var w Writer
	for _, value := range []string{"a\r\nWARC-Type: response", "a\nb", "a\x00b", "a\x7f"} {
		if _, err := w.Append(nil,
			&NewRecord{Type: Response, Date: noon,
				Fields: []Field{{URIField, value}}}); err == nil {
			t.Errorf("%q is taken", value)
		}
	}
}

// TestHostileFiles checks that a reader does not spend memory or time because a header claims a
// size.
func TestHostileFiles(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
		return b.Bytes()
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"endless header": {zip("WARC/1.1\r\n" + strings.Repeat("x", 100<<20)), "longer than"},
		"many fields": {zip("WARC/1.1\r\n" + strings.Repeat("a: b\r\n", 10<<20)),
			"longer than"},
		"huge block": {zip("WARC/1.1\r\nContent-Length: 99999999999999\r\n\r\n"),
			"larger than"},
		"negative block": {zip("WARC/1.1\r\nContent-Length: -1\r\n\r\n"), "Content-Length"},
		"two signs": {zip("WARC/1.1\r\nContent-Length: +5\r\n\r\nhello\r\n\r\n"),
			"Content-Length"},
		"no length": {zip("WARC/1.1\r\nWARC-Type: response\r\n\r\n"), "Content-Length"},
		"longer than told": {zip("WARC/1.1\r\nContent-Length: 3\r\n\r\nhello\r\n\r\n"),
			"behind its block"},
		"no version":  {zip("HTTP/1.1 200 OK\r\n\r\n"), "does not begin"},
		"neither":     {[]byte("PK\x03\x04 something"), "neither"},
		"empty lines": {bytes.Repeat([]byte("\r\n"), 1000), "without end"},
		"one octet":   {[]byte{0x1f}, "cut"},
	} {
		_, _, err := all(t, test.file)
		var damage *DamageError
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want it to say %q", name, err, test.want)
		}
	}
}

// TestMessageWithoutEnd checks that an endless header of a message is only the block of its record.
func TestMessageWithoutEnd(t *testing.T) {
	var w Writer
	block := []byte("HTTP/1.1 200 OK\r\n" + strings.Repeat("x", 4<<20))
	file, err := w.Append(nil, &NewRecord{Type: Response, ID: NewID(), Date: noon,
		Block:  [][]byte{block},
		Fields: []Field{{URIField, "http://h.example/"}, {ContentField, HTTPResponse}}})
	if err != nil {
		t.Fatal(err)
	}
	_, seen, err := all(t, file)
	if err != nil || !seen[0].Block.Right || seen[0].Status != 0 {
		t.Errorf("%+v, %v", seen, err)
	}
}

func TestParseResponse(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, test := range map[string]struct {
		raw, head, body, payload string
		status                   int
		whole                    bool
	}{
		"length": {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloGARBAGE", "",
			"hello", "hello", 200, true},
		"short": {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "", "hello",
			"hello", 200, false},
		"open": {"HTTP/1.0 200 OK\r\n\r\nhello", "", "hello", "hello", 200, true},
		"chunked": {chunked + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\nGARBAGE", "",
			"3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\n", "hello", 200, true},
		"chunked, cut": {chunked + "3\r\nhel\r\n5\r\nl", "", "3\r\nhel\r\n5\r\nl", "hell", 200,
			false},
		"chunked, in a list": {"HTTP/1.1 200 OK\r\n" +
			"Transfer-Encoding: \"Chunked\", identity\r\n\r\n3\r\nhel\r\n0\r\n\r\n", "", "3\r\nhel\r\n0\r\n\r\n", "hel", 200, true},
		"chunked, is not": {chunked + "hello", "", "hello", "hello", 200, false},
		"not modified": {"HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\nGARBAGE", "",
			"", "", 304, true},
		"interim": {"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 404 Not " +
			"Found\r\nContent-Length: 1\r\n\r\nx",
			"HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\n", "x", "x", 404, true},
		"bare line feeds": {"HTTP/1.1 200 OK\nContent-Length: 1\n\nx", "", "x", "x", 200, true},
		"odd header lines": {"HTTP/1.1 200 OK\r\nno colon\r\n folded\r\nContent-Length: 1\r\n\r\nx",
			"", "x", "x", 200, true},
	} {
		m, err := ParseResponse([]byte(test.raw))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sum := sha1.Sum([]byte(test.payload))
		if m.Status != test.status || m.Whole != test.whole || string(m.Body) != test.body ||
			test.status != 304 &&
				(!bytes.Equal(m.Payload, sum[:]) || m.Size != int64(len(test.payload))) ||
			test.head != "" && string(m.Head) != test.head {
			t.Errorf("%s: %d, whole %v, head %q, body %q, %d octets",
				name, m.Status, m.Whole, m.Head, m.Body, m.Size)
		}
	}
	for _, raw := range []string{"", "HTTP/1.1 200 OK\r\nA: b\r\n",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("x", 2<<20)} {
		if _, err := ParseResponse([]byte(raw)); err == nil {
			t.Errorf("%.30q is an answer", raw)
		}
	}
}

// TestOthers reads files of other writers, from the library warcio.
func TestOthers(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "warc")
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skipf("no files of other writers here: %v", err)
	}
	var expected struct {
		Cases []struct {
			File       string
			ErrorAfter string `json:"error_after"`
			Records    []struct {
				Offset      int64
				Type, URI   string
				BlockLength int64 `json:"block_length"`
			}
		}
	}
	if err := json.Unmarshal(raw, &expected); err != nil {
		t.Fatal(err)
	}
	// This reader stops at a record with a wrong length, and reads several records in a member.
	fewer := map[string]int{"example-trunc.warc": 2, "example-wrong-chunks.warc.gz": 0}
	for _, c := range expected.Cases {
		file, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		records, _, err := all(t, file)
		want, less := fewer[c.File]
		if !less {
			want = len(c.Records)
		}
		if len(records) < want || c.ErrorAfter == "" && !less && err != nil {
			t.Errorf("%s: %d records of %d, %v", c.File, len(records), want, err)
			continue
		}
		for i, r := range c.Records[:want] {
			uri := strings.ReplaceAll(records[i].URI(), " ", "%20")
			if got := records[i]; got.Offset != r.Offset || got.Type() != r.Type || uri != r.URI ||
				got.Length != r.BlockLength {
				t.Errorf("%s, record %d: %d %s %s %d, want %+v",
					c.File, i, got.Offset, got.Type(), got.URI(), got.Length, r)
			}
		}
	}
}

// FuzzReader checks that reading any file ends, and that its records follow each other within the
// file.
func FuzzReader(f *testing.F) {
	file, _ := written(f, "first", random(100))
	f.Add(file)
	f.Add([]byte("WARC/1.0\r\nContent-Length: 2\r\nContent-Type: application/http\r\nWARC-Type: " +
		"response\r\n\r\nab\r\n\r\n"))
	f.Add([]byte("WARC/1.0\nContent-Length: 80\nContent-Type: application/http\nWARC-Type: " +
		"response\n\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Add([]byte("filedesc://x.arc 0.0.0.0 20240131120000 text/plain 4\n1 0\n\n" +
		"http://h.example/a b 192.0.2.1 20240131120000 text/html 18\nHTTP/1.0 200 OK\n\nx\n" +
		"dns:h.example 192.0.2.1 202401311200 text/dns 200 - - 0 x.arc 1\nx\n"))
	f.Add([]byte("\xef\xbb\xbf\r\n" + zipped("", "\nWARC/1.0\r\nContent-Length: 5\r", "\n\r\nhel",
		"lo\r\n\r\n")))
	f.Fuzz(func(t *testing.T, file []byte) {
		r := NewReader(bytes.NewReader(file), 0)
		end := int64(0)
		for {
			rec, err := r.Next()
			if err == nil {
				_, err = r.Verify(rec)
			}
			var damage *DamageError
			if err == io.EOF || errors.As(err, &damage) {
				return
			}
			if err != nil {
				t.Fatalf("%v is no damage", err)
			}
			if rec.Offset < end && rec.Within == 0 || rec.Stored < 0 ||
				rec.Offset+rec.Stored > int64(len(file)) {
				t.Fatalf("record of %d octets at %d, behind one that ends at %d, in a file of %d",
					rec.Stored, rec.Offset, end, len(file))
			}
			end = max(end, rec.Offset+rec.Stored)
		}
	})
}

// FuzzParseResponse checks that head and body of an answer are adjacent parts of the input.
func FuzzParseResponse(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ParseResponse(raw)
		of := &Record{Header: []Field{{TypeField, Response}, {PayloadDigestField, "sha1:x"}}}
		whole, bad := ParseRecord(of, raw)
		if (err == nil) != (bad == nil) || err == nil && len(whole.Body) < len(m.Body) {
			t.Fatalf("%v and %v, or a shorter body", err, bad)
		}
		if err != nil {
			return
		}
		if !bytes.Contains(raw, append(bytes.Clone(m.Head), m.Body...)) {
			t.Fatalf("%q and %q are not in %q", m.Head, m.Body, raw)
		}
		if m.Size > int64(len(m.Body)) {
			t.Fatalf("a payload of %d octets in a body of %d", m.Size, len(m.Body))
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1_000, 22_000, 200_000} {
		body := strings.Repeat(random(200)+" the quick brown fox ", size/250+1)[:size]
		var w Writer
		var out []byte
		b.Run(fmt.Sprintf("octets=%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				out, _ = w.Append(out[:0], &NewRecord{Type: Response, ID: NewID(), Date: noon,
					Block: [][]byte{[]byte(body)}})
			}
		})
	}
}

// TestFiller checks that fillers of any possible length are readable records.
func TestFiller(t *testing.T) {
	for _, octets := range []int{200, 201, 300, 65_000, 65_535, 65_700, 65_750, 65_800, 65_900,
		131_400, 131_500, 400_000} {
		for name, make := range map[string]func(int) ([]byte,
			error){"gzip": Filler, "plain": PlainFiller} {
			text, err := make(octets)
			if err != nil || len(text) != octets {
				t.Fatalf("%s: %d octets of %d, %v", name, len(text), octets, err)
			}
			r := NewReader(bytes.NewReader(text), 0)
			for {
				rec, err := r.Next()
				if err == io.EOF {
					break
				}
				if err == nil {
					_, err = r.Verify(rec)
				}
				if err != nil || rec.Type() != Metadata || rec.URI() != "" {
					t.Fatalf("%s of %d octets: %+v, %v", name, octets, rec, err)
				}
			}
		}
	}
	for _, make := range []func(int) ([]byte, error){Filler, PlainFiller} {
		if _, err := make(50); err == nil {
			t.Error("50 octets are a record")
		}
	}
}
