package captures

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Options configure how files are read.
type Options struct {
	Server string    // of logs, for example "https://example.org"; "https://" if the scheme is missing
	From   time.Time // leaves out earlier captures; zero: none
	To     time.Time // leaves out captures from this time on; zero: none. At most now
	Links  bool      // keep the links of bodies
	Main   bool      // make digests of main text
	Whole  bool      // lists have columns only between tabs: see listed.Form
}

// File is the result of reading a file.
type File struct {
	Name      string    `json:"name"`
	Format    Format    `json:"format"`
	Read      int64     `json:"read"`      // lines or records
	Captures  int64     `json:"captures"`  // visits of pages
	Listed    int64     `json:"listed"`    // named URLs, each time
	NoPages   int64     `json:"no_pages"`  // captures of images, scripts and the like
	NoNews    int64     `json:"no_news"`   // statuses that are no evidence about a page, or requests
	Elsewhen  int64     `json:"elsewhen"`  // captures outside the requested time
	Left      []Left    `json:"left_out"`  // lines of lists and logs that name no page, by kind
	BadCount  int64     `json:"bad_count"` // lines or records that are damaged
	Bad       []Mistake `json:"bad"`       // the first of them
	WithBody  int64     `json:"with_body"` // captures whose body was read
	Sitemaps  []string  `json:"sitemaps,omitempty"`
	EndedHere string    `json:"ended,omitempty"` // why the rest of the file was not read
	ARC       bool      `json:"-"`               // it has ARC records
}

// Mistake is a fault at a place of a file.
type Mistake struct {
	At   int64  `json:"at"` // line, from 1, or offset of a record
	What string `json:"what"`
	Text string `json:"text,omitempty"` // its start
}

// Left counts lines of a kind that name no page.
type Left struct {
	Kind  string    `json:"kind"`
	Lines int64     `json:"lines"`
	First []Mistake `json:"first"` // some of them
}

const (
	mostMistakes = 5   // most that are listed for a file
	mostLeft     = 3   // most that are listed for a kind
	mistakeBytes = 100 // most bytes of their text
	mostSitemaps = 20  // most that are listed for an index
)

func (f *File) bad(at int64, what string, text []byte) {
	if f.BadCount++; len(f.Bad) < mostMistakes {
		f.Bad = append(f.Bad, mistake(at, what, text))
	}
}

func mistake(at int64, what string, text []byte) Mistake {
	return Mistake{at, what, strings.ToValidUTF8(string(text[:min(len(text), mistakeBytes)]),
		"\uFFFD")}
}

// leave counts a line that names no page.
func (f *File) leave(at int64, kind string, line []byte) {
	i := slices.IndexFunc(f.Left, func(l Left) bool { return l.Kind == kind })
	if i < 0 {
		i, f.Left = len(f.Left), append(f.Left, Left{Kind: kind})
	}
	l := &f.Left[i]
	if l.Lines++; len(l.First) < mostLeft {
		l.First = append(l.First, mistake(at, kind, line))
	}
}

// ErrServer is returned for a log without the name of its server.
var ErrServer = words.Hint(errors.New("a log names paths, not servers"),
	"say whose log it is: --server https://example.org", words.ExitMisuse)

// ErrNothing is returned for a file with lines but without any capture or URL.
var ErrNothing = words.Hint(errors.New("nothing in it can be read as"),
	"say what the file is: --format, of "+FormatNames(), words.ExitMisuse)

type reader struct {
	o    Options
	file *File
	give func(*Capture) error
	base string // of logs
}

// Read passes the captures of a file to give, in any order of URLs. The error is that of give or
// the context, or of the file. Damage in the file is no error unless nothing was readable.
func Read(ctx context.Context, in *Input, o Options, give func(*Capture) error) (*File, error) {
	r := &reader{o: o, file: &File{Name: in.Name, Format: in.Format, Bad: []Mistake{},
		Left: []Left{}}, give: give}
	read := map[Format]func(context.Context, *Input) error{
		List: r.list, Sitemap: r.sitemap, CDXJ: r.cdxj, CDX: r.cdx, WARC: r.warc, WACZ: r.wacz,
		Nutch: r.nutch, Log: r.log,
	}[in.Format]
	if read == nil {
		return r.file, fmt.Errorf("import %s: unknown format %q; the formats are %s",
			in.Name, in.Format, FormatNames())
	}
	if err := read(ctx, in); err != nil {
		return r.file, fmt.Errorf("import %s: %w", in.Name, err)
	}
	f := r.file
	if f.BadCount > 0 && f.Captures+f.Listed+f.NoPages+f.NoNews+f.Elsewhen == 0 {
		return f, fmt.Errorf("import %s: %w %s: at %d: %s: %.60q",
			in.Name, ErrNothing, in.Format, f.Bad[0].At, f.Bad[0].What, f.Bad[0].Text)
	}
	return f, nil
}

