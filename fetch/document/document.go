package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/fetch/extract"
)

const (
	// MostText limits the text of a document, in octets: four times the longest book of the Bible.
	MostText = 8 << 20
	// longestTitle limits a title, in octets.
	longestTitle = 1 << 10
)

// ErrNoReader is returned for a kind of file without a reader.
var ErrNoReader = errors.New("it is of a kind that has no reader: neither PDF, Office Open XML " +
	"nor OpenDocument")

// ErrNoText is returned for a file without text, for example with pictures alone.
var ErrNoText = errors.New("it has no text")

var errText = fmt.Errorf("it has more than %d MB of text", MostText>>20)

// Read reads a file. It turns a panic of a reader into an error.
func Read(form extract.Form, body []byte) (d extract.Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			d, err = extract.Document{}, fmt.Errorf("its reader failed: %v", fault)
		}
	}()
	switch form {
	case extract.FormPDF:
		d, err = readPDF(body)
	case extract.FormOffice:
		d, err = readOffice(body)
	default:
		err = ErrNoReader
	}
	if err != nil {
		return extract.Document{}, err
	}
	if len(d.Lines) == 0 {
		return extract.Document{}, ErrNoText
	}
	d.Title = words(d.Title)
	d.Title = strings.ToValidUTF8(d.Title[:min(len(d.Title), longestTitle)], "")
	return d, nil
}

// writer collects lines.
type writer struct {
	lines  []string
	line   strings.Builder
	octets int // of all lines
}

// write appends a text to the line.
func (w *writer) write(text string) error {
	if w.octets += len(text); w.octets > MostText {
		return errText
	}
	w.line.WriteString(text)
	return nil
}

// end ends the line.
func (w *writer) end() {
	if text := words(w.line.String()); text != "" {
		w.lines = append(w.lines, text)
	}
	w.line.Reset()
}

// words returns a text with one blank between its words.
func words(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}
