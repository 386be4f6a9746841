package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recrawl/recrawl/fetch/fetchtest"
)

// TestDocuments follows a PDF, a table and JSON from a link to their reports: by a watch, by diff
// and in a corpus. A hostile file is kept, and stops nothing.
func TestDocuments(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		price := "ten"
		if r.URL.Path == "/report.pdf" && visits.Add(1) > 1 {
			price = "twelve"
		}
		answer := func(kind string, body []byte) {
			w.Header().Set("Content-Type", kind)
			w.Write(body)
		}
		switch r.URL.Path {
		case "/":
			answer("text/html", []byte("<p>Reports <a href=report.pdf>PDF</a> <a href=table.xlsx>"+
				"table</a> <a href=data.json>data</a> <a href=bomb.docx>more</a> <a href=x.png>"))
		case "/report.pdf":
			answer(fetchtest.PDFType, fetchtest.Shows("/Info<</Title(Prices)/ModDate(D:20260131)>>",
				"BT /F 9 Tf (The lamp costs "+price+" euros today. "+
					strings.Repeat("It is a good lamp for a desk. ", 12)+") Tj ET"))
		case "/table.xlsx":
			answer(fetchtest.XLSXType, fetchtest.Zip(
				fetchtest.ZipPart{Name: "xl/workbook.xml", Text: "<w/>"},
				fetchtest.ZipPart{Name: "xl/worksheets/sheet1.xml",
					Text: "<s><row><c><v>42</v></c></row></s>"}))
		case "/data.json":
			answer("application/json", []byte(`{"price": 10}`))
		case "/bomb.docx":
			for _, file := range fetchtest.HostileFiles() {
				if file.Name == "Z bomb" {
					answer(file.Type, file.Make())
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	hook, messages := webhook(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "watch.yaml"), fmt.Sprintf("contact: you@example.org\nrules:\n"+
		"- {name: prices, url: %q, max-age: 10s, quiet: 1s, to: %q}\n", site.URL+"/report.pdf", hook))
	run := func() result {
		return recrawlIn(t, dir, nil, "run", "--data", "data", "--archive", "warc", "--user-agent",
			"mybot/1.0 (you@example.org)", "--documents", "pdf,office,json", "--allow-private",
			"--watch", "watch.yaml", "--delay", "1ms", "--unlimited", "--round", "2s",
			"--rounds", "4", site.URL+"/").ok(t)
	}
	first := run()
	for again := 0; visits.Load() < 2 && again < 5; again++ {
		run()
	}
	if !strings.Contains(first.stdout, "5 pages are known") {
		t.Errorf("the run found %s", first.stdout)
	}
	select {
	case m := <-messages:
		if text := m.Text(2000); m.Subject != "Prices changed" ||
			!strings.Contains(text, "[-ten-] {+twelve+}") ||
			!strings.Contains(text, "dated 2026-01-31") {
			t.Errorf("the message is %s", text)
		}
	default:
		t.Error("no message")
	}
	diff := recrawlIn(t, dir, nil, "diff", "--archive", "warc", site.URL+"/report.pdf").ok(t)
	for _, want := range []string{"1 word removed, 1 added", "--- Prices", "-ten", "+twelve",
		"dated 2026-01-31 00:00:00 UTC"} {
		if !strings.Contains(diff.stdout, want) {
			t.Errorf("diff has no %q:\n%s", want, diff.stdout)
		}
	}
	bomb := recrawlIn(t, dir, nil, "diff", "--archive", "warc", site.URL+"/bomb.docx").ok(t)
	if !strings.Contains(bomb.stdout, "its text cannot be read: ") {
		t.Errorf("diff of a bomb:\n%s", bomb.stdout)
	}
	build := func(documents string) corpusResult {
		return decode[corpusResult](t, recrawlIn(t, dir, nil, "corpus", "build", "--archive",
			"warc", "--corpus", "corpus", "--documents", documents, "--json").ok(t), true)
	}
	if r := build(""); r.Selected != 0 || r.Pages != 1 {
		t.Errorf("without documents: %+v", r)
	}
	if r := build("pdf"); r.Selected != 1 || r.Pages != 2 {
		t.Errorf("with PDF: %+v", r)
	}
	shown := recrawlIn(t, dir, nil, "search", "--corpus", "corpus", "--json", "lamp").ok(t)
	if found := decode[searchResults](t, shown, true); len(found.Hits) != 1 ||
		found.Hits[0].Title != "Prices" || found.Hits[0].URL != site.URL+"/report.pdf" {
		t.Errorf("a search finds %+v", found)
	}
	if r := build("json"); r.Selected != 0 || r.Deleted != 1 {
		t.Errorf("without PDF again: %+v", r)
	}
	bad := recrawl(t, "run", "--data", "x", "--user-agent", "mybot/1.0 (you@example.org)",
		"--documents", "djvu", site.URL)
	if bad.code != 2 || !strings.Contains(bad.stderr, "pdf, office, text, json, feed") {
		t.Errorf("djvu: exit code %d, %s", bad.code, bad.stderr)
	}
}
