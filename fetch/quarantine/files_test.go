package quarantine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestHostileFiles checks that no file makes reading fail, takes too long or too much memory: it
// has text, or its bytes count.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the race detector takes memory of its own, and each file its whole time")
	}
	resident := filepath.Join(t.TempDir(), "resident")
	t.Setenv(residentIn, resident)
	reader := reader(t, "measured", nil)
	reader.Time = 2 * time.Second // the worst ones take all of it
	files := fetchtest.HostileFiles()
	if len(files) < 50 {
		t.Errorf("%d files", len(files))
	}
	for _, file := range files {
		body := file.Make()
		began := time.Now()
		content, err := reader.Read(t.Context(), fetch.Reading{URL: url, ContentType: file.Type,
			Body: body, Forms: extract.AllForms})
		took := time.Since(began)
		if err != nil || content.Document == nil || content.Page.Digests.Text.IsZero() {
			t.Errorf("%s: %v, %+v", file.Name, err, content)
		}
		if took > maxTime {
			t.Errorf("%s: it took %v", file.Name, took)
		}
		t.Logf("%-35s %8d octets  %4d ms  %s", file.Name, len(body), took.Milliseconds(),
			content.Unread)
	}
	measured, err := os.ReadFile(resident)
	if err != nil {
		t.Logf("the memory of a process is not told here: %v", err)
		return
	}
	most := 0
	for line := range strings.Lines(string(measured)) {
		kilobytes, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, kilobytes)
	}
	t.Logf("the largest process that came to an end by itself had %d MB", most>>10)
	if most<<10 > maxMemory {
		t.Errorf("a process that read had %d MB of memory", most>>10)
	}
}

// residentIn names a file to which a reading process appends its peak memory in kilobytes.
const residentIn = "RECRAWL_TEST_RESIDENT"

// measured is fetch.Read in a process that reports its peak memory, if the system knows it.
func measured(ctx context.Context, r fetch.Reading) (fetch.Content, error) {
	content, err := fetch.Read(ctx, r)
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, ok := strings.Cut(string(status), "VmHWM:")
	if peak, _, _ = strings.Cut(peak, "kB"); !ok {
		return content, err
	}
	file, bad := os.OpenFile(os.Getenv(residentIn), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if bad == nil {
		_, bad = fmt.Fprintln(file, strings.TrimSpace(peak))
		bad = errors.Join(bad, file.Close())
	}
	return content, errors.Join(err, bad)
}

// TestShow checks the visible content of documents, and that HTML stays unchanged.
func TestShow(t *testing.T) {
	reader := reader(t, "well", nil)
	for _, c := range []struct{ kind, body, title, text, unread string }{
		{"text/html", "<p>x", "", "<p>x", ""},
		{fetchtest.PDFType, string(fetchtest.Shows("/Info<</Title(Report)/ModDate(D:20260131)>>",
			"/F 1 Tf (one) Tj 0 -10 Td (two) Tj")), "Report", "<p>one</p>\n<p>two</p>\n", ""},
		{fetchtest.PDFType, "%PDF", "", "<p>A file of which the text cannot be read; its bytes " +
			"have the MD5 bfa4b10a76324b166cfdad5e02a63730.</p>\n", "not a PDF file"},
		{"application/json", `{"b":[1,2],"a":"x"}`, "", "<p>&#34;a&#34;: &#34;x&#34;</p>", ""},
		{"text/plain", "a < b\n\n c", "", "<p>a &lt; b</p>\n<p>c</p>\n", ""},
		{"text/xml", "<rss><title>T</title><item><title>one", "T", "<p>title: one</p>", ""},
	} {
		shown, err := reader.Show(t.Context(), url, c.kind, []byte(c.body))
		if err != nil || !strings.Contains(string(shown.Page), c.text) ||
			!strings.Contains(shown.Unread, c.unread) || (c.unread == "") != (shown.Unread == "") {
			t.Errorf("%s: %s, %+v, %v", c.kind, shown.Page, shown, err)
		}
		if shown.Document != nil && shown.Document.Title != c.title {
			t.Errorf("%s: title %q", c.kind, shown.Document.Title)
		}
	}
}

// TestFileThatEndsItsReader checks that the bytes of a file count if its reader dies, and that the
// calling process continues.
func TestFileThatEndsItsReader(t *testing.T) {
	body := fetchtest.Shows("", "(x) Tj")
	register, _ := suspecting(t, url)
	content, err := reader(t, "ends", register).Read(t.Context(), fetch.Reading{URL: url,
		ContentType: fetchtest.PDFType, Forms: extract.AllForms, Body: body})
	if err != nil || content.Unread == "" || content.Page.Digests.Bytes.IsZero() {
		t.Errorf("%+v, %v", content, err)
	}
	if n := register.Suspects(); n != 0 {
		t.Errorf("%d suspects", n)
	}
	other, err := reader(t, "ends", nil).Read(t.Context(), fetch.Reading{URL: url,
		ContentType: fetchtest.PDFType, Forms: extract.AllForms, Body: append(body, '\n')})
	if err != nil || other.Page.Digests == content.Page.Digests ||
		other.Page.Digests.Bytes == (sitegraph.Digest{}) {
		t.Errorf("another file is not another content: %+v, %v", other, err)
	}
}
