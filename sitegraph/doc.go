// Package sitegraph holds what recrawl knows of the web: pages, the servers they
// live on, the links inside a server, and what a visit saw.
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
//	observation  what one visit saw
//	source       a feed or sitemap: no page, but a list of pages; its claims may be wrong
//	record       what we remember of a page between visits [SAT table 1]
//	copy         the content of the last successful visit
//	changed      the content differs from the copy, by the digest asked for
//	update rate  changed / fetched;  coverage  changed fetched / all changed
//
// The five things that flow through recrawl have one type each: what to visit
// (planner.Visit), what was seen (Observation), what we remember (Record), how
// likely it changed (estimator.Estimate), and what comes next (planner.Due).
//
// # Guarantees
//
//  1. The same address text always gives the same canonical form; making a
//     canonical form canonical changes nothing.
//  2. Links count only inside one server, and only those of the last snapshot
//     of a page: SetLinks replaces, it never adds [LINK 6.1].
//  3. Applying an observation twice to a record is applying it once.
//  4. Depths and partitions depend on the graph alone, not on the order in
//     which pages or links were added.
//  5. Pages deeper than MaxDepth (11 links after the start page) have depth 0:
//     they are known, and never part of a partition [LINK 3.1].
//  6. In a large graph a page takes less than 64 bytes beyond its address, a
//     link less than 12 however often links are replaced; a server about 150.
//  7. An address or list that a Graph returned stays as it is for ever; a list of a graph with a
//     scratch file, until Release.
//
// The package knows no network and no clock: times are arguments. Of disks it knows the scratch
// file alone that a Graph may be given (package arena). A Graph may be read by many goroutines,
// or written by one.
package sitegraph
