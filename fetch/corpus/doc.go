// Package corpus makes a corpus for search and analysis of an archive, and keeps it true at the
// cost of what has changed: it selects pages, writes them in the standard format, and has them
// indexed.
//
// # Terms
//
//	archive   WARC files, as fetch/archive writes them
//	corpus    a directory with what is below
//	row       what is known of a page of the archive, selected or not
//	mark      a page, or a group of pages, that something is still to be done for
//	build     all captures that are new, taken in, and all marks done
//	content   of a page: its last capture with status 200 and HTML; a capture with another digest of
//	          the payload is another content
//
// A page is gone, and no row is left, when its last answer is another one than such a page and says
// so of the page: 1xx, 5xx, 408, 425 and 429 say nothing of it.
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
//  1. A corpus depends on archive and settings alone, but for FormatTime: built at once or in many
//     builds, it has the same pages, verdicts, documents and results of searches. That holds where
//     the captures of a page lie in the archive in the order of their times, as those of a run do.
//  2. A build reads of the archive what is new, and touches of the corpus what depends on it: pages
//     with new contents, those that they link to or did, and those alike. Work on all pages is done
//     only where settings changed.
//  3. A build that is interrupted or crashes is continued by the next one. Rows and containers
//     agree: a row names a document only when its container is on disk.
//  4. Containers of which less than half is still valid are written anew, and small ones are
//     merged.
//  5. An address that was removed is never taken in again (Remove).
//  6. Memory is bounded, however many and large the pages of a server are: by some pages that are
//     read or written, the rows of a container, the identifiers of an index unit, and an octet for
//     each page where identifiers are collected.
//
// A Corpus is for one goroutine at a time.
//
// Source: Akamine et al., "Development of a large-scale web crawler and search engine
// infrastructure" [NICT 4.5, 5.1, 5.2].
package corpus
