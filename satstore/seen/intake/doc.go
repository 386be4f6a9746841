// Package intake imports a list of addresses: it reads them, makes them canonical, decides which
// are new, and passes those to a keeper of pages.
//
// # Terms
//
//	list   text with an address a line, in UTF-8, as package listed reads it
//	bad    a line that is no address of a page; it is counted and reported, and stops nothing
//	keeper who keeps the pages: the store of a planner, a file, or nobody
//	part   the servers of one of several machines, by seen.PartOf
//
// # Guarantees
//
//  1. Every address of the list is known when Run returns nil, and each new one was given to the
//     keeper once, in exact mode. An interrupted import is repeated as a whole, without
//     duplicates.
//  2. Pages first, then the set: the keeper commits before the set, whose mark is the number of
//     pages that it covers. CatchUp adds the others: those of a crash in between, or of run.
//  3. Lines count from 1. The result has the first few bad lines of each kind, with their number
//     and the beginning of their text. A line of any length takes no more memory than a piece of
//     the file.
//  4. Memory is the budget of seen.SizesFor, about 65 MB of the program beside it, and that of the
//     keeper.
//
// As many goroutines as processors read addresses and make them canonical, in the order of the
// list. One goroutine decides.
package intake
