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

// Options say how files are read.
type Options struct {
	Server string    // of logs, as "https://example.org"; "https://" where no scheme is named
	From   time.Time // captures before it are left out; zero: none
	To     time.Time // captures from it on are left out; zero: none. At the latest it is now
	Links  bool      // keep the links of bodies
	Main   bool      // make digests of main text
	Whole  bool      // lists have no columns but between tabs: see listed.Form
}

// File is what came of a file.
type File struct {
	Name      string    `json:"name"`
	Format    Format    `json:"format"`
	Read      int64     `json:"read"`      // lines or records
	Captures  int64     `json:"captures"`  // visits of pages
	Listed    int64     `json:"listed"`    // addresses that were named, each time
	NoPages   int64     `json:"no_pages"`  // captures of images, scripts and the like
	NoNews    int64     `json:"no_news"`   // of statuses that say nothing of a page, or requests
	Elsewhen  int64     `json:"elsewhen"`  // captures of another time than was asked for
	Left      []Left    `json:"left_out"`  // lines of lists and logs that name no page, by kind
	BadCount  int64     `json:"bad_count"` // lines or records that are damaged
	Bad       []Mistake `json:"bad"`       // the first of them
	WithBody  int64     `json:"with_body"` // captures whose body was read
	Sitemaps  []string  `json:"sitemaps,omitempty"`
	EndedHere string    `json:"ended,omitempty"` // why the rest of the file was not read
	ARC       bool      `json:"-"`               // it has ARC records
}

// Mistake is what is wrong at a place of a file.
type Mistake struct {
	At   int64  `json:"at"` // line, from 1, or offset of a record
	What string `json:"what"`
	Text string `json:"text,omitempty"` // its beginning
}

// Left is lines of a kind that name no page.
type Left struct {
	Kind  string    `json:"kind"`
	Lines int64     `json:"lines"`
	First []Mistake `json:"first"` // some of them
}

const (
	mostMistakes = 5   // of a file that are told
	mostLeft     = 3   // of a kind that are told
	mistakeBytes = 100 // of their text
	mostSitemaps = 20  // of an index that are told
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

// ErrServer says that a log needs the name of its server.
var ErrServer = words.Hint(errors.New("a log names paths, not servers"),
	"say whose log it is: --server https://example.org", words.ExitMisuse)

// ErrNothing says that a file with lines has no capture and no address at all.
var ErrNothing = words.Hint(errors.New("nothing in it can be read as"),
	"say what the file is: --format, of "+FormatNames(), words.ExitMisuse)

type reader struct {
	o    Options
	file *File
	give func(*Capture) error
	base string // of logs
}

// Read hands the captures of a file to give; those of one address may come in any order. The error
// is that of give or of the context, or of the file; damage inside the file is no error unless
// nothing at all could be read.
func Read(ctx context.Context, in *Input, o Options, give func(*Capture) error) (*File, error) {
	r := &reader{o: o, file: &File{Name: in.Name, Format: in.Format, Bad: []Mistake{},
		Left: []Left{}}, give: give}
	read := map[Format]func(context.Context, *Input) error{
		List: r.list, Sitemap: r.sitemap, CDXJ: r.cdxj, CDX: r.cdx, WARC: r.warc, WACZ: r.wacz,
		Nutch: r.nutch, Log: r.log,
	}[in.Format]
	if read == nil {
		return r.file, fmt.Errorf("import %s: unknown format %q; there are %s",
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

// capture gives a visit, if it is of the time that was asked for.
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

// page is the canonical address of a page; false: it is none, which is counted. Addresses other
// than those of the web are sound: name servers, screenshots and logs of crawlers have them.
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

// listed gives an address that is named.
func (r *reader) listed(url string, requests uint64) error {
	if !extract.IsPage(url) {
		r.file.NoPages++
		return nil
	}
	r.file.Listed++
	return r.give(&Capture{URL: url, Kind: KindListed, Requests: requests})
}

// kindOf says what a status tells of a page; KindUnknown: nothing.
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

// mostLine bounds a line, in octets.
const mostLine = 256 << 10

// lines hands each line to yield, numbered from 1, without its end. One that is too long is a
// mistake.
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
			// A compressed file that is cut has lines before that.
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
	head, _ := from.Peek(sniffed) // an error comes again when it is read
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
		r.file.Listed++ // as import of a list alone: whatever its ending
		return r.give(&Capture{URL: strings.Clone(url), Kind: KindListed})
	})
}
