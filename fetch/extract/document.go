package extract

import (
	"bytes"
	"context"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Document is the content of a document other than HTML.
type Document struct {
	Title string    // "": it has none
	Date  time.Time // when it was last changed, by its own date; zero: it has none
	Lines []string  // its text: one line for each paragraph, row or value
}

// Shown is a document as a page of HTML, or a page unchanged.
type Shown struct {
	Page     []byte
	Type     string    // of the page
	Document *Document // nil: the original is HTML
	Unread   string    // why a file is unreadable; its line then has its digest
}

// Show shows a document, given its URL, Content-Type and octets, with content coding undone.
type Show func(ctx context.Context, url, contentType string, body []byte) (Shown, error)

// ShownType is the type of pages that Document.HTML makes.
const ShownType = "text/html; charset=utf-8"

// HTML returns a page with the title, and each line as a paragraph.
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

// valid returns a text in UTF-8 without the octet 0, which HTML does not allow.
func valid(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// ReadDocument reads a document of JSON, XML or plain text. For other forms it returns an empty
// one.
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

// jsonValues returns a line for each value of a JSON document, and any other text unchanged.
func jsonValues(body []byte) []byte {
	lines, _ := new(Rule).Values(body, nil)
	return lines
}
