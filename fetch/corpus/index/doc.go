// Package index searches the documents of a corpus: in titles, main texts and the texts of links to
// them. It has two sets [NICT 5.2]: one that is added to, and one that is searched meanwhile.
//
// # Terms
//
//	identifier  the number of a version of a page; a new version has a new one
//	unit        an index of a bounded number of identifiers, of bleve, that never changes
//	state       of a unit: which of its identifiers are deleted, since when the content of each page
//	            is there, and when it was last verified
//	set         units with a state of each. Two sets share what both have
//	collection  units with deleted identifiers are built anew of what is left, and the numbers of
//	            deleted ones are given again
//
// # Files
//
//	search.json             the set that is searched
//	units/000007/           a unit: bleve/, and pages with what is known of its identifiers
//	units/000007/state-12   its state in the set 12
//
// # Guarantees
//
//  1. A search sees one set from its beginning to its end. Publish makes another set the one that
//     is searched, by renaming search.json; a Searcher changes to it between two searches.
//  2. A page is in the results in one version at most, from the set on in which it was deleted in
//     none.
//  3. Scores are those of a single index of the living pages: frequencies and lengths are counted
//     over them alone. So results depend neither on how pages are divided into units nor on what
//     was deleted, and are the same before and after a collection.
//  4. After a collection identifiers are dense: below the number of living pages.
//  5. A set can be copied or moved with its directory, and be searched there.
//  6. What a crash leaves under way is no part of a set. A file of ours that is damaged is an
//     error. Units of the set before the searched one stay, for those who still read it.
//  7. Memory of a Searcher: some 60 octets an identifier. A search takes some 60 octets for each
//     page that has its first word, and 16 for each that has another; 8 are made at the same time.
//  8. Memory of a Builder: some 60 octets an identifier, and some 50 times the text of 32 pages, of
//     which MostText counts at most.
//
// Why ranking is our own: of bleve 2.6 the frequency of a word counts deleted pages, and its
// average length of texts is taken from the dictionary of each index, so that scores would change
// with each build. Analysis, dictionaries and postings are bleve's.
//
// Source: BM25F (Zaragoza et al., TREC 2004; Robertson, Zaragoza 2009, 3.3).
package index
