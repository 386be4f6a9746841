package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Form is how an answer that is no HTML is read.
type Form uint8

const (
	FormNone   Form = iota // it is HTML, or nothing that can be read
	FormJSON               //
	FormXML                // a feed, or another document of XML
	FormText               //
	FormPDF                //
	FormOffice             // of Office Open XML, OpenDocument, or an older one that has no reader
)

// IsFile reports whether a form is that of a file whose text a program for it shows. Its readers
// work on what may be hostile in ways that HTML cannot be.
func (f Form) IsFile() bool { return f == FormPDF || f == FormOffice }

// Forms is a set of forms.
type Forms uint8

// AllForms is every form but FormNone.
const AllForms Forms = 1<<FormJSON | 1<<FormXML | 1<<FormText | 1<<FormPDF | 1<<FormOffice

// Has reports whether a form is in the set.
func (f Forms) Has(one Form) bool { return f&(1<<one) != 0 && one != FormNone }

// formNames are the names of forms that users write, and the endings of the addresses that lead to
// such documents.
var formNames = []struct {
	name, endings string
	form          Form
}{
	{"pdf", "pdf", FormPDF},
	{"office", "doc docx xls xlsx ppt pptx odt ods odp rtf", FormOffice},
	{"text", "txt md rst log csv tsv ics tex bib", FormText},
	{"json", "json jsonl jsonld", FormJSON},
	{"feed", "xml rss atom rdf", FormXML},
}

// FormNames returns the names that ParseForms takes.
func FormNames() (names []string) {
	for _, f := range formNames {
		names = append(names, f.name)
	}
	return names
}

// ParseForms reads names of forms: those of FormNames.
func ParseForms(names []string) (set Forms, err error) {
	for _, name := range names {
		known := false
		for _, f := range formNames {
			if f.name == strings.TrimSpace(name) {
				set, known = set|1<<f.form, true
			}
		}
		if !known {
			return 0, fmt.Errorf("%q is no kind of documents: there are %s", name,
				strings.Join(FormNames(), ", "))
		}
	}
	return set, nil
}

// IsPage reports whether a canonical address may lead to a page where documents of these forms are
// pages, too, by the ending of its path.
func (f Forms) IsPage(url string) bool {
	ending := endingOf(url)
	if !notPages[ending] {
		return true
	}
	for _, of := range formNames {
		if f.Has(of.form) && slices.Contains(strings.Fields(of.endings), ending) {
			return true
		}
	}
	return false
}

// FormOf goes by the Content-Type, and by what the octets look like (http.DetectContentType) where
// that says nothing of use: there is none, or files of all kinds have it.
func FormOf(contentType, looks string, octets []byte) Form {
	kind := MediaType(contentType)
	main, _, _ := strings.Cut(kind, "/")
	switch {
	case IsHTML(contentType):
		return FormNone
	case IsJSON(contentType):
		return FormJSON
	case kind == "application/pdf", kind == "application/x-pdf":
		return FormPDF
	case isOfficeType(kind):
		return FormOffice
	case kind == "text/xml", kind == "application/xml", strings.HasSuffix(kind, "+xml"):
		return FormXML
	case main == "text":
		return FormText
	case main != "" && main != "application" && main != "unknown" && main != "binary":
		return FormNone
	}
	switch MediaType(looks) {
	case "text/xml":
		return FormXML
	case "text/plain":
		if json.Valid(octets) {
			return FormJSON
		}
		return FormText
	case "application/pdf":
		return FormPDF
	case "application/zip":
		if isOfficeFile(octets) {
			return FormOffice
		}
	}
	return FormNone
}

// isOfficeType reports whether a media type is that of a text, table or set of slides.
func isOfficeType(kind string) bool {
	return slices.Contains([]string{"application/msword", "application/rtf", "text/rtf",
		"application/vnd.ms-excel", "application/vnd.ms-powerpoint"}, kind) ||
		strings.HasPrefix(kind, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(kind, "application/vnd.oasis.opendocument.")
}

// isOfficeFile reports whether a ZIP file is such a one, by the names of its parts, which stand in
// it as they are.
func isOfficeFile(octets []byte) bool {
	for _, name := range []string{"word/document.xml", "xl/workbook.xml", "ppt/presentation.xml",
		"mimetypeapplication/vnd.oasis.opendocument."} {
		if bytes.Contains(octets, []byte(name)) {
			return true
		}
	}
	return false
}

// IsPartOfPage reports whether a Content-Type is that of what only pages use: style sheets and
// scripts.
func IsPartOfPage(contentType string) bool {
	kind := MediaType(contentType)
	return kind == "text/css" || strings.HasSuffix(kind, "javascript") ||
		strings.HasSuffix(kind, "ecmascript")
}
