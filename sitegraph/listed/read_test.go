package listed

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/recrawl/recrawl/sitegraph"
)

const h = "http://h.example/"

// Read returns the only address in a line, or none.
func TestRead(t *testing.T) {
	for line, want := range map[string]string{
		h + "a": h + "a", "  " + h + "a \r": h + "a", "HTTP://H.example:80/a#b": h + "a",
		"https://日本.example/ページ": "https://xn--wgv71a.example/%E3%83%9A%E3%83%BC%E3%82%B8",
		// columns
		h + "a\tnutch.score=10\tkey=v": h + "a", "3\t" + h + "a\ttitle": h + "a",
		"\t" + h + "a": h + "a", h + "a\t" + h + "b": h + "a", "1\t" + h + "a\t" + h + "b": "",
		"1," + h + "a,title": h + "a", "1;" + h + "a;title": h + "a", "1|" + h + "a|x": h + "a",
		`"` + h + `a","Title, with"`: h + "a", `1,"` + h + `a,b"`: h + "a,b",
		`"` + h + `a","` + h + `b"`: "", "1," + h + "a," + h + "b": "",
		h + "a,title": "", h + "a,200": "", h + "a;title": "", h + "a|title": "",
		h + "a,text/html": "", h + "a?q=1,2": "", "http://h.example,title": "",
		h + "a,": h + "a", h + "a,,": h + "a", h + "a;": h + "a", h + "a,Some title": "",
		h + "a,12,0.html": h + "a,12,0.html", h + "?b=1,2&c=3": h + "?b=1,2&c=3",
		h + "a;jsessionid=1": h + "a;jsessionid=1", h + "?a=1;b=2": h + "?a=1;b=2",
		// quotes and brackets
		`"` + h + `a"`: h + "a", "'" + h + "a'": h + "a", "<" + h + "a>": h + "a",
		"<URL:" + h + "a>,": h + "a", `"` + h + `a,b",`: h + "a,b", `"` + h + `a`: "",
		`"` + h + `a" x`: "", h + `a"b`: "", h + "a>b": "", h + `a\tb`: "", `http:\\h.example\a`: "",
		// comments
		"# note": "", " # note": "", "#" + h + "a": "", "// note": "", "//": "", "; note": "",
		h + "a # note": h + "a", h + "a // note": h + "a", h + "a ; note": h + "a",
		`"` + h + `a" # note`: h + "a", h + "a  # note " + h + "b": h + "a",
		// nothing, or in doubt
		"": "", " \t ": "", h + "a b": "", h + "a " + h + "b": "", h + "a\u00a0b": "",
		h + "a\u200bb": "", h + "a\x01": "", h + "a\u200b": h + "a", "\ufeff" + h + "a": h + "a",
		h + "a\rb": "", h + "\xe9": "", h + "a\tcaf\xe9": h + "a", "\xe9," + h + "a": h + "a",
		"caf\xe9": "", "h.example/x": "", "www.h.example": "", "//h.example/x": "",
		"h.example:8080/x": "", "localhost:80": "", "/x": "", "mailto:a@b.example": "",
		"ftp://h.example/": "", "javascript:x": "", "http:/h.example/": "", "http:h.example": "",
		"http:///h.example/": "", "http://": "", "https://?x": "", "word": "", "a,b": "",
		"see " + h + "a": "", "[x](" + h + "a)": "", "- " + h + "a": "",
		`{"url":"` + h + `a","n":1}`: "", `<a href="` + h + `a">`: "",
	} {
		var f Form
		got, kind := f.Read([]byte(line))
		if got != want || (kind == Address) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", line, got, kind, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for line, want := range map[string]Kind{
		"": Blank, "# x": Comment, ";x": Comment, "// x": Comment, "h.example/x": NoScheme,
		"h.example": NoScheme, "//h.example/": NoScheme, "/x/y": NoScheme,
		"h.example:80/": NoScheme, "ftp://h.example/": NotWeb, "mailto:x": NotWeb,
		h + "a b": Spaced, h + "a\u3000b": Spaced, h + "a,b": Divided, h + "a\x7f": Invisible,
		h + "a\u00adb": Invisible, h + "<a": Forbidden, "h\x00t\x00": Zeros, h + "\xe9": NotUTF8,
		h + strings.Repeat("x", 5000): TooLong, "http:/x": Malformed, "not an address": Malformed,
		"http://a b/": Spaced, "http://[::1/": Malformed, "1," + h + "," + h: Several,
		"see " + h + ", " + h:     Malformed,
		`"` + h + `","` + h + `"`: Several, "[x](" + h + ")": Malformed,
	} {
		var f Form
		if _, kind := f.Read([]byte(line)); kind != want {
			t.Errorf("%.60q: %v, want %v", line, kind, want)
		}
	}
}

