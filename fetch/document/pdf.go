package document

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/recrawl/recrawl/fetch/extract"
)

const (
	// mostPages limits the pages of a PDF, mostNodes the nodes above them.
	mostPages, mostNodes = 20_000, 100_000
	// mostForms limits the depth of parts that pages share, such as a letterhead.
	mostForms = 8
	// gap is the least space between two characters that separates words, in thousandths of the
	// font size. A blank of most fonts has 250, kerning less than 100.
	gap = 180
)

var errPages = errors.New("it has no pages")

func readPDF(body []byte) (d extract.Document, err error) {
	r, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return d, err
	}
	p := pages{fonts: map[string]func(string) string{}}
	root := r.Trailer().Key("Root").Key("Pages")
	if err := p.below(root, pdf.Value{}, 0); err != nil {
		return d, err
	}
	if p.read == 0 {
		return d, errPages
	}
	info := r.Trailer().Key("Info")
	return extract.Document{Title: info.Key("Title").Text(), Lines: p.lines,
		Date: dateOf(info.Key("ModDate").Text())}, nil
}

// pages reads the pages of a PDF.
type pages struct {
	writer
	read, nodes int
	fonts       map[string]func(string) string // by their text in the file
}

// below reads the pages below a node (ISO 32000-1, 7.7.3). Pages without resources inherit them.
func (p *pages) below(node, resources pdf.Value, depth int) error {
	if p.nodes++; p.nodes > mostNodes || depth > 64 {
		return errors.New("its pages have no end")
	}
	if own := node.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := node.Key("Kids")
	if kids.Kind() != pdf.Array {
		if node.Kind() != pdf.Dict {
			return nil
		}
		if p.read++; p.read > mostPages {
			return fmt.Errorf("it has more than %d pages", mostPages)
		}
		contents := node.Key("Contents")
		if contents.IsNull() {
			return nil
		}
		err := p.content(contents, resources, 0)
		p.end()
		if err != nil {
			return fmt.Errorf("page %d: %w", p.read, err)
		}
		return nil
	}
	for i := range kids.Len() {
		if err := p.below(kids.Index(i), resources, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// content reads the text of a page, or of a part.
func (p *pages) content(contents, resources pdf.Value, depth int) (err error) {
	if depth > mostForms {
		return errors.New("its parts have no end")
	}
	defer func() { // the library reads to the end of the content unless it panics
		fault := recover()
		if up, ok := fault.(given); ok {
			err = up.error
		} else if fault != nil {
			panic(fault)
		}
	}()
	t := text{pages: p, resources: resources}
	pdf.Interpret(contents, func(stack *pdf.Stack, operator string) {
		arguments := make([]pdf.Value, stack.Len())
		for i := len(arguments) - 1; i >= 0; i-- {
			arguments[i] = stack.Pop()
		}
		if err := t.do(operator, arguments, depth); err != nil {
			panic(given{err})
		}
	})
	return nil
}

// given is the panic that ends the reading of a content.
type given struct{ error }

// text is the state of the operators of text (ISO 32000-1, 9.4).
type text struct {
	*pages
	resources pdf.Value
	decode    func(string) string
	y         float64 // of the line, in text space
	leading   float64
}

// do executes an operator of a page. It ignores those that neither show nor move text.
func (t *text) do(operator string, arguments []pdf.Value, depth int) error {
	number := func(i int) float64 {
		if i >= len(arguments) {
			return 0
		}
		return arguments[i].Float64()
	}
	last := pdf.Value{}
	if len(arguments) > 0 {
		last = arguments[len(arguments)-1]
	}
	switch operator {
	case "BT":
		t.end()
		t.y = 0
	case "Tf":
		if len(arguments) > 0 {
			t.decode = t.font(arguments[0].Name())
		}
	case "TL":
		t.leading = number(0)
	case "Td", "TD":
		if operator == "TD" {
			t.leading = -number(1)
		}
		return t.move(t.y + number(1))
	case "Tm":
		return t.move(number(5))
	case "T*":
		return t.move(t.y - t.leading)
	case "'", "\"":
		if err := t.move(t.y - t.leading); err != nil {
			return err
		}
		return t.show(last)
	case "Tj":
		return t.show(last)
	case "TJ":
		for i := range last.Len() {
			piece := last.Index(i)
			if piece.Kind() == pdf.String {
				if err := t.show(piece); err != nil {
					return err
				}
			} else if piece.Float64() < -gap {
				if err := t.write(" "); err != nil {
					return err
				}
			}
		}
	case "Do":
		return t.part(last.Name(), depth)
	}
	return nil
}

// move moves to another place, in the same line or another.
func (t *text) move(y float64) error {
	if y != t.y {
		t.end()
	}
	t.y = y
	return t.write(" ")
}

func (t *text) show(value pdf.Value) error {
	shown := value.RawString()
	if t.decode != nil {
		shown = t.decode(shown)
	}
	return t.write(shown)
}

// part reads a shared part: a form XObject (ISO 32000-1, 8.10).
func (t *text) part(name string, depth int) error {
	part := t.resources.Key("XObject").Key(name)
	if part.Key("Subtype").Name() != "Form" {
		return nil // a picture
	}
	resources := part.Key("Resources")
	if resources.IsNull() {
		resources = t.resources
	}
	t.end()
	err := t.content(part, resources, depth+1)
	t.end()
	return err
}

// font returns the decoder of a font; each font of a file is read once.
func (t *text) font(name string) func(string) string {
	value := t.resources.Key("Font").Key(name)
	if value.IsNull() {
		return nil
	}
	key := value.String()
	decode := t.fonts[key]
	if decode == nil {
		encoder := (&pdf.Font{V: value}).Encoder()
		decode = encoder.Decode
		if value.Key("Encoding").Kind() == pdf.Dict {
			decode = byOctets(encoder)
		}
		t.fonts[key] = decode
	}
	return decode
}

// byOctets decodes a font with an octet a character. It looks each octet up once, because the
// library searches its whole list for it.
func byOctets(encoder pdf.TextEncoding) func(string) string {
	var known [256]string
	return func(raw string) string {
		var b strings.Builder
		for i := range len(raw) {
			c := raw[i]
			if known[c] == "" {
				known[c] = ligatures.Replace(encoder.Decode(raw[i : i+1]))
			}
			b.WriteString(known[c])
		}
		return b.String()
	}
}

// ligatures are replaced by their letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// dateOf reads a date such as D:20260131120000+01'00', whose end may be missing, or returns zero.
func dateOf(text string) time.Time {
	digits := strings.TrimPrefix(text, "D:")
	zone := ""
	if i := strings.IndexAny(digits, "Z+-"); i >= 0 {
		digits, zone = digits[:i], strings.ReplaceAll(digits[i:], "'", "")
	}
	if len(digits) < 4 || len(digits) > 14 {
		return time.Time{}
	}
	layout := "20060102150405"[:len(digits)]
	if len(zone) == 5 {
		layout += "-0700"
	} else {
		zone = ""
	}
	at, err := time.Parse(layout, digits+zone)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
