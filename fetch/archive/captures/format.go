package captures

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// Format is the format of an imported file.
type Format string

const (
	List    Format = "list"    // a URL a line
	Sitemap Format = "sitemap" // or a feed
	CDXJ    Format = "cdxj"
	CDX     Format = "cdx"  // columns, or their JSON from index servers
	WARC    Format = "warc" // or ARC
	WACZ    Format = "wacz"
	Nutch   Format = "nutch" // readdb -dump
	Log     Format = "log"   // of a web server: common, combined, JSON lines or W3C extended
)

// Formats lists all formats.
var Formats = []Format{List, Sitemap, CDXJ, CDX, WARC, WACZ, Nutch, Log}

// FormatNames returns the names of the formats, for people.
func FormatNames() string {
	var names []string
	for _, f := range Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Input is a file of a known format. Its compression is undone, except in WARC and WACZ.
type Input struct {
	Name   string
	Format Format
	Size   int64 // of the file; 0: not known
	io.Reader
	file *os.File
}

// sniffed is the number of uncompressed octets that determine the format.
const sniffed = 64 << 10

// Open opens a file, or standard input for "-" or "". A format other than "" is not checked. An
// error to open or uncompress a file names it.
func Open(path string, format Format) (*Input, error) {
	in := &Input{Name: path, file: os.Stdin, Format: format}
	if path == "" || path == "-" {
		in.Name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		in.file = f
	}
	if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() {
		in.Size = info.Size()
	} else if err == nil && info.IsDir() {
		in.Close()
		return nil, fmt.Errorf("import %s: it is a directory; name the files in it", path)
	}
	if err := in.recognise(); err != nil {
		in.Close()
		return nil, fmt.Errorf("import %s: %w", in.Name, err)
	}
	return in, nil
}

// recognise determines the format, and undoes the compression.
func (in *Input) recognise() error {
	raw := bufio.NewReaderSize(in.file, sniffed)
	in.Reader = raw
	head, err := raw.Peek(sniffed)
	if err != nil && err != io.EOF {
		return err
	}
	other, err := uncompressed(raw)
	if err != nil {
		return err
	}
	if other != nil { // offsets no longer are offsets in the file
		raw = bufio.NewReaderSize(other, sniffed)
		in.Reader, in.Size = raw, 0
		if head, err = raw.Peek(sniffed); len(head) == 0 && err != io.EOF {
			return fmt.Errorf("undo its compression: %w", err)
		}
	}
	text := head
	zipped := bytes.HasPrefix(head, []byte{0x1f, 0x8b})
	if zipped {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return fmt.Errorf("undo gzip: %w; is the file whole?", err)
		}
		text, _ = io.ReadAll(io.LimitReader(z, sniffed)) // later octets are ignored here
	}
	if wide, ok := decoded(text, bytes.NewReader(text)); ok {
		text, _ = io.ReadAll(wide)
	}
	if in.Format == "" {
		if in.Format = FormatOf(text); in.Format == List || in.Format == Sitemap ||
			in.Format == WACZ {
			if err := refuse(text); err != nil {
				return err
			}
		}
	}
	if zipped && in.Format != WARC {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return fmt.Errorf("undo gzip: %w", err)
		}
		in.Reader = &padded{raw, z}
	}
	if in.Format != WARC && in.Format != WACZ && in.Format != Sitemap { // XML names its encoding
		buffered := bufio.NewReaderSize(in.Reader, sniffed)
		start, _ := buffered.Peek(2) // the next read returns the error again
		in.Reader, _ = decoded(start, buffered)
	}
	return nil
}

// padded reads gzip members, perhaps followed by zeros, as in blocks of a tape.
type padded struct {
	raw *bufio.Reader
	z   *gzip.Reader
}

func (p *padded) Read(b []byte) (int, error) {
	p.z.Multistream(false)
	n, err := p.z.Read(b)
	if err != io.EOF {
		return n, err
	}
	for {
		c, err := p.raw.ReadByte()
		if err != nil {
			return n, err
		}
		if c != 0 {
			_ = p.raw.UnreadByte() // it was read just now
			return n, p.z.Reset(p.raw)
		}
	}
}

// Close closes the file.
func (in *Input) Close() error {
	if in.file == os.Stdin {
		return nil
	}
	return in.file.Close()
}

var (
	logLine   = regexp.MustCompile(`^(?:\S+ )?\S+ \S+ \S+ \[[^\]]{10,40}\] "`)
	jsonRows  = regexp.MustCompile(`^\s*\[\s*(?:\]\s*$|[\[{])`)
	jsonLog   = regexp.MustCompile(`"(?:request|request_uri|uri|remote_addr|RequestPath)"\s*:`)
	w3cLog    = regexp.MustCompile(`(?i)^#(?:version|software|fields|date|start-date): ?`)
	nutchLine = regexp.MustCompile(`^\S+\tVersion: \d+\s*$`)
)

// withoutMark removes a byte order mark.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// FormatOf returns the format of a file by its beginning. Anything unknown is a list.
func FormatOf(head []byte) Format {
	head = bytes.TrimLeft(withoutMark(head), "\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return WACZ
	case bytes.HasPrefix(head, []byte("WARC/")), warc.IsARC(head):
		return WARC
	case jsonRows.Match(head):
		return CDX
	case bytes.HasPrefix(head, []byte(" CDX ")):
		return CDX
	}
	seen := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		bare := bytes.TrimSpace(line)
		switch {
		case len(bare) == 0:
			continue
		case bare[0] == '<':
			return Sitemap
		case bare[0] == '{' && jsonLog.Match(bare), w3cLog.Match(bare):
			return Log
		case bare[0] == '{':
			if bytes.Contains(bare, []byte(`"timestamp"`)) {
				return CDXJ
			}
			return Sitemap
		case bytes.HasPrefix(bare, []byte("!meta")):
			return CDXJ
		case nutchLine.Match(line):
			return Nutch
		case logLine.Match(logPrefix.ReplaceAll(line, nil)):
			return Log
		}
		words := bytes.Fields(bare)
		if len(words) >= 3 && archive.IsStamp(words[1]) {
			if _, err := archive.ParseStamp(string(words[1][:14])); err == nil &&
				words[2][0] == '{' {
				return CDXJ
			} else if err == nil && columnsOf(len(words)) != "" {
				return CDX
			}
		}
		if seen++; seen >= tellingLines || bytes.Contains(bare, []byte("://")) && len(words) == 1 {
			break
		}
	}
	return List
}

// tellingLines is the number of lines to look at, because the first ones may be damaged.
const tellingLines = 50
