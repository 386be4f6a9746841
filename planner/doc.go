// Package planner decides which pages to visit, in which order, within a budget.
//
// A Policy ranks the pages that have a copy. A Planner puts a policy, the frontier of
// pages not yet fetched, and the budget together and yields one Visit after the other;
// planner/cycle carries the visits out. What a policy knows is in the Corpus and nowhere
// else, so that a policy built anew from the same corpus goes on where the old one stopped; those
// in the middle of a cycle (breadth-first, by sites, servers and samples) begin it anew, and value learns
// again how far its probabilities can be believed, in all, at each server and of each large address shape, what the
// last visit that fits is worth, and which pages lead to new ones.
//
// Words
//
//	round     a planning period, usually a day, with its own budget
//	sweep     the snapshot protocol: one round, each page at most once, the policy stops
//	          when its method has nothing more to fetch
//	stream    round after round without end; the policy always wants something
//	first     a visit to a page without a copy; the others are refetches
//	frontier  pages known by a link and not yet fetched, first come first served, though value lets those wait
//	          that are worth less than the price, by their chance to be there
//	limit     a budget beside that of the round: in bytes, of an hour, of a server (Caps)
//	hint      what feeds and sitemaps claim of a page, and what that proved to be worth
//	price     what the last fetch that fits into a budget is worth
//	weight    what a change of a page is worth to the user, beside others; 1 unless told
//
// Promises
//
//  1. A round never yields more visits than its budget, and first visits never take more
//     than their share of it unless the policy wants nothing more and leftovers are allowed, or
//     what it wants is worth less than Options.LeastRefetch beside them.
//  2. A page is visited at most once in a round, and never again before its outcome is known.
//  3. Each visit carries a reason. Probability and Value are NaN where the policy has none.
//  4. Ties and random choices are seeded: the same seed, corpus and outcomes give the same
//     visits. A tie is broken by a hash of seed and address, not by the order of discovery.
//  5. What begins under limits never uses more than any of them allows in an hour or a day of UTC,
//     provided that a visit reads no more bytes than Start says. A visit counts in the hour
//     and day of the round in which it begins, so rounds must not reach over the end of an
//     hour where there are limits of one. By the end of a round a limit grants its share
//     of the time that is past, so what one round leaves is there for the next.
//  6. A visit that a server's limits refuse is reported with its worth (Unfit) and not lost: a
//     ranking policy proposes it again, a new page is in line again, and the page of a
//     policy without values takes the place of the server's next one.
//  7. No visit to a closed server is named (Close, Open), but for one that waited for room under
//     the limits; what is wanted there is named when it is open again, 2^18 visits at most. With turns
//     a server that has new pages without end takes no more of the first visits than any other.
//     Looks at pages that left are neither first visits nor refetches, and take at most their own
//     share (Options.AgainShare).
//  8. All weights times one factor change nothing; a page of weight 0 is never visited.
//  9. A policy learns of an outcome only through Observe. Only the reference lines
//     are given an oracle, and only by an evaluation.
//
// Memory: 56 bytes a page beyond the graph, plus 9 (breadth-first) to 22 in the policy. In value 37 of its own and 12
// while it is ranked, and what is known of its address shape, directory and section: 15 where a directory has
// 50 pages, and 35 after 160 days; 60 and 140 where it has 8 (BenchmarkScale); 300 bytes more for a server, and for an
// address shape of many pages.
//
// The package knows no HTTP, no store and no clock; a Planner is used by one goroutine.
//
// Beyond [LINK]: sites that are no directories, partitions and tops by the past (learned.go, sentinel.go).
//
// Sources: [LINK 4] for a to c, [SAT eq. 1] for interval, Ford, Grimes, Tassone 2008 for
// ebayes; docs/opponents.md has a line for each policy of others.
package planner
