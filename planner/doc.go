// Package planner decides which pages to visit, in which order, within a budget.
//
// A Planner yields one Visit after the other. It puts three things together:
//
//   - a Policy, which ranks the pages that have a copy (package policy has all of them, package
//     value ours);
//   - the frontier, the queue of pages that are known by a link and were never fetched;
//   - budgets: visits a round, and bytes or visits an hour, a day or a server (package budget).
//
// Package cycle carries the visits out and tells the planner what they saw. What a policy may know
// is in the Corpus and nowhere else, so a policy that is built anew from the same corpus continues
// where the old one stopped. (Policies in the middle of a cycle, as breadth-first, begin it anew,
// and value learns again how well its probabilities are calibrated.)
//
// # Terms
//
//	round        a planning period with its own budget, usually an hour or a day
//	sweep        the snapshot protocol: one round, each page at most once
//	stream       round after round without end; the policy always wants something
//	first visit  a visit to a page without a copy; all others are refetches
//	frontier     new pages, first come first served, or with Options.Turns by server in fair turns
//	limit        a budget beside that of the round: in bytes, of an hour, of a server
//	hint         what a feed or sitemap claims of a page (package hints)
//	price        what the last visit that fits into a budget is worth (the budget's shadow price)
//	weight       what a change of a page is worth to the user; 1 unless told otherwise
//
// # Guarantees
//
//  1. A round never yields more visits than its budget. First visits take more than their share
//     only where the policy wants nothing more and Options.Leftover is set, or where what it wants
//     is worth less than Options.LeastRefetch of what the first visit is worth. Even so the policy
//     has one in twenty visits of each server, if it wants one there. With ShareByServer the share
//     holds for the visits of each server, too.
//  2. A page is visited at most once in a round, and not again before its outcome is known. A visit
//     that is carried into the next round (Carry) counts to its own.
//  3. Each visit carries a reason. Probability and Value are NaN where the policy has none.
//  4. The same seed, corpus and outcomes give the same visits. Ties are broken by a hash of seed
//     and address, not by the order of discovery.
//  5. What begins under limits never uses more than any of them allows in an hour or a day of UTC,
//     if a visit reads no more bytes than Start says. A visit counts in the hour and day of the
//     round in which it begins, so rounds must not reach over the end of an hour where there are
//     hourly limits.
//  6. A visit that the limits of a server refuse is reported with its worth (Unfit) and not lost.
//  7. No visit to a closed server is named (Close, Open); it is named when the server is open
//     again. Up to 2^18 visits are kept so.
//  8. All weights times one factor change nothing. A page of weight 0 is never visited.
//  9. A policy learns of an outcome only through Observe. Only reference lines are told the future,
//     and only by an evaluation.
//
// # Cost
//
// 56 bytes a page beyond the graph, and what the policy takes. A Planner is used by one goroutine.
// The package knows no HTTP, no store and no clock.
package planner
