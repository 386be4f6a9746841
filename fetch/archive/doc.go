// Package archive keeps what was fetched in WARC files, and knows which capture of which address is
// where.
//
// # Guarantees
//
//  1. What Put took in is on disk when Sync has returned nil. Before that a crash may lose it, as a
//     whole or from some octet on.
//  2. A file that a crash cut is made whole by Open: the record at its end that is not whole is cut
//     off. A file that is damaged elsewhere is left as it is; the next one is begun, and Notes says
//     so. No record that can be read is ever removed.
//  3. After a Put that failed the file ends where it ended before. If that cannot be reached, or a
//     Sync failed, nothing more is taken in: each later call fails.
//  4. The index is made of the files. Whatever is missing of it, or too much, Open makes good from
//     them: octets that no run of the index covers are read, and all of them if the index is
//     damaged or a file is missing that it knows.
//  5. An answer whose body equals that of one of the latest captures of its address, and one that
//     says "not modified", become revisits. They name address and date of the record whose body it
//     is. A "not modified" whose record is not here stays a response. A body of
//     leastShared octets or more is looked for under all addresses.
//  6. One Archive at a time has a directory (directory.ErrInUse). A Reader needs no lock and writes
//     nothing: it sees all that is in the files when it is opened.
//
// # Files
//
//	recrawl-20260131120000-00000.warc.gz   records; a new one is begun at Options.MaxFile octets
//	index/000001.cdxj, index/state.json    the index: sorted runs, which are merged, and their list
//	LOCK
//
// A visit is written as response or revisit, request, and metadata with its reason and probability.
// What net/http sent and received is written as it is, encryption undone: header octet for octet in
// the order in which it came, content coding and chunks kept. Left out are interim answers (1xx)
// and octets behind the end of an answer. HTTP/2 is not spoken by fetch, so that nothing is
// rewritten. robots.txt is written like pages, without metadata.
//
// A Reader takes files of ARC, too, and those with many records in a gzip member; to read one of
// these takes as long as to read the member up to it.
//
// A body that was cut has WARC-Truncated. With an archive, bodies are read that nothing else needs,
// such as those of status 404, within the same limits.
//
// Methods of an Archive may be called by many goroutines, with one visit to an address at a time.
// Times come from the visits; names of files from Options.Now.
package archive
