// Package document reads the text, title and date of PDF and office files.
//
// # Terms
//
//	file  a body whose form is FormPDF or FormOffice (package extract)
//	line  of a PDF: a line as it is set; of an office file: a paragraph, or a row of a table
//
// # Guarantees
//
//  1. Read returns all text that a file has for people to see, or an error: a page, sheet or slide
//     that cannot be read makes the whole file one that cannot, and so does that it has no text.
//  2. The same octets give the same document.
//  3. Of an office file at most MostUnpacked octets are unpacked, whatever its parts say of
//     themselves; elements are at most mostDeep deep. Lines have MostText octets at most: a
//     document with more cannot be read.
//  4. Memory and time of a PDF are not bounded here: its reader follows whatever the file says.
//     Package quarantine reads it in a process of its own, under limits.
//
// Office files are those of Office Open XML (docx, xlsx, pptx) and OpenDocument (odt, ods, odp).
// Those before them (doc, xls, ppt, rtf) cannot be read. Not read: notes, comments and headers of
// office files, forms, what is drawn, and text in pictures.
//
// The title and the date are those that the file has of itself: Title and ModDate of a PDF,
// dc:title and dcterms:modified, or dc:date, of an office file.
//
// Sources: ISO 32000-1, 9.4 (text of PDF), 7.9.4 (dates), 14.3.3 (title); ECMA-376; OpenDocument
// 1.3. PDF is read by ledongthuc/pdf, which finds the operators of text and the characters of
// fonts. Its own text has no blanks between words that are set apart, as TeX does: spacing is read
// here.
package document
