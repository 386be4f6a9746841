// Package warc writes and reads WARC files (WARC 1.1, ISO 28500:2017), and reads ARC files.
//
// # Terms
//
//	record   a header, a block and two empty lines; of several types, such as response and revisit
//	block    the content of a record, for example an HTTP answer with its own header
//	payload  the body of an HTTP message without its transfer coding; else the whole block
//	member   a part of a gzip file that can be read by itself
//
// # Guarantees
//
//  1. Every written record is a separate gzip member, so that it can be read at its offset. It has
//     a digest of its block, and its header cannot contain another record.
//  2. A block is written octet for octet. The digest of a payload is that of the body without its
//     transfer coding, and with its content coding (WARC 1.1, 5.9).
//  3. A Reader reads gzip files, plain ones, WARC 1.0 and 1.1, and ARC 1 and 2. It accepts known
//     faults of other writers: brackets around URLs, line ends without CR or too many of them, a
//     byte order mark, several records in a member, members that end within a record. ParseRecord
//     accepts bodies that a writer decoded without a change of the header.
//  4. A Reader uses bounded memory for any file: headers of records and messages have limits, and
//     blocks are streamed. A block may have MaxBlock octets.
//  5. A cut file is read up to the cut. Then the error is a DamageError at the offset of the
//     incomplete record; it wraps io.ErrUnexpectedEOF.
//
// Digests are SHA-1 in base 32, like those of other tools. They find damage, but do not prevent
// forgery.
//
// One goroutine uses a Writer or a Reader.
//
// Package archive has the files, their names and their index.
package warc
