package history

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	d1 = "153c2ae8df7791aaff24701d4aaf08d5"
	d2 = "72edad6c37e75e5c76a4f1a0fadab0cb"
	d3 = "ef5e1fda03ab2dd0fcc2264fc80050db"
)

func digest(t testing.TB, s string) sitegraph.Digest {
	t.Helper()
	d, err := sitegraph.ParseDigest(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

// TestCarriedForward checks that omitted fields keep their values until the page is gone.
func TestCarriedForward(t *testing.T) {
	in := `{"url":"http://h/","t":10,"digest":"` + d1 + `","text":"` + d2 + `","main":"` + d3 + `","size":5,"links":["http://h/a","http://h/\u0062"]}
{"url":"http://h/a","t":10,"digest":"sha256:00ff","links":[],"frames":["http://h/f"],"unknown":{"x":1}}
{ "url" : "http://h/" , "t" : 20 , "digest" : "` + d2 + `" , "size" : 6 }

{"url":"http://h/","t":30,"gone":true}
{"url":"http://h/a","t":30,"redirect":"http://h/"}
{"url":"http://h/","t":40,"digest":"` + d1 + `","links":null}`
	for _, text := range []string{in, zipped(in)} {
		s, err := Read(strings.NewReader(text), "h.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		links := []string{"http://h/a", "http://h/b"}
		want := NewServer("h", 10, []*Page{
			{URL: "http://h/", Versions: []Version{
				{T: 10, Digests: sitegraph.Digests{Bytes: digest(t, d1), Text: digest(t, d2),
					Main: digest(t, d3)}, Size: 5, Links: links, LinksKnown: true},
				{T: 20, Digests: sitegraph.Digests{Bytes: digest(t, d2), Text: digest(t, d2),
					Main: digest(t, d3)}, Size: 6, Links: links, LinksKnown: true},
				{T: 30, Gone: true},
				{T: 40, Digests: sitegraph.Digests{Bytes: digest(t, d1)}},
			}},
			{URL: "http://h/a", Versions: []Version{
				{T: 10, Digests: sitegraph.Digests{Bytes: digest(t, "sha256:00ff")},
					LinksKnown: true, Frames: []string{"http://h/f"}, FramesKnown: true},
				{T: 30, Redirect: "http://h/"},
			}},
		})
		if !reflect.DeepEqual(s, want) {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
}

func TestAt(t *testing.T) {
	p := &Page{Versions: []Version{{T: 10}, {T: 20}, {T: 20, Size: 1}, {T: 30, Gone: true}}}
	for _, c := range []struct {
		t    int64
		want *Version
	}{{9, nil}, {10, &p.Versions[0]}, {19, &p.Versions[0]}, {20, &p.Versions[2]},
		{29, &p.Versions[2]}, {30, &p.Versions[3]}, {99, &p.Versions[3]}} {
		if got := p.At(c.t); got != c.want {
			t.Errorf("At(%d) = %v, want %v", c.t, got, c.want)
		}
	}
	if (&Page{}).At(5) != nil {
		t.Error("a page without versions has one")
	}
}

func TestBadInput(t *testing.T) {
	first := `{"url":"http://h/","t":10,"digest":"` + d1 + `"}` + "\n"
	line := func(f string, args ...any) string { return first + fmt.Sprintf(f, args...) + "\n" }
	whole := zipped(strings.Repeat(first, 1000))
	for name, c := range map[string]struct{ in, want string }{
		"no json": {line("hello"), "f.gz:2: line is not a JSON object"},
		"array":   {line("[1]"), "f.gz:2: line is not a JSON object"},
		"null":    {line("null"), "f.gz:2: line is null"},
		"two objects": {line(`{"url":"http://h/","t":10,"gone":true}{}`),
			"f.gz:2: line is not a JSON object"},
		"cut short": {first + `{"url":"http://h/","t":1`,
			"f.gz:2: line is not a JSON object"},
		"no url": {line(`{"t":10,"digest":"%s"}`, d1), "f.gz:2: url is missing"},
		"url null": {line(`{"url":null,"t":10,"digest":"%s"}`, d1),
			"f.gz:2: url is missing"},
		"url relative": {line(`{"url":"/a","t":10,"digest":"%s"}`, d1),
			`f.gz:2: url is "/a", not an absolute`},
		"url a number": {line(`{"url":1,"t":10}`), "f.gz:2: url is 1"},
		"no t": {line(`{"url":"http://h/","digest":"%s"}`, d1),
			"f.gz:2: t is missing"},
		"t a string":   {line(`{"url":"http://h/","t":"10"}`), `f.gz:2: t is "10"`},
		"t a fraction": {line(`{"url":"http://h/","t":10.5}`), "f.gz:2: t is 10.5"},
		"t negative": {line(`{"url":"http://h/","t":-1,"gone":true}`),
			"f.gz:2: t is -1, before"},
		"t in milliseconds": {line(`{"url":"http://h/","t":1700000000000,"gone":true}`),
			"f.gz:2: t is 1700000000000, after the year 2106"},
		"t backwards": {line(`{"url":"http://h/","t":9,"gone":true}`),
			"f.gz:2: t goes backwards: 9 comes after 10"},
		"first no digest": {line(`{"url":"http://h/a","t":10}`), "f.gz:2: digest is missing"},
		"later no digest": {line(`{"url":"http://h/","t":10,"size":1}`),
			"f.gz:2: digest is missing"},
		"digest short": {line(`{"url":"http://h/","t":10,"digest":"12"}`),
			`f.gz:2: digest "12" is not 32`},
		"digest zero": {line(`{"url":"http://h/","t":10,"digest":"%032d"}`, 0),
			"f.gz:2: digest is all zeros"},
		"algorithms mixed": {line(`{"url":"http://h/","t":10,"digest":"sha1:00"}`),
			`f.gz:2: digest is of the algorithm "sha1"`},
		"another server": {line(`{"url":"http://g/","t":10,"digest":"%s"}`, d1),
			`f.gz:2: url is of the server "g"`},
		"size negative": {line(`{"url":"http://h/","t":10,"digest":"%s","size":-5}`, d1),
			"f.gz:2: size is -5"},
		"gone and redirect": {line(
			`{"url":"http://h/","t":10,"gone":true,"redirect":"http://h/b"}`),
			"f.gz:2: the page is both"},
		"links a string": {line(`{"url":"http://h/","t":10,"digest":"%s","links":"x"}`, d1),
			`f.gz:2: links is "x"`},
		"control character": {line("{\"url\":\"http://h/\x01\",\"t\":10,\"digest\":\"%s\"}", d1),
			"f.gz:2: line is not a JSON object"},
		"line too long": {first + strings.Repeat("x", MaxLineBytes+1),
			"f.gz:2: line is longer than 16777216 bytes"},
		"empty":              {"", "f.gz: the file is empty"},
		"blank":              {"\n\n", "f.gz: the file is empty"},
		"empty zipped":       {zipped(""), "f.gz: the file is empty"},
		"zipped, truncated":  {whole[:len(whole)-20], "the gzip'd file is truncated"},
		"zipped, no trailer": {whole[:len(whole)-3], "the gzip'd file is truncated"},
		"zipped, header":     {whole[:5], "f.gz: the gzip'd file is truncated"},
		"zipped, checksum": {whole[:len(whole)-8] + "abcd" + whole[len(whole)-4:],
			"the gzip'd file is damaged"},
		"zipped, more after": {whole + "more than a header", "the gzip'd file is damaged"},
	} {
		s, err := Read(strings.NewReader(c.in), "f.gz")
		var e *Error
		if s != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "f.gz:") {
			t.Errorf("%s: got %v, %v; want an Error with %q", name, s, err, c.want)
		} else if e.Advice == "" {
			t.Errorf("%s: %v does not say what to do", name, err)
		}
	}
}

// TestReaderFails checks that an error of the reader is returned with its place.
func TestReaderFails(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, start := range []string{"", "{", zipped(d1)[:12]} {
		_, err := Read(&failing{strings.NewReader(start), broken}, "f")
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

type failing struct {
	*strings.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	if f.Len() == 0 {
		return 0, f.err
	}
	return f.Reader.Read(b)
}
func (f *failing) ReadByte() (byte, error) { // an embedded reader would continue after the failure
	if f.Len() == 0 {
		return 0, f.err
	}
	return f.Reader.ReadByte()
}
