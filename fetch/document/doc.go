// Package document reads the text, title and date of PDF and office files.
//
// # Terms
//
//	file  a body whose form is FormPDF or FormOffice (package extract)
//	line  of a PDF: a printed line; of an office file: a paragraph, or a row of a table
//
// # Guarantees
//
//  1. Read returns all visible text of a file, or an error. A file without text, or with an
//     unreadable page, sheet or slide, is an error.
//  2. The same octets give the same document.
//  3. At most MostUnpacked octets of an office file are unpacked, whatever sizes its parts claim.
//     Elements are at most mostDeep deep. All lines have at most MostText octets: a longer document
//     is an error.
//  4. Memory and time of a PDF are not bounded here, because its reader trusts the file. Package
//     quarantine reads it in a separate process, under limits.
//
// Office files are those of Office Open XML (docx, xlsx, pptx) and OpenDocument (odt, ods, odp).
// Older ones (doc, xls, ppt, rtf) cannot be read. Notes, comments and headers of office files,
// forms, drawings, and text in pictures are ignored.
//
// Title and date come from inside the file: Title and ModDate of a PDF; dc:title and
// dcterms:modified, or dc:date, of an office file.
//
// Sources: ISO 32000-1, 9.4 (text of PDF), 7.9.4 (dates), 14.3.3 (title); ECMA-376; OpenDocument
// 1.3. ledongthuc/pdf finds the operators of text and the characters of fonts in a PDF. Its own
// text has no blanks between words that are only spaced, as in TeX; this package adds them.
package document