// A header names the column with the addresses.
func TestHeader(t *testing.T) {
	for _, test := range []struct{ header, line, want string }{
		{"url,title", h + "a,title", h + "a"},
		{"Title,URL,Date", `"A, b",` + h + "a,2024", h + "a"},
		{"Title,URL,Date", `A,"` + h + `a,b",2024`, h + "a,b"},
		{"Title;Address", "x;" + h + "a,b", h + "a,b"},
		{`"id"|"loc"`, "1|" + h + "a", h + "a"},
		{"id\tlink\tref", "1\t" + h + "a\t" + h + "b", h + "a"},
		{"url", h + "a,b", h + "a,b"},
		{"url,title", "h.example/x,title", ""},
		{"url,title", ",title", ""},
		{"title;url", ";" + h + "a", h + "a"},
		{"title,url", "x", ""},
		{"url,title", "# note", ""},
		{"url,title", h + "a b,title", ""},
		{"url;dur\xe9e", h + "a;\xe9", h + "a"},
		{"Adresse;Titre", h + "a,b;x", h + "a,b"},
		{"sep=;\nurl;title", h + "a;x", h + "a"},
		{"\n# note\nurl", h + "a,b", h + "a,b"},
	} {
		var f Form
		if f.Begin([]byte(test.header)) == 0 {
			t.Errorf("%q is no header", test.header)
		}
		if got, kind := f.Read([]byte(test.line)); got != test.want {
			t.Errorf("%q, %q: %q, %v", test.header, test.line, got, kind)
		}
	}
	for _, line := range []string{h + "a", "h.example/x,title", "a,b", "not an address",
		"1," + h + "a", "\x01,url", h + "a\nurl"} {
		var f Form
		if f.Begin([]byte(line)) > 0 || f != (Form{}) {
			t.Errorf("%q is a header", line)
		}
	}
}

// If only a few of many lines have a comma, there are no columns: the commas belong to addresses.
func TestCommasOfFew(t *testing.T) {
	for _, test := range []struct {
		plain, divided int
		whole          bool
	}{{30, 5, true}, {5, 5, false}, {20, 20, false}, {0, 40, false}, {40, 0, true}} {
		list := strings.Repeat(h+"a\n", test.plain) + strings.Repeat(h+"a,b\n", test.divided)
		var f Form
		if n := f.Begin([]byte(list)); n != 0 || f.Whole != test.whole {
			t.Errorf("%+v: line %d, %v", test, n, f.Whole)
		}
	}
}

func TestEnds(t *testing.T) {
	for text, want := range map[string]string{"a\rb\r": "a\nb\n", "a\r\nb\n\r\nc": "a\nb\n\nc",
		"\r\r\n\n": "\n\n\n", "": "", "a\n": "a\n"} {
		for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader,
			iotest.DataErrReader, iotest.HalfReader} {
			got, err := io.ReadAll(Ends(wrap(strings.NewReader(text))))
			if err != nil || string(got) != want {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
	}
}

// FuzzRead checks that a result is the canonical form of a part of the line without blanks.
func FuzzRead(f *testing.F) {
	f.Add("", h+"a\tnutch.score=10", false)
	f.Add("url,title", `"`+h+`a,b","t"`, false)
	f.Add("a;link", "1;<URL:"+h+"a> # note", false)
	f.Add("", "1|"+h+"a\r"+h+"b", true)
	f.Add("", h+`a\xb`, true)
	f.Fuzz(func(t *testing.T, header, line string, whole bool) {
		if len(line) > 60 {
			return
		}
		form := Form{Whole: whole}
		form.Begin([]byte(header))
		url, kind := form.Read([]byte(line))
		if (kind == Address) != (url != "") || kind >= Kinds {
			t.Errorf("%q: %q and %v", line, url, kind)
		}
		if url == "" {
			return
		}
		for from := range line {
			for to := from + 1; to <= len(line); to++ {
				part := line[from:to]
				if strings.ContainsAny(part, " \t\r\n\x00") || !hasScheme(part) {
					continue
				}
				if c, err := sitegraph.Canonical(part); err == nil && c == url {
					return
				}
			}
		}
		t.Errorf("%q: %q does not stand in it", line, url)
	})
}

// Read allocates nothing for a plain line.
func TestPlainLinesAllocateNothing(t *testing.T) {
	line, f := []byte("http://h.example/some/page.html"), Form{}
	if n := testing.AllocsPerRun(100, func() { f.Read(line) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
