package history

import (
	"bytes"
	"reflect"
	"testing"
)

// FuzzRead checks that Read accepts any bytes without a panic, and that its results survive
// writing.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"url":"http://h/","t":1,"digest":"` + d1 +
		`","size":3,"links":["http://h/a","http://g/"],"frames":[]}` + "\n" +
		`{"url":"http://h/","t":2,"digest":"` + d2 + `","text":null}` + "\n" +
		`{"url":"http://h/","t":3,"gone":true}`))
	f.Add([]byte(`{"url":"http://h/\u0061","t":1,"redirect":"http://h/b"}`))
	f.Add([]byte(zipped(`{"url":"http://h/","t":1,"gone":true}`)))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Read(bytes.NewReader(in), "f")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, s); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Read(&b, "f")
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !reflect.DeepEqual(s, again) {
			t.Fatalf("got %+v, want %+v", again, s)
		}
	})
}

// FuzzScan checks that the fast scanner agrees with encoding/json unless it declines.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"url":"http://h/","t":1,"digest":"` + d1 +
		`","size":3,"links":["http://h/a"],"gone":true}`))
	f.Add(
		[]byte(` { "t" : 10 , "frames" : [ "a" , "b" ] , "text":"", "main":"x","redirect":"y" } `))
	f.Fuzz(func(t *testing.T, in []byte) {
		var fast, slow fields
		words := newInterner()
		if !scan(in, words, &fast) {
			return
		}
		for _, name := range []field{fieldURL, fieldDigest, fieldText, fieldMain, fieldRedirect} {
			if !plain(*fast.bytesOf(name)) {
				return // callers check what they use
			}
		}
		if err := decode(in, words, &slow); err != nil {
			t.Fatalf("taken: %q: %v", in, err)
		}
		if fast.has != slow.has || fast.t != slow.t || fast.size != slow.size ||
			fast.gone != slow.gone ||
			!bytes.Equal(fast.url, slow.url) || !bytes.Equal(fast.digest, slow.digest) ||
			!bytes.Equal(fast.text, slow.text) ||
			!bytes.Equal(fast.main, slow.main) || !bytes.Equal(fast.redirect, slow.redirect) ||
			!reflect.DeepEqual(fast.links, slow.links) ||
			!reflect.DeepEqual(fast.frames, slow.frames) {
			t.Fatalf("%q: fast %+v, slow %+v", in, fast, slow)
		}
	})
}

// BenchmarkLine has a line like most of those of the 45 recorded servers.
func BenchmarkLine(b *testing.B) {
	line := []byte(`{"url":"http://swiftdoc.org/func/abs/","t":1420309834,"digest":"` + d1 +
		`","text":"` + d2 + `","main":"` + d3 +
		`","size":7454,"links":["http://swiftdoc.org/","http://swiftdoc.org/type/","http://swiftdoc.org/protocol/","http://swiftdoc.org/operator/","http://swiftdoc.org/global/","http://swiftdoc.org/news/"]}`)
	words := newInterner()
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			var f fields
			if !scan(line, words, &f) {
				b.Fatal("declined")
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			var f fields
			if err := decode(line, words, &f); err != nil {
				b.Fatal(err)
			}
		}
	})
}
