package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Form is the form in which an answer other than HTML is read.
type Form uint8

const (
	FormNone   Form = iota // HTML, or unreadable
	FormJSON               //
	FormXML                // a feed, or another XML document
	FormText               //
	FormPDF                //
	FormOffice             // Office Open XML, OpenDocument, or an older form that has no reader
)

// IsFile reports whether a form is a file that people open with another program. Such files can be
// hostile in ways that HTML cannot, so their readers need limits.
func (f Form) IsFile() bool { return f == FormPDF || f == FormOffice }

// Forms is a set of forms.
type Forms uint8

// AllForms is every form but FormNone.
const AllForms Forms = 1<<FormJSON | 1<<FormXML | 1<<FormText | 1<<FormPDF | 1<<FormOffice

// Has reports whether a form is in the set.
func (f Forms) Has(one Form) bool { return f&(1<<one) != 0 && one != FormNone }

// formNames are the names of forms that users write, and the extensions of such documents.
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

// FormNames returns the names that ParseForms accepts.
func FormNames() (names []string) {
	for _, f := range formNames {
		names = append(names, f.name)
	}
	return names
}

// ParseForms reads names of forms (see FormNames).
func ParseForms(names []string) (set Forms, err error) {
	for _, name := range names {
		known := false
		for _, f := range formNames {
			if f.name == strings.TrimSpace(name) {
				set, known = set|1<<f.form, true
			}
		}
		if !known {
			return 0, fmt.Errorf("%q is not a kind of document: choose from %s", name,
				strings.Join(FormNames(), ", "))
		}
	}
	return set, nil
}

// IsPage reports whether a canonical URL may lead to a page, by its extension, if documents of
// these forms count as pages.
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

// FormOf returns the form of an answer by its Content-Type. If that is missing or generic, the
// octets decide (looks is the result of http.DetectContentType).
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

// isOfficeType reports whether a media type is a text, table or slides.
func isOfficeType(kind string) bool {
	return slices.Contains([]string{"application/msword", "application/rtf", "text/rtf",
		"application/vnd.ms-excel", "application/vnd.ms-powerpoint"}, kind) ||
		strings.HasPrefix(kind, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(kind, "application/vnd.oasis.opendocument.")
}

// isOfficeFile reports whether a ZIP file is an office file, by the names of its parts.
func isOfficeFile(octets []byte) bool {
	for _, name := range []string{"word/document.xml", "xl/workbook.xml", "ppt/presentation.xml",
		"mimetypeapplication/vnd.oasis.opendocument."} {
		if bytes.Contains(octets, []byte(name)) {
			return true
		}
	}
	return false
}

// IsPartOfPage reports whether a Content-Type is a style sheet or script, which only pages use.
func IsPartOfPage(contentType string) bool {
	kind := MediaType(contentType)
	return kind == "text/css" || strings.HasSuffix(kind, "javascript") ||
		strings.HasSuffix(kind, "ecmascript")
}
