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
// Its format is the standard one of [NICT 5.1]: address, title, links, and its text by
// sentences with their places in the source, as XML and as a line of JSON.
//
// # Terms
//
//	document    one version of a page in this format
//	sentence    a text with an end of its own (UAX 29, with the boundaries of blocks)
//	place       Offset and Length: octets of the body that was captured, content coding undone, in its
//	            own charset
//	annotation  what a program says of a sentence or of the page, under the name of a scheme
//
// # Guarantees
//
//  1. The source at the place of a sentence, its tags removed and its entities undone, is the
//     sentence (RawString), except that octets that are no text become U+FFFD.
//  2. Sentences are in the order of the source, each of at most MostSentence octets, at most
//     MostSentences. Their numbers begin at 1.
//  3. A document depends on its arguments alone. XML and JSON hold the same, and reading what was
//     written gives the same document.
//  4. schema.xsd describes the XML; tests hold what is written to it.
//
// Names of elements and attributes are those of [NICT figure 3]. Others: DocID holds a fingerprint
// of the address, which stays; Place says whether a sentence is main text or beside it; CrawlTime
// and FormatTime are as in RFC 3339.
//
// UAX 29 knows no abbreviations: "Dr. Smith" is divided. What it takes for the end of a sentence is
// none behind a closing quotation mark with hiragana behind it.
//
// Sources: Akamine et al., "Development of a large-scale web crawler and search engine
// infrastructure" [NICT]; Unicode Standard Annex 29, as rivo/uniseg has it.
type Document struct {
	XMLName          xml.Name `xml:"StandardFormat" json:"-"`
	URL              string   `xml:"Uri,attr" json:"url"`
	DocID            string   `xml:"DocID,attr" json:"doc_id"` // IDOf(URL)
	OriginalEncoding string   `xml:"OriginalEncoding,attr" json:"original_encoding"`
	Language         string   `xml:"Language,attr,omitempty" json:"language,omitempty"`
	// blog; "": not known
	PageType string `xml:"PageType,attr,omitempty" json:"page_type,omitempty"`
	// of the capture that places are of
	CrawlTime  time.Time `xml:"CrawlTime,attr" json:"crawl_time"`
	FormatTime time.Time `xml:"FormatTime,attr" json:"format_time"` // no part of what Digest is of
	// Dated is when a document other than HTML was last changed, as it says itself.
	Dated     *time.Time     `xml:"Dated,attr,omitempty" json:"dated,omitempty"`
	Header    DocumentHeader `xml:"Header" json:"header"`
	Sentences []Sentence     `xml:"Text>S" json:"sentences"`
}

// DocumentHeader is what a document has beside its text.
type DocumentHeader struct {
	Title    *DocumentText `xml:"Title" json:"title,omitempty"`
	OutLinks []Link        `xml:"OutLinks>OutLink" json:"out_links"`
	// at most MostInLinks, by address
	InLinks     []Link       `xml:"InLinks>InLink" json:"in_links"`
	Information []Annotation `xml:"Information>Annotation" json:"information,omitempty"`
}

// DocumentText is a text and its place.
type DocumentText struct {
	Offset int    `xml:"Offset,attr" json:"offset"`
	Length int    `xml:"Length,attr" json:"length"`
	Raw    string `xml:"RawString" json:"text"`
}

// Sentence is a sentence.
type Sentence struct {
	ID       int    `xml:"Id,attr" json:"id"`
	Offset   int    `xml:"Offset,attr" json:"offset"`
	Length   int    `xml:"Length,attr" json:"length"`
	Japanese int    `xml:"is_Japanese_Sentence,attr" json:"japanese"` // 1: it is Japanese
	Place    string `xml:"Place,attr" json:"place"`                   // Main or Beside
	Raw      string `xml:"RawString" json:"text"`

	Annotations []Annotation `xml:"Annotation" json:"annotations,omitempty"`
}

// Places of sentences.
const (
	Main   = "main"
	Beside = "beside"
)

// Link is a link to or from a page, and what it says there.
type Link struct {
	Raw string     `xml:"RawString" json:"text"`
	To  DocumentID `xml:"DocIDs>DocID" json:"page"`
}

// DocumentID is a page: its address and the fingerprint of that.
type DocumentID struct {
	URL   string `xml:"Uri,attr" json:"url"`
	DocID string `xml:",chardata" json:"doc_id"`
}

// Annotation is what a program says.
type Annotation struct {
	Scheme string `xml:"Scheme,attr" json:"scheme"`
	Text   string `xml:",cdata" json:"text"`
}

// NewLink is a link of an address.
func NewLink(url, text string) Link {
	return Link{Raw: text, To: DocumentID{URL: url, DocID: IDOf(url)}}
}

// IDOf is the number of an address: 64 bits of its SHA-256, in 16 digits.
func IDOf(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:8])
}

// Digest is of all of a document but FormatTime.
func (d *Document) Digest() (sum [16]byte) {
	plain := *d
	plain.FormatTime = time.Time{}
	line, err := json.Marshal(&plain)
	if err != nil {
		panic(fmt.Sprintf("document of %s: %v", d.URL, err)) // it has nothing but texts and numbers
	}
	all := sha256.Sum256(line)
	copy(sum[:], all[:])
	return sum
}

// Content is the fingerprint of what is searched: title, main text, the texts of links to the page,
// and language. It is 0 for no document.
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

// XML is the document as a file of its own.
func (d *Document) XML() ([]byte, error) {
	text, err := xml.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, fmt.Errorf("format %s: %w", d.URL, err)
	}
	return append(append([]byte(xmlHead), text...), '\n'), nil
}

// ParseXML reads a document.
func ParseXML(text []byte) (*Document, error) {
	d := new(Document)
	if err := xml.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read a document of the standard format: %w", err)
	}
	d.XMLName = xml.Name{}
	return d, nil
}

// JSON is the document as a line.
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
