// Package corpus makes a corpus for search and analysis from an archive: it selects pages, writes
// them in the standard format, and indexes them. An update costs as much as the changes.
//
// # Terms
//
//	archive   WARC files of fetch/archive
//	corpus    a directory with the files below
//	row       the state of a page of the archive, selected or not
//	mark      a page, or a group of pages, with work to do
//	build     adds all new captures, and works off all marks
//	content   of a page: its last capture with status 200 and HTML; a capture with another digest of
//	          the payload is another content
//
// A page is gone, and has no row, if its last answer is no such page. The statuses 1xx, 5xx, 408,
// 425 and 429 do not count as answers.
//
// # Files
//
//	LOCK, FORMAT                one process at a time; the version
//	pages/                      rows, links, duplicates and marks, in Pebble
//	standard/000001.xml.zst     documents: containers of XML, and of JSON Lines beside it
//	standard/000001.jsonl.zst
//	index/                      of package index
//
// # Guarantees
//
//  1. Except for FormatTime, a corpus depends on archive and settings alone: one build or many give
//     the same pages, verdicts, documents and search results. The captures of a page must be in
//     order of time in the archive, as after a run.
//  2. A build reads the new part of the archive, and changes the pages that depend on it: those
//     with new contents, those that they link to or linked to, and similar ones. It works on all
//     pages only if settings changed.
//  3. The next build continues one that was interrupted or crashed. Rows and containers agree: a
//     row names a document only when its container is on disk.
//  4. Containers with less than half of their documents valid are rewritten, and small ones are
//     merged.
//  5. A removed URL is never added again (Remove).
//  6. Memory is bounded for any number and size of pages: some pages that are read or written, the
//     rows of a container, the identifiers of an index unit, and an octet for each page during a
//     collection.
//
// One goroutine at a time may use a Corpus.
//
// Source: Akamine et al., "Development of a large-scale web crawler and search engine
// infrastructure" [NICT 4.5, 5.1, 5.2].
package corpus
