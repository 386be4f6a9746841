package engine

// A page is a block being filled: room for the header, then frames. All pages together are the
// write buffer [SAT 3.4].
type page struct {
	buf    []byte // up to its length it is filled
	logged int    // bytes in the log already, header included
}

// pages allocates them by number and counts their bytes.
type pages struct {
	size  int // of an ordinary page; a long frame gets a longer page
	limit int
	bytes int // of all pages in use
	peak  int
	all   []page
	free  []uint32 // free numbers
	spare [][]byte // ordinary pages not in use
}

// fits reports whether a page for a frame of n bytes is within the budget.
func (p *pages) fits(n int) bool { return p.bytes+max(p.size, blockHeader+n) <= p.limit }

func (p *pages) allocate(n int) uint32 {
	var b []byte
	if size := blockHeader + n; size > p.size {
		b = make([]byte, blockHeader, size)
	} else if k := len(p.spare); k > 0 {
		b, p.spare = p.spare[k-1], p.spare[:k-1]
	} else {
		b = make([]byte, blockHeader, p.size)
	}
	p.bytes += cap(b)
	p.peak = max(p.peak, p.bytes)
	pg := page{buf: b, logged: blockHeader}
	if k := len(p.free); k > 0 {
		number := p.free[k-1]
		p.free = p.free[:k-1]
		p.all[number] = pg
		return number
	}
	p.all = append(p.all, pg)
	return uint32(len(p.all) - 1)
}

func (p *pages) give(number uint32) {
	b := p.all[number].buf
	p.bytes -= cap(b)
	if cap(b) == p.size && (len(p.spare)+1)*p.size <= p.limit {
		p.spare = append(p.spare, b[:blockHeader])
	}
	p.all[number] = page{}
	p.free = append(p.free, number)
}
