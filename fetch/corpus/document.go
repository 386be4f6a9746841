package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Document is one version of a page.
//
// Its format is the standard one of [NICT 5.1]: URL, title, links, and sentences with their places
// in the source, as XML and as a line of JSON.
//
// # Terms
//
//	document    one version of a page in this format
//	sentence    a text with an end of its own (UAX 29, with the boundaries of blocks)
//	place       Offset and Length: octets of the captured body in its charset, with content coding
//	            undone
//	annotation  the note of a program about a sentence or the page, under the name of a scheme
//
// # Guarantees
//
//  1. A sentence (RawString) is the source at its place without tags and entities. Octets that are
//     no text become U+FFFD.
//  2. Sentences are in the order of the source, each of at most MostSentence octets, at most
//     MostSentences. Their numbers begin at 1.
//  3. A document depends on its arguments alone. XML and JSON have the same content, and reading
//     either gives the same document.
//  4. schema.xsd describes the XML, and tests check it.
//
// Names of elements and attributes are those of [NICT figure 3]. In addition DocID is a permanent
// fingerprint of the URL, Place says whether a sentence is in the main text, and CrawlTime and
// FormatTime have the form of RFC 3339.
//
// UAX 29 knows no abbreviations: it splits "Dr. Smith". A closing quotation mark followed by
// hiragana does not end a sentence here.
//
// Sources: Akamine et al., "Development of a large-scale web crawler and search engine
// infrastructure" [NICT]; Unicode Standard Annex 29, implemented by rivo/uniseg.
type Document struct {
	XMLName          xml.Name `xml:"StandardFormat" json:"-"`
	URL              string   `xml:"Uri,attr" json:"url"`
	DocID            string   `xml:"DocID,attr" json:"doc_id"` // IDOf(URL)
	OriginalEncoding string   `xml:"OriginalEncoding,attr" json:"original_encoding"`
	Language         string   `xml:"Language,attr,omitempty" json:"language,omitempty"`
	// PageType is blog, or "" if it is not known.
	PageType string `xml:"PageType,attr,omitempty" json:"page_type,omitempty"`
	// CrawlTime is the time of the capture to which places refer.
	CrawlTime  time.Time `xml:"CrawlTime,attr" json:"crawl_time"`
	FormatTime time.Time `xml:"FormatTime,attr" json:"format_time"` // not in the Digest
	// Dated is the date of the last change inside a document other than HTML.
	Dated     *time.Time     `xml:"Dated,attr,omitempty" json:"dated,omitempty"`
	Header    DocumentHeader `xml:"Header" json:"header"`
	Sentences []Sentence     `xml:"Text>S" json:"sentences"`
}

// DocumentHeader is a document without its text.
type DocumentHeader struct {
	Title    *DocumentText `xml:"Title" json:"title,omitempty"`
	OutLinks []Link        `xml:"OutLinks>OutLink" json:"out_links"`
	// InLinks are at most MostInLinks links, by URL.
	InLinks     []Link       `xml:"InLinks>InLink" json:"in_links"`
	Information []Annotation `xml:"Information>Annotation" json:"information,omitempty"`
}

// DocumentText is a text with its place.
type DocumentText struct {
	Offset int    `xml:"Offset,attr" json:"offset"`
	Length int    `xml:"Length,attr" json:"length"`
	Raw    string `xml:"RawString" json:"text"`
}

type Sentence struct {
	ID       int    `xml:"Id,attr" json:"id"`
	Offset   int    `xml:"Offset,attr" json:"offset"`
	Length   int    `xml:"Length,attr" json:"length"`
	Japanese int    `xml:"is_Japanese_Sentence,attr" json:"japanese"` // 1: the sentence is Japanese
	Place    string `xml:"Place,attr" json:"place"`                   // Main or Beside
	Raw      string `xml:"RawString" json:"text"`

	Annotations []Annotation `xml:"Annotation" json:"annotations,omitempty"`
}

// Places of sentences.
const (
	Main   = "main"
	Beside = "beside"
)

// Link is a link to or from a page, with its text.
type Link struct {
	Raw string     `xml:"RawString" json:"text"`
	To  DocumentID `xml:"DocIDs>DocID" json:"page"`
}

// DocumentID identifies a page: by its URL and the fingerprint of that.
type DocumentID struct {
	URL   string `xml:"Uri,attr" json:"url"`
	DocID string `xml:",chardata" json:"doc_id"`
}

// Annotation is the note of a program.
type Annotation struct {
	Scheme string `xml:"Scheme,attr" json:"scheme"`
	Text   string `xml:",cdata" json:"text"`
}

// NewLink returns a link to a URL.
func NewLink(url, text string) Link {
	return Link{Raw: text, To: DocumentID{URL: url, DocID: IDOf(url)}}
}

// IDOf returns 64 bits of the SHA-256 of a URL, in 16 digits.
func IDOf(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:8])
}

// Digest returns the digest of the whole document except FormatTime.
func (d *Document) Digest() (sum [16]byte) {
	plain := *d
	plain.FormatTime = time.Time{}
	line, err := json.Marshal(&plain)
	if err != nil {
		panic(fmt.Sprintf("document of %s: %v", d.URL, err)) // it consists of texts and numbers
	}
	all := sha256.Sum256(line)
	copy(sum[:], all[:])
	return sum
}

// Content returns the fingerprint of the searched parts: title, main text, the texts of links to
// the page, and language. It is 0 for nil.
func (d *Document) Content() uint64 {
	h := sha256.New()
	write := func(text string) { io.WriteString(h, text+"\x00") }
	write(d.Language)
	if d.Header.Title != nil {
		write(d.Header.Title.Raw)
	}
	for i := range d.Sentences {
		if d.Sentences[i].Place == Main {
			write(d.Sentences[i].Raw)
		}
	}
	write("")
	for _, l := range d.Header.InLinks {
		write(l.Raw)
	}
	return max(binary.BigEndian.Uint64(h.Sum(nil)), 1)
}

const xmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

// XML returns the document as a file.
func (d *Document) XML() ([]byte, error) {
	text, err := xml.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, fmt.Errorf("format %s: %w", d.URL, err)
	}
	return append(append([]byte(xmlHead), text...), '\n'), nil
}

// ParseXML reads a document from a file.
func ParseXML(text []byte) (*Document, error) {
	d := new(Document)
	if err := xml.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read a document of the standard format: %w", err)
	}
	d.XMLName = xml.Name{}
	return d, nil
}

// JSON returns the document as a line.
func (d *Document) JSON() ([]byte, error) {
	line, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("format %s: %w", d.URL, err)
	}
	return append(line, '\n'), nil
}

// ParseJSON reads a document from a line.
func ParseJSON(line []byte) (*Document, error) {
	d := new(Document)
	if err := json.Unmarshal(line, d); err != nil {
		return nil, fmt.Errorf("read a document of the standard format: %w", err)
	}
	return d, nil
}
