// Package export hands an archive to other tools: its WARC files, its index as CDXJ, and all in one
// file as WACZ 1.1.1.
//
// # Guarantees
//
//  1. What is exported is a state of the archive between two records, also while a run adds to it.
//     Index and files agree.
//  2. A file is there whole or not at all, and none is replaced unless To.Force says so.
//     A stream ("-") may be cut.
//  3. A WACZ names each of its files with size and SHA-256 in datapackage.json, and that file in
//     datapackage-digest.json.
//
// A WACZ has
//
//	archive/*.warc.gz      the WARC files as they are, not compressed again, so that they can be read
//	                       by the offset of a record
//	archive/not-modified.warc.gz
//	                       a revisit without a header for each capture of "not modified"
//	indexes/index.cdxj     the captures, to the millisecond (CDXJ 0.1.0): ReplayWeb.page looks for the
//	                       record that a revisit names by its exact moment, and takes a later one of
//	                       the address if the index has seconds alone. One of "not modified" is its
//	                       record in not-modified.warc.gz, with status and digest of what it means:
//	                       with status 304 an empty page is shown, with the header of a 304, which
//	                       has no content coding, compressed octets, and without a line the
//	                       nearest capture, which may have changed since
//	pages/pages.jsonl      each HTML page once, at its last proper capture, with its title
//	datapackage.json
//
// Memory does not grow with the archive, but for the captures of one key of the index.
//
// Source: Web Archive Collection Zipped 1.1.1, specs.webrecorder.net.
package export
