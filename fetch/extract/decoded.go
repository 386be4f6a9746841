package extract

import (
	"bytes"
	"slices"

	"golang.org/x/text/transform"
)

// decoded is a page as UTF-8 with the places of its octets in the source.
type decoded struct {
	text []byte
	skip int // octets of a byte order mark, if the page is UTF-8

	// inText and inSource are for other charsets: the octets of the text and of the source at which
	// each character begins, ascending, and their ends.
	inText, inSource []int32
}

// at returns the place in the source of a character that begins at an octet of the text.
func (d *decoded) at(octet int) int {
	if d.inText == nil {
		return octet + d.skip
	}
	i, _ := slices.BinarySearch(d.inText, int32(octet))
	return int(d.inSource[min(i, len(d.inSource)-1)])
}

// mostDecoded limits a page with known places, in octets: no body is larger.
const mostDecoded = 1 << 30

// decodePlaced is toUTF8 with places.
func decodePlaced(source []byte, contentType string) *decoded {
	source = source[:min(len(source), mostDecoded)]
	encoding, name := encodingOf(source, contentType)
	if name == "utf-8" {
		text := bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
		return &decoded{text: text, skip: len(source) - len(text)}
	}
	d := &decoded{text: make([]byte, 0, len(source)+len(source)/2)}
	decoder := encoding.NewDecoder()
	var buf [64]byte // one character becomes at most a few octets
	for at := 0; at < len(source); {
		written, read := 0, 0
		// The shortest prefix that the decoder takes is one character or a switch of its state.
		for n := 1; read == 0 && written == 0; n++ {
			end := at+n >= len(source)
			var err error
			written, read, err = decoder.Transform(buf[:], source[at:min(at+n, len(source))], end)
			if end && read == 0 && err != nil || n > len(buf) || err != nil &&
				err != transform.ErrShortSrc {
				read = max(read, 1) // skip octets that it cannot read
			}
		}
		if written > 0 {
			d.inText = append(d.inText, int32(len(d.text)))
			d.inSource = append(d.inSource, int32(at))
			d.text = append(d.text, buf[:written]...)
		}
		at += read
	}
	d.inText = append(d.inText, int32(len(d.text)))
	d.inSource = append(d.inSource, int32(len(source)))
	if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(d.text, mark) {
		d.text = d.text[len(mark):]
		for i := range d.inText {
			d.inText[i] -= int32(len(mark))
		}
	}
	return d
}
