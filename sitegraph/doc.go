// Package sitegraph models the web for recrawl: pages, their servers, the links inside a
// server, and the observations of visits.
//
// # Terms
//
// They have one meaning in all packages; docs/reference/glossary.md has the others.
//
//	page         one canonical address; identified by a dense PageID
//	server       the authority of an address (host[:port]) [HIER 1]
//	directory    the path up to its last slash; sub-directories are others [LINK 4.1]
//	start page   where a server is entered; depth 1
//	depth        start page 1, plus one per link, shortest path [LINK 3.1]
//	site         a unit of a partition: top pages and their members [LINK 4]
//	top          a page of a site that is visited first
//	member       a page of a site that is not a top
//	shape        an address with numbers and its last name folded (Shape)
//	observation  the result of one visit
//	source       a feed or sitemap: no page, but a list of pages; its claims may be wrong
//	record       memory of a page between visits [SAT table 1]
//	copy         the content of the last successful visit
//	changed      the content differs from the copy, by the chosen digest
//	update rate  changed / fetched;  coverage  changed fetched / all changed
//
// The five steps of a visit have one type each: the visit (planner.Visit), its result
// (Observation), the memory of the page (Record), the probability of a change
// (estimator.Estimate), and the next due time (planner.Due).
//
// # Guarantees
//
//  1. The same address text always gives the same canonical form; making a
//     canonical form canonical changes nothing.
//  2. Links count only inside one server, and only those of the last snapshot
//     of a page: SetLinks replaces, it never adds [LINK 6.1].
//  3. Applying an observation twice to a record equals applying it once.
//  4. Depths and partitions depend on the graph alone, not on the order in
//     which pages or links were added.
//  5. Pages deeper than MaxDepth (11 links after the start page) have depth 0:
//     they are known, and never part of a partition [LINK 3.1].
//  6. In a large graph a page takes less than 64 bytes beyond its address, a
//     link less than 12 however often links are replaced; a server about 150.
//  7. An address or list that a Graph returned never changes; a list of a graph with a scratch
//     file is valid until Release.
//
// The package knows no network and no clock: times are arguments. Its only use of the disk is the
// scratch file that a Graph may be given (package arena). Many goroutines may read a Graph, or
// one may write it.
package sitegraph
