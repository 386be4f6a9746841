// Package standard has the standard format of a page [NICT 5.1]: its address, title, links, and its
// text by sentences with their places in the source, as XML and as a line of JSON.
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
//     sentence (RawString), but for octets that are no text, which become U+FFFD.
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
package standard
