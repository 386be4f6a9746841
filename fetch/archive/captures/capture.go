package captures

import (
	"encoding/binary"
	"errors"

	"github.com/recrawl/recrawl/sitegraph"
)

// Kind is the evidence of a capture about its page.
type Kind uint8

const (
	KindUnknown   Kind = iota
	KindListed         // the URL exists, according to a list: no visit
	KindFetched        // a page was fetched
	KindUnchanged      // unchanged since the capture before: 304, without a digest
	KindGone           // 404 or 410
	KindMoved          // 3xx
	kinds
)

// Capture is an answer that somebody got for a URL.
type Capture struct {
	URL  string // canonical
	Time uint32 // unix seconds; 0 for a listed address
	Kind Kind

	// Digests are those that an own visit would have made; zero without a body. Payload is the
	// digest of another tool, or zero.
	Digests sitegraph.Digests
	Payload sitegraph.Digest

	Status int   // HTTP; 0: not known
	Size   int64 // bytes of the body; 0: not known
	// Requests counts the requests for a listed URL in a log.
	Requests uint64
	To       string // canonical target of a redirect; "": not known
	NoIndex  bool

	// Links and Frames are canonical URLs. LinksKnown is false without a body.
	Links, Frames []string
	LinksKnown    bool
}

// hasBody reports whether the digests are our own.
func (c *Capture) hasBody() bool { return !c.Digests.Bytes.IsZero() }

// Copy returns the digests of the page's copy after a fetched capture: own ones, or that of another
// tool.
func (c *Capture) Copy() sitegraph.Digests {
	if c.hasBody() {
		return c.Digests
	}
	return sitegraph.Digests{Bytes: c.Payload}
}

const (
	flagNoIndex = 1 << iota
	flagLinks
	flagDigests
	flagPayload
)

// appendBody appends everything except URL and time for sorting.
func (c *Capture) appendBody(b []byte) []byte {
	flags := byte(0)
	if c.NoIndex {
		flags |= flagNoIndex
	}
	if c.LinksKnown {
		flags |= flagLinks
	}
	if c.hasBody() {
		flags |= flagDigests
	}
	if !c.Payload.IsZero() {
		flags |= flagPayload
	}
	b = append(b, byte(c.Kind), flags)
	if c.hasBody() {
		b = append(append(append(b, c.Digests.Bytes[:]...), c.Digests.Text[:]...),
			c.Digests.Main[:]...)
	}
	if !c.Payload.IsZero() {
		b = append(b, c.Payload[:]...)
	}
	b = binary.AppendUvarint(b, uint64(max(c.Status, 0)))
	b = binary.AppendUvarint(b, uint64(max(c.Size, 0)))
	b = binary.AppendUvarint(b, c.Requests)
	b = appendText(b, c.To)
	if c.LinksKnown {
		for _, list := range [][]string{c.Links, c.Frames} {
			b = binary.AppendUvarint(b, uint64(len(list)))
			for _, url := range list {
				b = appendText(b, url)
			}
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errBody = errors.New("a sorted capture is damaged")

// parseBody reads what appendBody wrote.
func (c *Capture) parseBody(b []byte) error {
	d := decoder{b: b}
	c.Kind = Kind(d.byte())
	flags := d.byte()
	c.NoIndex, c.LinksKnown = flags&flagNoIndex != 0, flags&flagLinks != 0
	if flags&flagDigests != 0 {
		for _, to := range []*sitegraph.Digest{&c.Digests.Bytes, &c.Digests.Text, &c.Digests.Main} {
			copy(to[:], d.next(len(to)))
		}
		if !c.hasBody() {
			return errBody
		}
	}
	if flags&flagPayload != 0 {
		copy(c.Payload[:], d.next(len(c.Payload)))
	}
	c.Status, c.Size, c.Requests = int(d.number()), int64(d.number()), d.number()
	c.To = string(d.text())
	if c.LinksKnown {
		for _, to := range []*[]string{&c.Links, &c.Frames} {
			n := d.number()
			if n > uint64(len(d.b)) {
				return errBody
			}
			for range n {
				*to = append(*to, string(d.text()))
			}
		}
	}
	if d.bad || len(d.b) > 0 || c.Kind == KindUnknown || c.Kind >= kinds || c.Status < 0 ||
		c.Size < 0 {
		return errBody
	}
	return nil
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) next(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) byte() byte {
	if b := d.next(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) text() []byte { return d.next(int(min(d.number(), 1<<30))) }
