package satstore

import (
	"encoding/binary"
	"errors"

	"github.com/recrawl/recrawl/sitegraph"
)

var errLinks = errors.New("links cannot be decoded")

// appendLinks appends the two lists, each as its length and the differences between successive
// numbers, since links of a page are often near each other. Their order is kept.
func appendLinks(b []byte, links, frames []sitegraph.PageID) []byte {
	for _, list := range [...][]sitegraph.PageID{links, frames} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		previous := sitegraph.PageID(0)
		for _, p := range list {
			b = binary.AppendVarint(b, int64(p)-int64(previous))
			previous = p
		}
	}
	return b
}

// DecodeLinks returns the two lists; every number is below pages.
func DecodeLinks(b []byte, pages int) (links, frames []sitegraph.PageID, err error) {
	c := cursor{b: b}
	links, frames = c.links(pages), c.links(pages)
	if c.bad || len(c.b) != 0 {
		return nil, nil, errLinks
	}
	return links, frames, nil
}

func (c *cursor) links(pages int) []sitegraph.PageID {
	n := c.uvarint()
	if n > uint64(len(c.b)) { // each takes at least a byte
		c.fail()
	}
	if c.bad || n == 0 {
		return nil
	}
	list := make([]sitegraph.PageID, n)
	p := int64(0)
	for i := range list {
		p += c.varint()
		if p < 0 || p >= int64(pages) {
			c.fail()
		}
		if c.bad {
			return nil
		}
		list[i] = sitegraph.PageID(p)
	}
	return list
}
