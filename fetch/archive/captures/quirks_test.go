package captures

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// record returns a WARC record of a URL. Its block is an HTTP answer unless it has another type.
func record(kind, uri, contentType, block string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: "+
		"2024-01-31T12:00:00Z\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n\r\n%s\r\n\r\n", kind, uri, contentType, len(block), block)
}

func answered(uri, fields, body string) string {
	return record("response", uri, "application/http", "HTTP/1.1 200 OK\r\nContent-Type: text/html"+
		"\r\n"+fields+"\r\n"+body)
}

func zip1(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

func br(text string) string {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// TestWARCBodies reads one page in the form of several writers: each time the same page.
func TestWARCBodies(t *testing.T) {
	page := "<title>T</title>" + strings.Repeat("<p>Words of a page.</p>", 40)
	const gz, short = "Content-Encoding: gzip\r\n", "Content-Length: 58\r\n"
	of := func(fields, body string) string { return answered("http://h.example/a", fields, body) }
	plain := of("", page)
	for name, file := range map[string]string{
		"br":             of("Content-Encoding: br\r\n", br(page)),
		"two codings":    of("Content-Encoding: gzip,br\r\n", br(zip1(page))),
		"two fields":     of(gz+"Content-Encoding: br\r\n", br(zip1(page))),
		"decoded":        of("Content-Encoding: br\r\n", page),
		"old length":     of(gz+short, page),
		"too long":       of(gz+"Content-Length: 99999\r\n", page),
		"no coding":      of("Content-Encoding: utf-8\r\n", page),
		"behind the end": of(fmt.Sprintf("Content-Length: %d\r\n", len(page)), page+"HTTP/1.1"),
		"empty line":     "\r\n" + plain,
		"no media type":  strings.Replace(plain, "Content-Type: application/http\r\n", "", 1),
		"a day alone":    strings.Replace(plain, "T12:00:00Z", "", 1),
		"a zone":         strings.Replace(plain, "00Z", "00+0000", 1),
		"no checksum":    of(gz, strings.TrimSuffix(zip1(page), zip1(page)[len(zip1(page))-8:])),
		"no chunks":      of("Transfer-Encoding: chunked\r\n", page),
		"no last line": of("Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n",
			len(page), page)),
		"byte order": "\xef\xbb\xbf" + plain,
		"ARC": "filedesc://x.arc 0.0.0.0 20240131120000 text/plain 4\n1 0\n\n" + fmt.Sprintf(
			"http://h.example/a 192.0.2.1 20240131120000 text/html %d\nHTTP/1.0 200 OK\r\n"+
				"Content-Type: text/html\r\n\r\n%s\n", 44+len(page), page),
	} {
		for _, ending := range []string{".warc", ".warc.gz"} {
			f, all, err := readAll(t, fileOf(t, "f"+ending, file), Options{})
			if err != nil || f.BadCount > 0 || len(all) != 1 || all[0].Size != int64(len(page)) {
				t.Errorf("%s%s: %+v, %+v, %v", name, ending, f, all, err)
			}
		}
	}
	// A lost part of a body would look like a change.
	cut := br(page)[:40]
	f, all, err := readAll(t, fileOf(t, "f.warc",
		plain+of("Content-Encoding: br\r\n", cut)), Options{})
	if err != nil || f.BadCount != 1 || len(all) != 1 {
		t.Errorf("a cut body: %+v, %+v, %v", f, all, err)
	}
}

// TestCutBodies reads pages without their end: they would look changed.
func TestCutBodies(t *testing.T) {
	const page = "<p>Words of a page.</p>"
	for name, file := range map[string]string{
		"length": answered("http://h.example/a", "Content-Length: 99\r\n", page),
		"no last chunk": answered("http://h.example/a", "Transfer-Encoding: chunked\r\n",
			"17\r\n"+page+"\r\n"),
		"gzip": answered("http://h.example/a", "Content-Encoding: gzip\r\n",
			zip1(page)[:20]),
		"segments": strings.Replace(answered("http://h.example/a", "", page), "WARC-Date",
			"WARC-Segment-Number: 1\r\nWARC-Date", 1),
	} {
		file += answered("http://h.example/b", "", page)
		f, all, err := readAll(t, fileOf(t, "f.warc", file), Options{})
		if err != nil || len(all) != 1 || f.BadCount != 1 {
			t.Errorf("%s: %v, %+v, %v", name, all, f, err)
		}
	}
	// Only the end of the last record is missing, and that is reported.
	f, all, err := readAll(t, fileOf(t, "f.warc", strings.TrimSuffix(
		answered("http://h.example/a", "", page), "\r\n\r\n")), Options{})
	if err != nil || len(all) != 1 || f.BadCount != 1 {
		t.Errorf("no end of a record: %v, %+v, %v", all, f, err)
	}
}

// TestNoPages reads other records of crawlers. They are sound, and do not count as damage.
func TestNoPages(t *testing.T) {
	warc := ""
	for i, uri := range []string{"dns:h.example", "whois:h.example", "urn:X-wpull:log",
		"screenshot:https://h.example/", "urn:view:https://h.example/", "about:blank",
		"metadata://gnu.org/software/wget/warc/MANIFEST.txt", "ftp://h.example/"} {
		warc += record([]string{"response", "resource"}[i%2], uri, "text/plain", "x")
	}
	warc += record("response", "", "application/http", "x") // real damage
	warc += record("response", "h.example:80/", "application/http", "x")
	warc += answered("http://h.example/", "", "<p>page")
	line := `{"url": %q, "mime": "text/html", "status": "200", "digest": "` + shaA + `"}` + "\n"
	index := "dns:h.example 20240131120000 " + fmt.Sprintf(line, "dns:h.example") +
		"x 20240131120000 " + fmt.Sprintf(line, "h.example:80/") +
		"x 20240131120000 " + fmt.Sprintf(line, "nothing") +
		"example,h)/ 20240131120000 " + fmt.Sprintf(line, "http://h.example/")
	for name, text := range map[string]string{"f.warc": warc, "f.cdxj": index} {
		f, all, err := readAll(t, fileOf(t, name, text), Options{})
		if err != nil || f.BadCount != 2 || len(f.Bad) != 2 || len(all) != 1 {
			t.Errorf("%s: %+v, %+v, %v", name, f, all, err)
		}
	}
}

// TestRows reads the JSON of index servers.
func TestRows(t *testing.T) {
	for name, c := range map[string]struct {
		text                  string
		captures, listed, bad int64
	}{
		"Wayback Machine": {`[["urlkey","timestamp","original","mimetype","statuscode","digest",` +
			`"length"],` + "\n" + `["example,h)/", "20240131120000", "http://h.example:80/", ` +
			`"text/html", "200", "` + shaA + `", "433"],` + "\n" +
			`["example,h)/", "20240201120000", "http://h.example:80/", "warc/revisit", "-", "` +
			shaA + `", "433"]]`, 2, 0, 0},
		"other columns": {"\xef\xbb\xbf\r\n[\r\n [\"original\", \"timestamp\", " +
			"\"statuscode\", \"digest\"],\r\n[\"http://h.example/\", \"20240131120000\", 200, \"" +
			shaA + "\"], [\"dns:h.example\", \"20240131120000\", null, null]\r\n]\r\n", 1, 0, 0},
		"addresses alone": {`[["original"],["http://h.example/"],["http://h.example/b"]]`, 0, 2, 0},
		"no status": {`[["original","timestamp"],["http://h.example/","20240131120000"]]`,
			0, 1, 0},
		"key for the rest": {`[["original","timestamp"],["http://h.example/","2024"],[],` +
			`["x%20y"]]`, 0, 1, 0},
		"objects": {`[{"timestamp":"20240131120000","url":"http://h.example/","status":404},` +
			`{"timestamp":"20240201120000","original":"http://h.example/","statuscode":"200",` +
			`"digest":"` + shaA + `"}]`, 2, 0, 0},
		"nothing": {"[]\n", 0, 0, 0},
		"cut":     {`[["original"],["http://h.example/"],["http://h.ex`, 0, 1, 1},
		"columns are missing": {`[["original","timestamp","length"],["http://h.example/",` +
			`"20240131120000","1"],["x", "y"]]`, 0, 1, 1},
	} {
		f, all, err := readAll(t, fileOf(t, "f.json", c.text), Options{})
		if err != nil || f.Format != CDX || f.Captures != c.captures || f.Listed != c.listed ||
			f.BadCount != c.bad || int64(len(all)) != c.captures+c.listed {
			t.Errorf("%s: %+v, %+v, %v", name, f, all, err)
		}
	}
	for name, text := range map[string]string{"no names": `[["a","b"],["c","d"]]`,
		"endless row": `[["original"],["` + strings.Repeat("a", 3*mostLine)} {
		if f, all, err := readAll(t, fileOf(t, "f.json", text), Options{}); err == nil {
			t.Errorf("%s: %+v, %+v", name, f, all)
		}
	}
	lines := `{"urlkey":"example,h)/","timestamp":"20240131120000","url":"http://h.example/",` +
		`"mime":"text/html","status":200,"length":4,"redirect":null,"digest":"` + shaA + `"}` +
		"\r\n"
	if f, all, err := readAll(t, fileOf(t, "f.jsonl", lines), Options{}); err != nil ||
		f.Format != CDXJ || len(all) != 1 || all[0].Status != 200 {
		t.Errorf("JSON lines: %+v, %+v, %v", f, all, err)
	}
}

// TestCompressions reads files of other compressions than gzip, and names one that is not read.
func TestCompressions(t *testing.T) {
	file := answered("http://h.example/a", "", "<p>A page.") +
		answered("http://h.example/b", "", "<p>Another.")
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, fmt.Appendf(nil, "%x %s %d", i*7919, file[i:], i*i))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples,
		History: []byte(file), Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := zstd.NewWriter(nil) // the options are sound
	with, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary))
	if err != nil {
		t.Fatal(err)
	}
	frame := func(of []byte) string {
		return dictionaryMark + string(binary.LittleEndian.AppendUint32(nil, uint32(len(of)))) +
			string(of)
	}
	records := string(with.EncodeAll([]byte(file[:len(file)/2]), nil)) +
		string(with.EncodeAll([]byte(file[len(file)/2:]), nil))
	for name, text := range map[string]string{"zstd": string(plain.EncodeAll([]byte(file), nil)),
		"dictionary":            frame(dictionary) + records,
		"compressed dictionary": frame(plain.EncodeAll(dictionary, nil)) + records} {
		f, all, err := readAll(t, fileOf(t, "f.warc.zst", text), Options{})
		if err != nil || len(all) != 2 || f.BadCount > 0 {
			t.Errorf("%s: %v, %+v, %v", name, all, f, err)
		}
	}
	list, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWUCGPrIAAAXZgAAQ" +
		"AAGAECJGREAgADEDQNAghtR+qenFaRTDZY3T/gu5IpwoSCBDH1kA")
	if err != nil {
		t.Fatal(err)
	}
	f, all, err := readAll(t, fileOf(t, "f.bz2", string(list)), Options{})
	if err != nil || len(all) != 1 || all[0].URL != "http://h.example/a" {
		t.Errorf("bzip2: %v, %+v, %v", all, f, err)
	}
	for name, text := range map[string]string{"xz": "\xfd7zXZ\x00\x00", "undo": "BZh91AY",
		"zstd": frame(nil)[:8], "dictionary": dictionaryMark + "\xff\xff\xff\xff"} {
		if in, err := Open(fileOf(t, "f", text), ""); err == nil {
			if _, _, err = readAll(t, in.Name, Options{}); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
}

// TestZIPs reads a WACZ of WACZ files, a ZIP of WARC files, and a damaged WARC file in a WACZ.
func TestZIPs(t *testing.T) {
	stored := func(files ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte(files[i+1]))
		}
		z.Close()
		return b.String()
	}
	one := zip1(answered("http://h.example/a", "", "<p>A page."))
	two := zip1(answered("http://h.example/b", "", "<p>Another."))
	for name, test := range map[string]struct {
		file      string
		want, bad int
	}{
		"nested": {stored("datapackage.json", "{}", "a.wacz", stored("archive/a.warc.gz", one),
			"b.wacz", stored("archive/b.warc.gz", two)), 2, 0},
		"plain ZIP": {stored("x/a.warc.gz", one, "x/b.warc.gz", two), 2, 0},
		"damaged":   {stored("archive/a.warc.gz", one+one[:30]+"damaged"+one[60:]+two), 2, 1},
	} {
		f, all, err := readAll(t, fileOf(t, "f.wacz", test.file), Options{})
		if err != nil || len(all) != test.want || f.BadCount != int64(test.bad) {
			t.Errorf("%s: %v, %+v, %v", name, all, f, err)
		}
	}
}
