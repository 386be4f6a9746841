package intake

import (
	"bytes"
	"context"
	"io"

	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

// pieceBytes is the size of a read of the list. A line that does not fit is sixteen times longer
// than any address.
const pieceBytes = 256 << 10

// piece is a part of the list: whole lines that one goroutine reads, another parses, and a third
// decides, in order.
type piece struct {
	bytes     []byte
	lines     int64 // before it
	header    int64 // the line that names the columns; 0: none
	tooLong   bool  // it ends within a line that is too long, whose rest is skipped
	found     []found
	bad       []bad
	blank     int64
	count     int64 // lines in it
	elsewhere int64 // addresses of other parts
	ready     chan struct{}
	err       error // read error after the bytes
}

// found is a canonical address. Its text may be in the piece.
type found struct {
	url       string
	key       uint64
	important bool
}

type bad struct {
	line int64
	kind listed.Kind
	text string
}

// rules decide about lines.
type rules struct {
	key         seen.Key
	part, parts int
	important   func(url string) bool
	form        listed.Form // known before the first line is parsed
}

// reader cuts a list into pieces.
type reader struct {
	from  io.Reader
	rest  []byte // of the line in which the last piece ended
	lines int64
	skip  bool // within a line that is too long
	first bool
	form  *listed.Form // decided by the beginning of the list
}

// next fills a piece with whole lines; its err ends the list.
func (r *reader) next(p *piece) {
	p.found, p.bad, p.blank, p.count, p.elsewhere, p.header, p.tooLong, p.err = p.found[:0],
		p.bad[:0], 0, 0, 0, 0, false, nil
	p.lines = r.lines
	p.bytes = append(p.bytes[:0], r.rest...)
	for p.err == nil && len(p.bytes) < cap(p.bytes) {
		var n int
		n, p.err = r.from.Read(p.bytes[len(p.bytes):cap(p.bytes)])
		p.bytes = p.bytes[:len(p.bytes)+n]
		if r.skip {
			r.skipLine(p)
		}
	}
	if !r.first {
		r.first = true
		p.bytes = bytes.TrimPrefix(p.bytes, []byte("\xef\xbb\xbf"))
		p.header = r.form.Begin(p.bytes)
	}
	r.rest = r.rest[:0]
	if p.err == nil {
		end := bytes.LastIndexByte(p.bytes, '\n') + 1
		if end == 0 { // no line ends here: it is too long, and its beginning suffices
			p.tooLong, r.skip = true, true
		} else {
			r.rest = append(r.rest, p.bytes[end:]...)
			p.bytes = p.bytes[:end]
		}
	}
	r.lines += int64(bytes.Count(p.bytes, []byte{'\n'}))
	if p.tooLong {
		r.lines++
	}
}

// skipLine drops the rest of a line that was reported as too long.
func (r *reader) skipLine(p *piece) {
	i := bytes.IndexByte(p.bytes, '\n')
	if i < 0 {
		p.bytes = p.bytes[:0]
		return
	}
	p.bytes = p.bytes[:copy(p.bytes, p.bytes[i+1:])]
	r.skip = false
}

// understand finds the addresses of a piece.
func (p *piece) understand(rules *rules) {
	line := p.lines
	for rest := p.bytes; len(rest) > 0; {
		text := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			text, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		line++
		p.line(rules, line, text)
	}
	p.count = line - p.lines
}

func (p *piece) line(rules *rules, line int64, text []byte) {
	// The piece stays unchanged until its addresses are decided.
	url, kind := "", listed.TooLong
	if line == p.header {
		kind = listed.Header
	} else if !p.tooLong {
		url, kind = rules.form.Read(text)
	}
	switch kind {
	case listed.Address:
	case listed.Blank:
		p.blank++
		return
	default:
		p.bad = append(p.bad, bad{line, kind, string(text[:min(len(text), exampleBytes)])})
		return
	}
	if rules.parts > 1 && seen.PartOf(sitegraph.ServerName(url), rules.parts) != rules.part {
		p.elsewhere++
		return
	}
	p.found = append(p.found, found{url, rules.key.Of(url), rules.important(url)})
}

// pieces reads a list ahead: next returns parsed pieces in order, and free returns each for reuse.
func pieces(ctx context.Context, from io.Reader, rules *rules, workers int) (
	next func() (*piece, bool), free func(*piece), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	spare := make(chan *piece, 2*workers+1)
	work, order := make(chan *piece, cap(spare)), make(chan *piece, cap(spare))
	for range cap(spare) {
		spare <- &piece{bytes: make([]byte, 0, pieceBytes), ready: make(chan struct{}, 1)}
	}
	go func() {
		defer close(order)
		defer close(work)
		r := reader{from: listed.Ends(from), form: &rules.form}
		for {
			select {
			case <-ctx.Done():
				return
			case p := <-spare:
				r.next(p)
				err := p.err // from now on p belongs to another goroutine
				work <- p
				order <- p
				if err != nil {
					return
				}
			}
		}
	}()
	for range workers {
		go func() {
			for p := range work {
				p.understand(rules)
				p.ready <- struct{}{}
			}
		}()
	}
	next = func() (*piece, bool) {
		p, ok := <-order
		if ok {
			<-p.ready
		}
		return p, ok
	}
	return next, func(p *piece) { spare <- p }, cancel
}
