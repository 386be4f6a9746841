// Package index searches the documents of a corpus: their titles, main texts and the texts of links
// to them. It has two sets [NICT 5.2]: builds add to one while the other is searched.
//
// # Terms
//
//	identifier  the number of a version of a page; a new version has a new one
//	unit        an index of a bounded number of identifiers, of bleve, that never changes
//	state       of a unit: its deleted identifiers, and for each page when its content was first
//	            and last seen
//	set         units with their states. Sets share equal units and states
//	collection  units with deleted identifiers are rebuilt without them, and the numbers are reused
//
// # Files
//
//	search.json             the set that is searched
//	units/000007/           a unit: bleve/, and the file pages with the data of its identifiers
//	units/000007/state-12   its state in the set 12
//
// # Guarantees
//
//  1. A search sees one set from its beginning to its end. Publish makes another set the one that
//     is searched, by renaming search.json; a Searcher changes to it between two searches.
//  2. A page is in the results in at most one version.
//  3. Scores are those of a single index of the living pages: frequencies and lengths count only
//     these. So results depend neither on units nor on deletions, and a collection does not change
//     them.
//  4. After a collection identifiers are dense: below the number of living pages.
//  5. A set can be copied or moved with its directory, and be searched there.
//  6. Unfinished work of a crash is in no set. A damaged file of this package is an error. Units of
//     the previous set stay for its readers.
//  7. Memory of a Searcher: about 60 octets an identifier. A search takes about 60 octets for each
//     page with its first word, and 16 for each with another. At most 8 run at a time.
//  8. Memory of a Builder: about 60 octets an identifier, and 50 times the text of 32 pages (at
//     most MostText each).
//
// This package ranks by itself, because scores of bleve 2.6 would change with each build: it counts
// deleted pages, and takes the average length of texts from each index. Analysis, dictionaries and
// postings are bleve's.
//
// Source: BM25F (Zaragoza et al., TREC 2004; Robertson, Zaragoza 2009, 3.3).
package index
