// Package intake takes a list of addresses in: it reads them, brings them to their one form,
// decides which are new, and hands those to whoever keeps pages.
//
// # Terms
//
//	list   text with an address a line, in UTF-8, as package listed reads it
//	bad    a line that is no address of a page; it is counted and named, and stops nothing
//	keeper who keeps the pages: the store of a planner, a file, or nobody
//	part   the servers of one of several machines, by seen.PartOf
//
// # Guarantees
//
//  1. Every address of the list is known when Run returns nil, and each new one was given to the
//     keeper once, in exact mode. What is interrupted is taken in by doing it again: nothing comes
//     twice.
//  2. Pages first, then the set: the keeper's commit goes before that of the set, whose mark says
//     how many pages it covers. CatchUp adds those that it does not: of a crash in between, or of
//     run.
//  3. Lines are counted from 1. Of each kind of bad line the first few are told, with their number
//     and the beginning of their text. A line of any length takes no more memory than a piece of
//     the file.
//  4. Memory is the budget of seen.SizesFor, about 65 MB of the program beside it, and what the
//     keeper needs.
//
// Reading and bringing addresses to their form is done by as many goroutines as there are
// processors, in the order of the list; deciding by one.
package intake
