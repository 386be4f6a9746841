package document

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/fetchtest"
)

// TestPDF checks the text of PDFs: spaced words are separate, kerned letters are not, and lines
// stay lines.
func TestPDF(t *testing.T) {
	for name, c := range map[string]struct{ operators, want string }{
		"shown":           {"BT /F 12 Tf (one) Tj ET", "one"},
		"kerning":         {"BT /F 12 Tf [(W) 80 (ord) -333 (next) -100 (word)] TJ ET", "Word nextword"},
		"moved on a line": {"BT /F 12 Tf (a) Tj 30 0 Td (b) Tj ET", "a b"},
		"lines": {"BT /F 12 Tf 14 TL (a) Tj T* (b) Tj 0 -14 Td (c) Tj (d) ' 1 2 (e) \" ET",
			"a|b|c|d|e"},
		"matrix":        {"BT /F 12 Tf 1 0 0 1 10 700 Tm (a) Tj 1 0 0 1 90 700 Tm (b) Tj ET", "a b"},
		"octets":        {"BT /F 12 Tf (caf\\351 \\226 \\(x\\)) Tj ET", "café – (x)"},
		"part":          {"BT /F 12 Tf (a) Tj ET /X Do BT (b) Tj ET", "a|shared|b"},
		"no such font":  {"BT /G 12 Tf (a) Tj ET", "a"},
		"empty strings": {"BT /F 12 Tf () Tj [] TJ (a) Tj ET", "a"},
	} {
		body := fetchtest.Shows("", c.operators, fetchtest.Stream("/Subtype/Form",
			"BT /F 12 Tf (shared) Tj ET"))
		d, err := Read(extract.FormPDF, body)
		if got := strings.Join(d.Lines, "|"); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// TestPDFAbout checks title and date, and that an unreadable page makes the whole file an error.
func TestPDFAbout(t *testing.T) {
	d, err := Read(extract.FormPDF, fetchtest.Shows(
		"/Info<</Title<FEFF00DC0062006500720020>/ModDate(D:20260131120000+01'00')>>", "(x) Tj"))
	if want := time.Date(2026, 1, 31, 11, 0, 0, 0, time.UTC); err != nil || d.Title != "Über" ||
		!d.Date.Equal(want) {
		t.Errorf("title %q, date %v, %v", d.Title, d.Date, err)
	}
	if _, err := Read(extract.FormPDF, fetchtest.Shows("", "")); !errors.Is(err, ErrNoText) {
		t.Errorf("a file without text: %v", err)
	}
	bad := fetchtest.PDF("", "<</Pages 2 0 R>>", "<</Kids[3 0 R 4 0 R]>>", "<</Contents 5 0 R>>",
		"<</Contents 6 0 R>>", fetchtest.Stream("", "(good) Tj"),
		fetchtest.Stream("/Filter/FlateDecode", "no zlib"))
	if d, err := Read(extract.FormPDF, bad); err == nil {
		t.Errorf("a page is missing from %q", d.Lines)
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"D:20260131120000Z":      "2026-01-31T12:00:00Z",
		"D:20260131120000-05'30": "2026-01-31T17:30:00Z",
		"D:202601":               "2026-01-01T00:00:00Z",
		"2026":                   "2026-01-01T00:00:00Z",
		"D:20261301":             "0001-01-01T00:00:00Z",
		"yesterday":              "0001-01-01T00:00:00Z",
		"":                       "0001-01-01T00:00:00Z",
	} {
		if got := dateOf(text).Format(time.RFC3339); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestOffice checks text, title and date of each kind of office file.
func TestOffice(t *testing.T) {
	core := fetchtest.ZipPart{Name: "docProps/core.xml", Text: `<cp:coreProperties xmlns:dc="d">` +
		`<dc:title>The  title</dc:title><dcterms:created>2020-01-01T00:00:00Z</dcterms:created>` +
		`<dcterms:modified>2026-01-31T12:00:00Z</dcterms:modified></cp:coreProperties>`}
	part := func(name, text string) fetchtest.ZipPart {
		return fetchtest.ZipPart{Name: name,
			Text: text}
	}
	for name, c := range map[string]struct {
		parts []fetchtest.ZipPart
		want  string
	}{
		"docx": {[]fetchtest.ZipPart{core, part("word/document.xml",
			`<w:document><w:body><w:p><w:r>`+
				`<w:t>Two </w:t><w:tab/><w:t>words</w:t><w:instrText>PAGE</w:instrText></w:r></w:p>`+
				`<w:p/><w:tbl><w:tr><w:tc><w:p><w:t>a &amp; b</w:t></w:p></w:tc></w:tr></w:tbl>`)},
			""}, // its end is missing
		"docx whole": {[]fetchtest.ZipPart{core, part("word/document.xml",
			`<w:document><w:p><w:t>Two `+
				`</w:t><w:tab/><w:t>words</w:t><w:instrText>PAGE</w:instrText></w:p><w:p/>`+
				`<w:p><w:t>a &amp; b</w:t></w:p></w:document>`)}, "Two words|a & b"},
		"xlsx": {[]fetchtest.ZipPart{core, part("xl/workbook.xml", "<w/>"),
			part("xl/sharedStrings.xml", "<sst><si><t>Price</t></si><si><r><t>a </t></r><r><t>b"+
				"</t></r></si></sst>"),
			part("xl/worksheets/sheet10.xml", "<s><row><c><v>10</v></c></row></s>"),
			part("xl/worksheets/sheet2.xml", `<s><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c>`+
				`<c><v>1.5</v></c></row><row><c t="inlineStr"><is><t>in line</t></is></c></row></s>`)},
			"Price a b 1.5|in line|10"},
		"pptx": {[]fetchtest.ZipPart{core, part("ppt/presentation.xml", "<p/>"),
			part("ppt/slides/slide2.xml", "<s><a:p><a:t>second</a:t></a:p></s>"),
			part("ppt/slides/slide1.xml", "<s><a:p><a:r><a:t>fi</a:t></a:r><a:r><a:t>rst</a:t></a:r>"+
				"</a:p></s>")}, "first|second"},
		"odt": {[]fetchtest.ZipPart{part("mimetype", "application/vnd.oasis.opendocument.text"),
			part("meta.xml", "<m><dc:title>The title</dc:title><dc:date>2026-01-31T12:00:00.5</dc:date>"+
				"</m>"),
			part("content.xml", "<o><text:h>Head</text:h><text:p>a<text:span>b</text:span><text:s/>c"+
				"</text:p></o>")}, "Head|ab c"},
	} {
		d, err := Read(extract.FormOffice, fetchtest.Zip(c.parts...))
		if (c.want == "") != (err != nil) || strings.Join(d.Lines, "|") != c.want {
			t.Errorf("%s: %q, %v; want %q", name, d.Lines, err, c.want)
		}
		if err == nil && (d.Title != "The title" ||
			d.Date.Truncate(time.Second).Format(time.RFC3339) != "2026-01-31T12:00:00Z") {
			t.Errorf("%s: title %q, date %v", name, d.Title, d.Date)
		}
	}
	if _, err := Read(extract.FormOffice, []byte("\xd0\xcf\x11\xe0 an old file")); !errors.Is(err,
		ErrNoReader) {
		t.Errorf("an old file: %v", err)
	}
}

// TestBounds checks the limits of unpacked octets and of text.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"text": {"<p><t>" + strings.Repeat("x ", MostText/2+1) + "</t></p>", errText.Error()},
		"unpacked": {"<p>" + strings.Repeat(" ", MostUnpacked) + "</p>",
			errUnpacked.Error()},
		"deep": {strings.Repeat("<p>", mostDeep+1), "its elements are more than 256 deep"},
	} {
		_, err := Read(extract.FormOffice,
			fetchtest.Zip(fetchtest.ZipPart{Name: "word/document.xml",
				Text: c.text}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	operators := "(" + strings.Repeat("x ", 1<<19) + ") Tj "
	_, err := Read(extract.FormPDF, fetchtest.Shows("", strings.Repeat(operators, 9)))
	if err == nil || !errors.Is(err, errText) {
		t.Errorf("text of a PDF: %v", err)
	}
}

// FuzzOffice checks that any part gives lines of words, and the same ones again.
func FuzzOffice(f *testing.F) {
	f.Add("word/document.xml", "<p><t>x</t></p>")
	f.Add("content.xml", "<p>\xff<s/>\x01")
	f.Fuzz(func(t *testing.T, name, text string) {
		if strings.HasSuffix(name, "/") {
			return // a directory has no text
		}
		body := fetchtest.Zip(fetchtest.ZipPart{Name: name, Text: text})
		d, err := Read(extract.FormOffice, body)
		again, _ := Read(extract.FormOffice, body)
		if strings.Join(d.Lines, "|") != strings.Join(again.Lines, "|") {
			t.Errorf("%q, then %q", d.Lines, again.Lines)
		}
		for _, line := range d.Lines {
			if err != nil || line == "" || line != words(line) {
				t.Errorf("line %q, %v", line, err)
			}
		}
	})
}
