package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/warc"
)

var exportTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// parts is the part of a second in every record.
const parts = 120345 * time.Microsecond

// keep stores pages in an archive, one a second.
func keep(t *testing.T, dir string, pages ...[2]string) *Archive {
	t.Helper()
	a, err := Open(dir, Options{MaxFile: 1500, Now: func() time.Time {
		return exportTime
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range pages {
		at := exportTime.Add(time.Duration(i)*time.Second + parts)
		x := fetch.Exchange{URL: page[0], Address: netip.MustParseAddr("127.0.0.1"), Began: at,
			Ended: at, Status: 200, Request: []byte("GET / HTTP/1.1\r\n\r\n"),
			Response: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: "+
				"text/html\r\nContent-Length: %d\r\n\r\n%s", len(page[1]), page[1])}
		if page[1] == "" {
			x.Status, x.Response = 304, []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
		}
		if err := a.Put(&Visit{URL: page[0], Time: at}, []fetch.Exchange{x}); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// TestExport checks that files and index of an export agree, during a run and after it.
func TestExport(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	a := keep(t, dir, [2]string{"http://h.example/a", "<title>A &amp;\n one</title>"},
		[2]string{"http://h.example/b", "<p>no title"},
		[2]string{"http://h.example/a", "<title>A two</title>"},
		[2]string{"http://h.example/a", ""}, [2]string{"http://h.example/b", "<p>no title"})
	to := ExportTo{WARC: filepath.Join(out, "warc"), CDXJ: filepath.Join(out, "i.cdxj"),
		WACZ:     filepath.Join(out, "x.wacz"),
		Software: "test", Created: exportTime.Format(time.RFC3339)}
	r, err := OpenReader(dir) // without a lock
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := Export(ctx, r, to, func(done, total int) {
		stop()
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted export: %v", err)
	}
	for _, left := range []string{to.CDXJ, to.WACZ} {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an interrupted export left %s: %v", left, err)
		}
	}
	if err := os.RemoveAll(to.WARC); err != nil {
		t.Fatal(err)
	}
	told, of := 0, 0
	result, err := Export(t.Context(), r, to, func(done, total int) { told, of = done, total })
	if told < of || of != 2*int(result.Bytes) {
		t.Errorf("told of %d bytes of %d", told, of)
	}
	if err != nil || result.Captures != 5 || result.Pages != 2 || len(result.Notes) > 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := errors.Join(r.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(t.Context(), r, to, func(int, int) {}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("copied over files that are there: %v", err)
	}

	index, err := os.ReadFile(to.CDXJ)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(bytes.Lines(index))
	if !slices.IsSortedFunc(lines, bytes.Compare) || len(lines) != 5 {
		t.Errorf("index: %s", index)
	}
	for _, line := range lines {
		c, err := ParseIndexLine(line)
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(filepath.Join(to.WARC, c.Filename))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := warc.NewReader(bytes.NewReader(file[c.Offset:c.Offset+c.Length]),
			c.Offset).Next()
		if err != nil || rec.URI() != c.URL {
			t.Errorf("%s: %v", line, err)
		}
	}
	// Lines of a WACZ have milliseconds. A record without header replaces a "not modified", with
	// status and digest of the earlier capture.
	files := checkWACZ(t, to.WACZ)
	replayed := slices.Collect(bytes.Lines(files["indexes/index.cdxj"]))
	if !slices.IsSortedFunc(replayed, bytes.Compare) || len(replayed) != len(lines) {
		t.Fatalf("index of the WACZ: %s", files["indexes/index.cdxj"])
	}
	var before *Capture
	for i, line := range replayed {
		c, err := ParseIndexLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if digits := bytes.Fields(line)[1]; string(digits) != Stamp(c.Time)+"120" {
			t.Errorf("%s: a moment of %s", line, digits)
		}
		rec, err := warc.NewReader(
			bytes.NewReader(files["archive/"+c.Filename][c.Offset:c.Offset+c.Length]),
			c.Offset).Next()
		if err != nil || rec.URI() != c.URL {
			t.Fatalf("%s: %v", line, err)
		}
		plain, _ := ParseIndexLine(lines[i])
		if plain.Status != "304" {
			if *c != *plain {
				t.Errorf("%+v is %+v in the WACZ", plain, c)
			}
			before = c
			continue
		}
		if at, err := rec.Date(); err != nil || rec.Length != 0 || rec.Type() != warc.Revisit ||
			rec.Get(warc.RefersURIField) != before.URL ||
			rec.Get(warc.RefersDateField) != warc.FormatDate(before.Time.Add(parts)) ||
			!at.Equal(c.Time.Add(parts)) {
			t.Errorf("%v of %d octets stands for what was not modified", rec.Header, rec.Length)
		}
		if c.MIME != Revisit || c.Status != before.Status || c.Digest != before.Digest {
			t.Errorf("%s is not as %+v", line, before)
		}
	}
	// All of them are valid WARC files.
	for name, content := range files {
		if !strings.HasSuffix(name, ".warc.gz") {
			continue
		}
		r := warc.NewReader(bytes.NewReader(content), 0)
		for rec, err := r.Next(); err != io.EOF; rec, err = r.Next() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if seen, err := r.Verify(rec); err != nil || seen.Block.Wrong() ||
				seen.Payload.Wrong() {
				t.Errorf("%s: %+v, %v", name, seen, err)
			}
		}
	}
}

func checkWACZ(t *testing.T, path string) (files map[string][]byte) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files = map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, "archive/") && f.Method != zip.Store {
			t.Errorf("%s is compressed again", f.Name)
		}
	}
	var description struct {
		Profile   string
		Version   string `json:"wacz_version"`
		Resources []resource
	}
	if err := json.Unmarshal(files["datapackage.json"], &description); err != nil ||
		description.Profile != "data-package" || description.Version != "1.1.1" {
		t.Errorf("%+v, %v", description, err)
	}
	sum := func(b []byte) string {
		s := sha256.Sum256(b)
		return "sha256:" + hex.EncodeToString(s[:])
	}
	for _, r := range description.Resources {
		if content := files[r.Path]; sum(content) != r.Hash || int64(len(content)) != r.Bytes ||
			filepath.Base(r.Path) != r.Name {
			t.Errorf("%+v is not %d octets of %s", r, len(content), sum(content))
		}
	}
	if len(description.Resources) != len(files)-2 {
		t.Errorf("%d resources of %d files", len(description.Resources), len(files))
	}
	if !bytes.Contains(files["datapackage-digest.json"], []byte(sum(files["datapackage.json"]))) {
		t.Errorf("digest: %s", files["datapackage-digest.json"])
	}
	want := `{"format":"json-pages-1.0","id":"pages","title":"All pages"}
{"id":"page-1","url":"http://h.example/a","ts":"2026-01-31T12:00:02Z","title":"A two"}
{"id":"page-2","url":"http://h.example/b","ts":"2026-01-31T12:00:01Z"}
`
	if got := string(files["pages/pages.jsonl"]); got != want {
		t.Errorf("pages: %s", got)
	}
	return files
}

// TestAnswers checks that the body of a revisit is that of the record it names.
func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	a := keep(t, dir, [2]string{"http://h.example/a", "one"},
		[2]string{"http://h.example/a", "one"}, [2]string{"http://h.example/a", ""},
		[2]string{"http://h.example/a", "two"}, [2]string{"http://h.example/a", ""})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, withIndex := range []bool{true, false} {
		if !withIndex {
			if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
				t.Fatal(err)
			}
		}
		r, err := OpenReader(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Of("http://h.example/a", exportTime, 100)
		if err != nil || len(all) != 5 {
			t.Fatalf("%d captures, %v", len(all), err)
		}
		for i, want := range []string{"one", "one", "one", "two", "two"} {
			answer, err := r.Answer(all[i])
			if err != nil || string(answer.Body) != want || answer.Status != 200 ||
				answer.Get("content-type") != "text/html" {
				t.Errorf("capture %d: %+v, %v", i, answer, err)
			}
		}
		if near, err := r.Of("http://www.h.example/a", exportTime.Add(3*time.Second),
			2); err != nil ||
			len(near) != 2 || Stamp(near[0].Time) != "20260131120002" &&
			Stamp(near[1].Time) != "20260131120003" {
			t.Errorf("near: %v, %v", near, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenReader(t.TempDir()); !errors.Is(err, ErrNoFiles) {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestNamesAreOurOwn checks that data of a server never names a file of an export and never ends a
// line of its lists (L01, L02).
func TestNamesAreOurOwn(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	a := keep(t, dir, [2]string{"http://h.example/../../etc/passwd",
		"<title>../\x1b[2J\u202e\r\n{\"url\":\"x\"}\x00=cmd</title>"},
		[2]string{"http://h.example/CON/%00/a.warc.gz", "<title>" + strings.Repeat("=", 5000) +
			"</title>"}, [2]string{"http://h.example/" + strings.Repeat("a", 2000), "x"})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	to := ExportTo{WARC: filepath.Join(out, "warc"), CDXJ: filepath.Join(out, "i.cdxj"),
		WACZ: filepath.Join(out,
			"x.wacz"), Software: "test", Created: exportTime.Format(time.RFC3339)}
	if _, err := Export(t.Context(), r, to, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(to.WACZ)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	name := regexp.MustCompile(
		`^(archive/recrawl-\d{14}-\d{5}\.warc\.gz|indexes/index\.cdxj|pages/pages\.jsonl|datapackage(-digest)?\.json)$`)
	for _, f := range z.File {
		if !name.MatchString(f.Name) {
			t.Errorf("a file %q", f.Name)
		}
		if f.Name != "pages/pages.jsonl" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for d := json.NewDecoder(in); d.More(); lines++ {
			var page struct{ ID, URL, Title string }
			if err := d.Decode(&page); err != nil || len(page.Title) > titleLength || lines > 0 &&
				!strings.HasPrefix(page.URL, "http://h.example/") {
				t.Errorf("%+v, %v", page, err)
			}
		}
		if lines != 4 {
			t.Errorf("%d lines of 3 pages", lines)
		}
	}
	copies, err := filepath.Glob(filepath.Join(to.WARC, "*"))
	if err != nil || len(copies) != len(r.Files()) {
		t.Errorf("%v, %v", copies, err)
	}
}

// TestStream writes each result to a stream, and leaves existing files unchanged.
func TestStream(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	if err := keep(t, dir, [2]string{"http://h.example/a", "<title>A</title>"},
		[2]string{"http://h.example/b", strings.Repeat("b", 2000)},
		[2]string{"http://h.example/c", "c"}).Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := filepath.Join(out, "f")
	for name, to := range map[string]ExportTo{"cdxj": {CDXJ: StandardOutput},
		"wacz": {WACZ: StandardOutput},
		"warc": {WARC: StandardOutput}, "cdxj file": {CDXJ: path}, "wacz file": {WACZ: path}} {
		to.Software, to.Created = "test", exportTime.Format(time.RFC3339)
		var stream bytes.Buffer
		to.Out = &stream
		result, err := Export(t.Context(), r, to, func(int, int) {})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := stream.Bytes()
		if strings.HasSuffix(name, "file") {
			if got, err = os.ReadFile(path); err != nil || len(result.Made) != 1 {
				t.Fatalf("%s: %+v, %v", name, result, err)
			}
			if len(result.Replaced) > 0 {
				t.Errorf("%s: %v were there before", name, result.Replaced)
			}
			if _, err := Export(t.Context(), r, to, func(int, int) {}); !errors.Is(err,
				fs.ErrExist) {
				t.Errorf("%s is there already: %v", name, err)
			}
			to.Force = true
			result, err := Export(t.Context(), r, to, func(int, int) {})
			if err != nil || !slices.Equal(result.Replaced, []string{path}) {
				t.Errorf("%s is made anew: %+v, %v", name, result, err)
			}
			if still, err := os.ReadFile(path); err != nil || !bytes.Equal(still, got) {
				t.Errorf("%s has changed: %v", name, err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else if len(result.Made) > 0 {
			t.Errorf("%s: made %v", name, result.Made)
		}
		found := 0
		switch name[:4] {
		case "cdxj":
			found = bytes.Count(got, []byte("\n"))
		case "wacz":
			z, err := zip.NewReader(bytes.NewReader(got), int64(len(got)))
			if err != nil {
				t.Fatal(err)
			}
			found = len(z.File) - len(r.Files()) - 1 // index, pages, two descriptions
		case "warc":
			for in := warc.NewReader(bytes.NewReader(got), 0); ; {
				rec, err := in.Next()
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if rec.Type() == warc.Response {
					found++
				}
			}
		}
		if found != 3 {
			t.Errorf("%s: %d of 3", name, found)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "z.warc"), []byte("WARC/1.1\r\nContent-Length: 0"+
		"\r\n\r\n\r\n\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mixed, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer mixed.Close()
	if _, err := Export(t.Context(), mixed, ExportTo{WARC: StandardOutput, Out: io.Discard},
		func(int, int) {}); !errors.Is(err, ErrMixedCompression) {
		t.Errorf("files of two kinds in one stream: %v", err)
	}
}

// TestSharedPageInWACZ: a page whose body the archive has from another URL is in the list of pages.
func TestSharedPageInWACZ(t *testing.T) {
	dir := t.TempDir()
	body := "<title>Both</title>" + random(5000)
	a := keep(t, dir, [2]string{"http://h.example/a", body}, [2]string{"http://h.example/b", body})
	closed(t, a)
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var list bytes.Buffer
	pages, err := writePages(r, &list)
	if err != nil || pages != 2 || !strings.Contains(list.String(),
		`"url":"http://h.example/b","ts":"`+exportTime.Add(time.Second).Format(time.RFC3339)+
			`","title":"Both"`) {
		t.Errorf("%d pages, error %v:\n%s", pages, err, list.String())
	}
}
