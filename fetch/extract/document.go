package extract

import (
	"bytes"
	"context"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Document is what a document that is no HTML has to show.
type Document struct {
	Title string    // "": it names none
	Date  time.Time // when it was last changed, as it says itself; zero: it does not
	Lines []string  // its text: a paragraph, row or value each
}

// Shown is a document as a page of HTML, or a page as it came.
type Shown struct {
	Page     []byte
	Type     string    // of the page
	Document *Document // nil: it came as HTML
	Unread   string    // why the text of a file cannot be read; then its line names its bytes
}

// Show shows a document: its address, Content-Type and octets, content coding undone.
type Show func(ctx context.Context, url, contentType string, body []byte) (Shown, error)

// ShownType is the type of pages that Document.HTML makes.
const ShownType = "text/html; charset=utf-8"

// HTML returns a page that has the title, and each line as a paragraph.
func (d *Document) HTML() []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><title>")
	b.WriteString(html.EscapeString(valid(d.Title)))
	b.WriteString("</title><body>")
	for _, line := range d.Lines {
		b.WriteString("<p>")
		b.WriteString(html.EscapeString(valid(line)))
		b.WriteString("</p>\n")
	}
	return b.Bytes()
}

// valid returns a text in UTF-8 without the octet 0, for which HTML has no place.
func valid(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// ReadDocument reads a document of JSON, XML or plain text; of other forms there is nothing to
// show.
func ReadDocument(form Form, body []byte, contentType string) (d Document) {
	var lines []byte
	switch form {
	case FormJSON:
		lines = jsonValues(body)
	case FormXML:
		text, _ := toUTF8(body, contentType)
		var title []byte
		title, lines = xmlLines(text)
		d.Title = cut(title)
	case FormText:
		lines, _ = toUTF8(body, contentType)
	}
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			d.Lines = append(d.Lines, string(line))
		}
	}
	return d
}

// jsonValues returns a line for each value of a document of JSON; what is none stays as it is.
func jsonValues(body []byte) []byte {
	lines, _ := new(Rule).Values(body, nil)
	return lines
}
