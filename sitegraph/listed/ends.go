package listed

import (
	"bytes"
	"io"
)

// Ends returns a reader that ends lines with a line feed, even if r ends them with a carriage
// return, or both.
func Ends(r io.Reader) io.Reader { return &ends{r: r} }

type ends struct {
	r     io.Reader
	after bool // a carriage return
}

func (e *ends) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		n, err = e.r.Read(p)
		n = e.mend(p[:n])
	}
	return n, err
}

// mend changes line ends in place, and returns how many bytes are left.
func (e *ends) mend(p []byte) int {
	if !e.after && bytes.IndexByte(p, '\r') < 0 {
		return len(p)
	}
	kept := 0
	for _, c := range p {
		if c == '\n' && e.after {
			e.after = false
			continue
		}
		if e.after = c == '\r'; e.after {
			c = '\n'
		}
		p[kept] = c
		kept++
	}
	return kept
}
