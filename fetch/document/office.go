package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
)

const (
	// MostUnpacked limits the unpacked octets of a file: 1 MB of zeros packs into 1 KB, and real
	// files into a tenth.
	MostUnpacked = 64 << 20
	// mostParts limits the files within a file.
	mostParts = 20_000
	// mostDeep limits the depth of elements.
	mostDeep = 256
)

var errUnpacked = fmt.Errorf("it unpacks to more than %d MB", MostUnpacked>>20)

// office is an office file.
type office struct {
	writer
	parts map[string]*zip.File
	left  int64 // octets that may still be unpacked
	title string
	date  time.Time
}

func readOffice(body []byte) (d extract.Document, err error) {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if errors.Is(err, zip.ErrFormat) {
		return d, ErrNoReader
	}
	if err != nil {
		return d, err
	}
	if len(archive.File) > mostParts {
		return d, fmt.Errorf("it has more than %d parts", mostParts)
	}
	o := office{parts: map[string]*zip.File{}, left: MostUnpacked}
	for _, part := range archive.File {
		if o.parts[part.Name] == nil {
			o.parts[part.Name] = part
		}
	}
	switch {
	case o.has("word/document.xml"):
		err = o.read("word/document.xml", "t", "p")
	case o.has("xl/workbook.xml"):
		err = o.sheets()
	case o.has("ppt/presentation.xml"):
		for _, name := range o.numbered("ppt/slides/slide") {
			if err = o.read(name, "t", "p"); err != nil {
				break
			}
		}
	case o.has("content.xml"): // OpenDocument: all text is content
		err = o.read("content.xml", "", "p", "h", "table-row")
	default:
		return d, ErrNoReader
	}
	if err == nil {
		err = o.about("docProps/core.xml", "modified")
	}
	if err == nil {
		err = o.about("meta.xml", "date")
	}
	return extract.Document{Title: o.title, Date: o.date, Lines: o.lines}, err
}

func (o *office) has(name string) bool { return o.parts[name] != nil }

// numbered returns the parts prefix1.xml, prefix2.xml and so on, by number.
func (o *office) numbered(prefix string) (names []string) {
	number := func(name string) int {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, prefix), ".xml"))
		if err != nil || path.Ext(name) != ".xml" || !strings.HasPrefix(name, prefix) {
			return -1
		}
		return n
	}
	for name := range o.parts {
		if number(name) >= 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

// each passes the elements and texts of a part to its callbacks, each text with its element.
func (o *office) each(name string, start func(xml.StartElement) error,
	text func(in string, text []byte) error, end func(name string) error) error {
	part := o.parts[name]
	if part == nil {
		return nil
	}
	unpacked, err := part.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer unpacked.Close()
	bounded := &io.LimitedReader{R: unpacked, N: o.left + 1}
	z := xml.NewDecoder(bounded)
	defer func() { o.left = max(bounded.N-1, 0) }()
	var within []string
	for {
		token, err := z.RawToken()
		switch {
		case bounded.N <= 0:
			return errUnpacked
		case err == io.EOF && len(within) == 0:
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: %w", name, io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if within = append(within, t.Name.Local); len(within) > mostDeep {
				return fmt.Errorf("%s: its elements are more than %d deep", name, mostDeep)
			}
			err = start(t)
		case xml.CharData:
			if len(within) > 0 {
				err = text(within[len(within)-1], t)
			}
		case xml.EndElement:
			if len(within) == 0 {
				return fmt.Errorf("%s: an element ends that has not begun", name)
			}
			within = within[:len(within)-1]
			err = end(t.Name.Local)
		}
		if err != nil {
			return err
		}
	}
}

// read reads the text within elements named of in a part, or all text for "". Elements named lines
// end a line.
func (o *office) read(name, of string, lines ...string) error {
	err := o.each(name, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tab", "br", "cr", "line-break", "s", "table-cell", "tc":
			return o.write(" ")
		}
		return nil
	}, func(in string, text []byte) error {
		if of == "" || in == of {
			return o.write(string(text))
		}
		return nil
	}, func(name string) error {
		if slices.Contains(lines, name) {
			o.end()
		}
		return nil
	})
	o.end()
	return err
}

// sheets reads the tables of a workbook: a row is a line.
func (o *office) sheets() error {
	// The texts of cells are in a shared list, by number.
	list := office{parts: o.parts, left: o.left}
	var texts []string
	err := list.each("xl/sharedStrings.xml", func(xml.StartElement) error { return nil },
		func(in string, text []byte) error {
			if in != "t" {
				return nil
			}
			return list.write(string(text))
		}, func(name string) error {
			if name == "si" {
				texts = append(texts, words(list.line.String()))
				list.line.Reset()
			}
			return nil
		})
	if o.left = list.left; err != nil {
		return err
	}
	for _, name := range o.numbered("xl/worksheets/sheet") {
		kind := "" // of the cell
		if err := o.each(name, func(e xml.StartElement) error {
			if e.Name.Local != "c" {
				return nil
			}
			kind = ""
			for _, a := range e.Attr {
				if a.Name.Local == "t" {
					kind = a.Value
				}
			}
			return o.write(" ")
		}, func(in string, text []byte) error {
			if in != "v" && in != "t" {
				return nil
			}
			shown := string(text)
			if kind == "s" {
				i, err := strconv.Atoi(strings.TrimSpace(shown))
				if err != nil || i < 0 || i >= len(texts) {
					return fmt.Errorf("%s: a cell names text %q, which is not there", name,
						shown[:min(len(shown), 20)])
				}
				shown = texts[i]
			}
			return o.write(shown)
		}, func(name string) error {
			if name == "row" {
				o.end()
			}
			return nil
		}); err != nil {
			return err
		}
		o.end()
	}
	return nil
}

// about reads title and date from a part.
func (o *office) about(name, dated string) error {
	date := ""
	err := o.each(name, func(xml.StartElement) error { return nil },
		func(in string, text []byte) error {
			switch in {
			case "title":
				o.title += string(text[:min(len(text), max(longestTitle-len(o.title), 0))])
			case dated:
				date += string(text[:min(len(text), max(64-len(date), 0))])
			}
			return nil
		}, func(string) error { return nil })
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if at, bad := time.Parse(layout, strings.TrimSpace(date)); bad == nil {
			o.date = at.UTC()
			break
		}
	}
	return err
}
