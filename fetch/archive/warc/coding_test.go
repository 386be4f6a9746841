package warc

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// coders encode a body in each coding; "deflate" is the standard's, "raw" that of old servers.
var coders = map[string]func(io.Writer) io.WriteCloser{
	"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // the options are sound
		return z
	},
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"raw": func(w io.Writer) io.WriteCloser {
		z, _ := flate.NewWriter(w, 6) // there is such a level
		return z
	},
}

func code(name string, body []byte) []byte {
	var b bytes.Buffer
	z := coders[name](&b)
	z.Write(body)
	z.Close()
	return b.Bytes()
}

func cutBy(n int, body []byte) []byte { return body[:len(body)-n] }

var page = []byte("<html><head><title>T</title></head><body>" +
	strings.Repeat("<p>Words of a page, and more of them.</p>", 30) + "</body></html>")

func TestUndo(t *testing.T) {
	tests := []struct {
		name, named string
		body        []byte
		want        []byte
		broken      bool
	}{
		{name: "gzip", named: "gzip", body: code("gzip", page)},
		{name: "old name", named: "X-GZIP", body: code("gzip", page)},
		{name: "br", named: "br", body: code("br", page)},
		{name: "zstd", named: "zstd", body: code("zstd", page)},
		{name: "zlib", named: "deflate", body: code("deflate", page)},
		{name: "raw", named: "deflate", body: code("raw", page)},
		{name: "two", named: "gzip, br", body: code("br", code("gzip", page))},
		{name: "three", named: "deflate,zstd , gzip",
			body: code("gzip", code("zstd", code("raw", page)))},
		{name: "one undone of two", named: "gzip, br", body: code("gzip", page)},
		{name: "named twice", named: "gzip, gzip", body: code("gzip", page)},
		{name: "gzip undone", named: "gzip", body: page},
		{name: "br undone", named: "br", body: page},
		{name: "zstd undone", named: "zstd", body: page},
		{name: "deflate undone", named: "deflate", body: page},
		{name: "JSON undone", named: "deflate", body: []byte(`{"a": 1}`),
			want: []byte(`{"a": 1}`)},
		{name: "looks like zlib", named: "deflate", body: []byte("x^2 + y"),
			want: []byte("x^2 + y")},
		{name: "compress undone", named: "compress", body: page},
		{name: "other coding than named", named: "br", body: code("zstd", page)},
		{name: "zlib as gzip", named: "gzip", body: code("deflate", page)},
		{name: "two members", named: "gzip",
			body: append(code("gzip", page[:99]), code("gzip", page[99:])...)},
		{name: "gzip without its checksum", named: "gzip", body: cutBy(8, code("gzip", page))},
		{name: "gzip with a part of it", named: "gzip", body: cutBy(3, code("gzip", page))},
		{name: "the second of two without it", named: "gzip",
			body: append(code("gzip", page[:99]), cutBy(8, code("gzip", page[99:]))...)},
		{name: "zlib without its checksum", named: "deflate",
			body: cutBy(4, code("deflate", page))},
		{name: "octets behind the end", named: "gzip", body: append(code("gzip", page), "\n\n"...)},
		{name: "none", named: "none", body: page},
		{name: "charset", named: "UTF-8, binary, identity,", body: page},
		{name: "empty", named: "br, gzip", body: []byte{}, want: []byte{}},
		{name: "not known how", named: "compress", body: []byte{0x1f, 0x9d, 0x90, 0, 1, 2},
			want: []byte{}, broken: true},
		{name: "too many", named: "gzip,gzip,gzip,gzip,gzip", body: page, want: []byte{},
			broken: true},
	}
	for _, test := range tests {
		want := test.want
		if want == nil {
			want = page
		}
		got, err := Decode(test.body, CodingsOf(test.named), 1<<20)
		if !bytes.Equal(got, want) || err != nil != test.broken {
			t.Errorf("%s: %d octets %.40q, %v; want %d", test.name, len(got), got, err, len(want))
		}
	}
}

// TestUndoCut cuts bodies. The result is the start of the page with an error, unless only a
// checksum is missing.
func TestUndoCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 20_000)
	for i := range text {
		text[i] = "aabbccdd  efghijklm\n"[random.IntN(20)]
	}
	for name := range coders {
		coded := code(name, text)
		named := []string{strings.Replace(name, "raw", "deflate", 1)}
		for _, n := range []int{20, len(coded) / 2, len(coded) - 20} {
			got, err := Decode(coded[:n], named, 1<<20)
			if err == nil || len(got) >= len(text) || !bytes.HasPrefix(text, got) {
				t.Errorf("%s cut at %d of %d: %d octets %.20q, %v", name, n, len(coded), len(got),
					got, err)
			}
		}
	}
}

// TestUndoBounds decodes bodies that become very large.
func TestUndoBounds(t *testing.T) {
	zeros := make([]byte, 4<<20)
	for name := range coders {
		named := strings.Replace(name, "raw", "deflate", 1)
		body := code(name, code(name, zeros))
		for _, most := range []int64{0, 1, 1 << 16} {
			if got, err := Decode(body, []string{named, named}, most); int64(len(got)) != most ||
				err != nil {
				t.Errorf("%s: %d octets of %d, %v", name, len(got), most, err)
			}
		}
	}
}

func TestIsPlain(t *testing.T) {
	for name := range coders {
		named := []string{strings.Replace(name, "raw", "deflate", 1)}
		if IsPlain(code(name, page), named) || !IsPlain(page, named) || !IsPlain(nil, named) {
			t.Errorf("%s is taken for plain, or plain for it", name)
		}
	}
	if !IsPlain(code("gzip", page), nil) {
		t.Error("a body without a coding is not plain")
	}
}

// FuzzUndo decodes arbitrary bodies. The result keeps its limit, and is the start of the one with a
// larger limit.
func FuzzUndo(f *testing.F) {
	for name := range coders {
		f.Add(code(name, page), strings.Replace(name, "raw", "deflate", 1))
	}
	f.Add(page, "br, gzip")
	f.Add([]byte("x^2"), "deflate")
	f.Fuzz(func(t *testing.T, body []byte, named string) {
		before := slices.Clone(body)
		const most = 1 << 16
		got, err := Decode(body, CodingsOf(named), most)
		more, _ := Decode(body, CodingsOf(named), 2*most)
		if len(got) > most || !bytes.HasPrefix(more, got) && err == nil && len(got) < most {
			t.Errorf("%d octets, and then %d", len(got), len(more))
		}
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
		IsPlain(body, CodingsOf(named))
	})
}