// capture passes on a visit, if it is in the requested time.
func (r *reader) capture(c *Capture, at time.Time) error {
	if at.Before(r.o.From) || !r.o.To.IsZero() && !at.Before(r.o.To) || at.Unix() <= 0 {
		r.file.Elsewhen++
		return nil
	}
	c.Time = sitegraph.Unix32(at)
	r.file.Captures++
	if c.hasBody() {
		r.file.WithBody++
	}
	return r.give(c)
}

// page returns the canonical URL of a page, or false. It counts other addresses, which are sound:
// name servers, screenshots and logs of crawlers have them.
func (r *reader) page(at int64, address string, text []byte) (url string, ok bool) {
	url, err := sitegraph.Canonical(address)
	scheme, rest, _ := strings.Cut(address, ":")
	isHost := strings.Contains(scheme, ".") && rest != "" && rest[0] >= '0' && rest[0] <= '9'
	switch {
	case errors.Is(err, sitegraph.ErrNotWeb) && !isHost:
		r.file.NoPages++
	case err != nil:
		r.file.bad(at, "it has no whole web address", text)
	case !extract.IsPage(url):
		r.file.NoPages++
	default:
		return url, true
	}
	return "", false
}

// listed passes on a URL of a list.
func (r *reader) listed(url string, requests uint64) error {
	if !extract.IsPage(url) {
		r.file.NoPages++
		return nil
	}
	r.file.Listed++
	return r.give(&Capture{URL: url, Kind: KindListed, Requests: requests})
}

// kindOf returns the evidence of a status, or KindUnknown.
func kindOf(status int) Kind {
	switch {
	case status == 200 || status == 203:
		return KindFetched
	case status == 304:
		return KindUnchanged
	case status == 404 || status == 410:
		return KindGone
	case status == 300 || status == 301 || status == 302 || status == 303 || status == 307 ||
		status == 308:
		return KindMoved
	}
	return KindUnknown
}

// mostLine limits a line, in octets.
const mostLine = 256 << 10

// lines passes each line to yield, numbered from 1, without its end. A longer line than mostLine is
// a mistake.
func (r *reader) lines(ctx context.Context, in io.Reader,
	yield func(n int64, line []byte) error) error {
	from := bufio.NewReaderSize(listed.Ends(in), mostLine)
	for n := int64(1); ; n++ {
		line, err := from.ReadSlice('\n')
		long := err == bufio.ErrBufferFull
		if long {
			r.file.bad(n, "the line is too long", line)
		}
		for err == bufio.ErrBufferFull {
			_, err = from.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			// A cut compressed file has lines before the cut.
			r.file.EndedHere = fmt.Sprintf("after line %d: %v", n-1, err)
			r.file.bad(n, err.Error(), nil)
			return nil
		}
		if len(line) > 0 && !long {
			if n == 1 {
				line = withoutMark(line)
			}
			if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
				r.file.Read++
				if err := yield(n, line); err != nil {
					return err
				}
			}
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == io.EOF {
			return nil
		}
	}
}

func (r *reader) list(ctx context.Context, in *Input) error {
	form, from := listed.Form{Whole: r.o.Whole}, bufio.NewReaderSize(listed.Ends(in), sniffed)
	head, _ := from.Peek(sniffed) // the next read returns the error again
	header := form.Begin(withoutMark(head))
	return r.lines(ctx, from, func(n int64, line []byte) error {
		if n == header {
			r.file.leave(n, listed.Header.String(), line)
			return nil
		}
		url, kind := form.Read(line)
		switch kind {
		case listed.Address:
		case listed.Blank:
			return nil
		case listed.Comment:
			r.file.leave(n, kind.String(), line)
			return nil
		default:
			r.file.bad(n, kind.String(), line)
			r.file.leave(n, kind.String(), line)
			return nil
		}
		r.file.Listed++ // like a file that is one list, whatever its extension
		return r.give(&Capture{URL: strings.Clone(url), Kind: KindListed})
	})
}
