// Package archive keeps answers in WARC files, and an index with the place of each capture.
//
// # Guarantees
//
//  1. Captures of Put are on disk once Sync has returned nil. Before that a crash may lose all or a
//     part of them.
//  2. Open removes the incomplete record at the end of a file after a crash. It leaves a file with
//     other damage unchanged, starts the next one, and reports that in Notes. It never removes a
//     readable record.
//  3. After a failed Put the file ends where it ended before. If that is impossible, or after a
//     failed Sync, each later call fails.
//  4. The index can be rebuilt from the files. Open reads the octets that no run of the index
//     covers. It reads all files if the index is damaged or one of its files is missing.
//  5. An answer becomes a revisit if its body is that of a recent capture of its URL, or if it is
//     "not modified". A revisit names URL and date of the record with the body. A "not modified"
//     without such a record stays a response. Bodies of leastShared octets or more are also
//     compared across URLs.
//  6. One Archive at a time can open a directory (directory.ErrInUse). A Reader takes no lock and
//     writes nothing. It sees what the files have when it is opened.
//
// # Files
//
//	recrawl-20260131120000-00000.warc.gz   records; a new one is begun at Options.MaxFile octets
//	index/000001.cdxj, index/state.json    the index: sorted runs, which are merged, and their list
//	LOCK
//
// A visit is written as response or revisit, request, and metadata with its reason and probability.
// Requests and answers are written octet for octet with encryption undone, content coding and
// chunks included. Interim answers (1xx) and octets after the end of an answer are left out. With
// Capture, fetch does not use HTTP/2, so that nothing is rewritten. robots.txt is written like a
// page, without metadata.
//
// A Reader also reads ARC files, and files with many records in a gzip member. Reading one of these
// takes as long as reading the member up to it.
//
// A cut body has WARC-Truncated. With an archive, the client also reads bodies that it does not
// need, such as those of status 404, within the same limits.
//
// Goroutines may share an Archive, with one visit to a URL at a time. Times come from the visits,
// names of files from Options.Now.
package archive
