package fetch

import (
	"bytes"
	"testing"
)

// FuzzCodings decodes arbitrary content. The result keeps the limit, and all places are given back.
func FuzzCodings(f *testing.F) {
	text := "<p>hello hello hello"
	f.Add(zipText(f, text), uint8(0))
	f.Add(brText(text), uint8(1))
	f.Add(zstdText(text), uint8(2))
	f.Add(brText(string(zipText(f, text))), uint8(3))
	f.Add(zip(f, bytes.NewReader(zstdText(text))), uint8(4))
	f.Add(zlibText(text), uint8(6))
	f.Add(deflateText(text), uint8(7))
	all := [][]string{{"gzip"}, {"br"}, {"zstd"}, {"br", "gzip"}, {"gzip", "zstd"}, {"zstd", "br"},
		{"deflate"}, {"gzip", "deflate"}}
	f.Fuzz(func(t *testing.T, coded []byte, which uint8) {
		const limit = 2 * smallBody
		large := make(chan struct{}, 1)
		buf := &gathering{ctx: t.Context(), large: large}
		// any error is fine
		decode(buf, bytes.NewReader(coded), all[int(which)%len(all)], limit, which&1 == 0)
		if len(buf.octets) > limit || len(decoding) != 0 || len(large) > 0 != (buf.held != nil) {
			t.Errorf("%d octets, %d decoders, %d large bodies",
				len(buf.octets), len(decoding), len(large))
		}
	})
}
