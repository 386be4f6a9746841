package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"github.com/recrawl/recrawl/fetch/extract"
)

// TestMain makes the test binary the annotator of TestCommand if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "annotate" {
		annotate()
		return
	}
	os.Exit(m.Run())
}

// annotate counts the letters of each sentence, and names the author of the page.
func annotate() {
	for in := json.NewDecoder(os.Stdin); ; {
		var d Document
		if in.Decode(&d) != nil {
			return
		}
		notes := []Note{{0, "sender", "who ]]> <b>"}}
		for _, s := range d.Sentences {
			notes = append(notes, Note{s.ID, "letters", strings.Repeat("x", len([]rune(s.Raw)))})
		}
		json.NewEncoder(os.Stdout).Encode(notes)
	}
}

const page = `<html lang=ja><head><title>情報通信</title></head><body>
<nav><a href="/a">関連機関一覧</a></nav>
<p>独立行政法人です。詳細は<b>「こちら。」</b>をご覧ください！ It costs 3.5 yen. Really?</p><p>No end</p>
<div class=footer>Fin &amp; <a href="/b">more</a></div></body></html>`

func standardDocument(t testing.TB, source []byte, contentType string) *Document {
	p := extract.HTML(source, contentType, "http://a.example/x", extract.Options{Body: true})
	d := NewDocument(DocumentSource{URL: "http://a.example/x", Charset: p.Charset, Language: "ja",
		Time: time.Unix(1e9, 0), Body: p.Body})
	d.FormatTime = time.Unix(2e9, 0).UTC()
	d.Header.InLinks = []Link{NewLink("http://b.example/", "to & a")}
	return d
}

// TestSentences checks that sentences end as in UAX 29, and that each stands at its place in the
// source.
func TestSentences(t *testing.T) {
	for _, charset := range []string{"utf-8", "shift_jis", "euc-jp"} {
		source := []byte(page)
		switch charset {
		case "shift_jis":
			source, _ = japanese.ShiftJIS.NewEncoder().Bytes(source)
		case "euc-jp":
			source, _ = japanese.EUCJP.NewEncoder().Bytes(source)
		}
		contentType := "text/html; charset=" + charset
		d := standardDocument(t, source, contentType)
		want := []string{"関連機関一覧", "独立行政法人です。", "詳細は「こちら。」をご覧ください！", "It costs 3.5 yen.", "Really?",
			"No end", "Fin & more"}
		if len(d.Sentences) != len(want) || d.OriginalEncoding != charset {
			t.Fatalf("%s: %+v", charset, d.Sentences)
		}
		for i, s := range d.Sentences {
			plain := extract.Text(source[s.Offset:s.Offset+s.Length], contentType, false)
			if s.Raw != want[i] || plain != s.Raw || s.ID != i+1 ||
				s.Japanese == 1 != (i == 1 || i == 2) ||
				s.Place == Beside != (i == 0 || i == 6) {
				t.Errorf("%s: %+v, in the source %q; want %q", charset, s, plain, want[i])
			}
		}
		if title := d.Header.Title; extract.Text(source[title.Offset:title.Offset+title.Length],
			contentType, false) != "情報通信" {
			t.Errorf("%s: title %+v", charset, title)
		}
	}
}

// TestRoundTrip checks that XML and JSON give the same document again, and that the XML is valid by
// the schema.
func TestRoundTrip(t *testing.T) {
	d := standardDocument(t, []byte(page), "text/html; charset=utf-8")
	a, err := AnnotatorCommand([]string{os.Args[0], "annotate"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	notes, err := a.Annotate(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Take(notes); err != nil {
		t.Fatal(err)
	}
	if d.Take([]Note{{Sentence: 99}}) == nil {
		t.Error("an annotation of no sentence is taken")
	}
	if len(d.Header.Information) != 1 || d.Sentences[1].Annotations[0].Text != "xxxxxxxxx" {
		t.Errorf("%+v", d)
	}
	text := same(t, d)
	for _, part := range []string{
		`<DocID Uri="http://b.example/">` + IDOf("http://b.example/") + `</DocID>`,
		`CrawlTime="2001-09-09T01:46:40Z"`,
		`<![CDATA[who ]]]]><![CDATA[> <b>]]>`, `is_Japanese_Sentence="1" Place="main"`,
	} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("validating needs xmllint")
	}
	file := filepath.Join(t.TempDir(), "x.xml")
	for _, c := range []struct {
		from, to string
		valid    bool
	}{{"", "", true}, {"<Header>", "<Head>", false}, {`Place="main"`, `Place="there"`, false},
		{"<S ", "<S More=\"1\" ", false}} {
		changed := bytes.ReplaceAll(text, []byte(c.from), []byte(c.to))
		changed = bytes.ReplaceAll(changed, []byte("</"+strings.TrimPrefix(c.from, "<")),
			[]byte("</"+strings.TrimPrefix(c.to, "<")))
		if c.from == "" {
			changed = text
		}
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(lint, "--noout", "--nonet", "--schema", "schema.xsd",
			file).CombinedOutput()
		if c.valid != (err == nil) {
			t.Errorf("%q for %q: %v, %s", c.to, c.from, err, out)
		}
	}
}

// same writes and reads a document in both forms.
func same(t testing.TB, d *Document) (text []byte) {
	text, err := d.XML()
	if err != nil {
		t.Fatal(err)
	}
	line, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	x, err := ParseXML(text)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	j, err := ParseJSON(line)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(line, []byte("\n")) != 1 || x.Digest() != d.Digest() ||
		j.Digest() != d.Digest() {
		t.Errorf("%s\nread\n%+v\n%+v\nwant\n%+v", text, x, j, d)
	}
	if d.Content() != x.Content() || !reflect.DeepEqual(x.Sentences, j.Sentences) {
		t.Errorf("sentences %+v, %+v", x.Sentences, j.Sentences)
	}
	return text
}

// FuzzDocument checks that the document of any page can be written, and is the same when read
// again.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(page))
	f.Add([]byte("<title>\x01\x0b</title>a\ufffe]]>&#xD;. B\xff? \U0010ffff<p>" +
		strings.Repeat("京", 2000)))
	f.Fuzz(func(t *testing.T, source []byte) {
		d := standardDocument(t, source, "text/html; charset=utf-8")
		same(t, d)
		last := 0
		for _, s := range d.Sentences {
			if s.Offset < last || s.Length <= 0 || s.Offset+s.Length > len(source) ||
				len(s.Raw) > 3*MostSentence {
				t.Fatalf("%+v", s)
			}
			last = s.Offset + s.Length
		}
	})
}

// FuzzParse checks that XML which can be read can be written, and is then the same.
func FuzzParse(f *testing.F) {
	text, _ := standardDocument(f, []byte(page), "text/html; charset=utf-8").XML()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseXML(text)
		if err != nil {
			return
		}
		again, err := d.XML()
		if err != nil {
			return // a year that RFC 3339 lacks
		}
		if _, err := ParseXML(again); err != nil {
			t.Fatalf("%v of\n%s", err, again)
		}
	})
}
