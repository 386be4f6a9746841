// Package warc writes and reads WARC files (WARC 1.1, ISO 28500:2017), and reads ARC files.
//
// # Terms
//
//	record   a header, a block and an empty line twice; of several types, as response and revisit
//	block    what a record is about: an HTTP answer, say, with its own header
//	payload  the body of an HTTP message without its transfer coding; else the whole block
//	member   a part of a gzip file that can be read by itself
//
// # Guarantees
//
//  1. Every record that is written is a gzip member of its own, so that it can be read by its
//     offset alone. It has a digest of its block, and no character that would begin another record.
//  2. A block is written octet for octet. The digest of a payload is that of the body as it was
//     sent without its transfer coding, content coding kept (WARC 1.1, 5.9).
//  3. A Reader takes gzip files, plain ones, WARC 1.0 and 1.1, ARC 1 and 2, and what other writers
//     are known to do: brackets around addresses, line ends without CR or too many of them, a byte
//     order mark, several records in a member, members that end within a record. ParseRecord takes
//     bodies that a writer decoded without a change of the header.
//  4. A Reader uses a bounded amount of memory, whatever it reads: headers of records and messages
//     have limits, blocks are streamed. A block may have MaxBlock octets.
//  5. A file that was cut at any octet is read up to there. Then the error is a DamageError at the
//     offset of the record that is not whole; it wraps io.ErrUnexpectedEOF.
//
// Digests are SHA-1 in base 32, which is what other tools of the field compare. They find damage,
// and are no proof against forgery.
//
// A Writer and a Reader are used by one goroutine each.
//
// Not done here: files, their names and their index, which are those of fetch/archive.
package warc
