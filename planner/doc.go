// Package planner decides which pages to visit, in which order, within a budget.
//
// A Planner yields one Visit after the other. It puts three things together:
//
//   - a Policy, which ranks the pages that have a copy (package policy has all policies, package
//     sites ours);
//   - a Queue, which keeps when each page with a copy is due, and hands the policy its candidates;
//   - the frontier, the queue of pages that are known by a link and were never fetched;
//   - budgets: visits a round, and bytes or visits an hour, a day or a server (package budget).
//
// Package crawl makes the visits and tells the planner what they saw. A policy knows what is in the
// Pages and nothing else. A planner that is built anew from the same pages goes on where the old
// one stopped if it takes in its memory (Memory, Recollect). Otherwise policies in the middle of a
// cycle, as breadth-first, begin the cycle anew.
//
// # Files
//
//	planner.go             Planner.Next: in which order visits come, by the share of each kind
//	policy.go              Policy, and the small interfaces that a policy may have beside it
//	queue.go, memqueue.go  Queue and its contract; what it handed out; the queue in memory
//	visit.go, pages.go     Visit, Reason, Due, Round; Pages and Memory of a page
//	frontier.go            new pages, first come first served or in turns of their servers
//	sources.go, beside.go  visits to feeds and sitemaps; visits that somebody asks for, and to pages
//	                       that left
//	caps.go, admit.go      limits beside the round's budget: does a visit fit, what waits until there
//	                       is room; times at which pages are not visited
//	hints.go, hint*.go     what feeds, sitemaps and Last-Modified headers claim, and what that is worth
//	heap.go, fifo.go, ties.go, largest.go
//	                       what policies rank pages with
//	turns.go               servers that have enough to do; new pages instead of poor refetches
//	maxage.go              greatest ages of copies, and what they take
//	keep.go                the state that decides visits, and the image of a large planner, for the
//	                       next process
//	report.go              what did not fit, prices, WhyNot of a page
//
// # Terms
//
//	round        a planning period with its own budget, usually an hour or a day
//	sweep        the snapshot protocol: one round, each page at most once
//	stream       round after round without end; the policy always proposes something
//	first visit  a visit to a page without a copy; all others are refetches
//	limit        a budget beside that of the round: in bytes, of an hour, of a server
//	due          when the queue hands out a page, which makes it a candidate
//	in play      handed out by the queue in this round, or promoted by evidence
//	order        a policy to which all pages are due in each round (EachRound)
//	price        what the last visit that fits into a budget is worth (the budget's shadow price)
//	weight       what a change of a page is worth to the user; 1 by default
//
// # Guarantees
//
//  1. A round never yields more visits than its budget. First visits take more than their share
//     only where the policy proposes nothing more and Options.Leftover is set, or where its
//     proposal is worth less than Options.LeastRefetch times the first visit. Even so the policy
//     has one in twenty visits of each server, if it proposes one there. With ShareByServer the
//     share also holds for the visits of each server.
//  2. A page is visited at most once in a round, and not again before its outcome is known. A visit
//     that goes on into the next round (Carry) counts in its own.
//  3. Each visit has a reason. Probability and Value are NaN where the policy has none.
//  4. The same seed, corpus and outcomes give the same visits. Ties are broken by a hash of seed
//     and address, not by the order of discovery.
//  5. Visits never use more than a limit allows in an hour or a day of UTC, if none reads more
//     bytes than Start says. A visit counts in the hour and day of the round in which it begins, so
//     with hourly limits no round may reach over the end of an hour.
//  6. A visit that the limits of a server refuse is reported with its worth (Unfit) and not lost.
//  7. No visit to a closed server is named (Close, Open) until the server is open again. Up to 2^18
//     visits wait for that.
//  8. All weights times one factor change nothing. A page of weight 0 is never visited.
//  9. A policy learns of an outcome only through Observe. Only reference lines know the future, and
//     only in an evaluation.
//  10. With Options.LeastValue no first visit and no refetch is made that is worth less, but those
//     that Options.MaxAges demands.
//  11. A planner that took in the memory of another one between two rounds yields the visits that
//     the other would have yielded.
//  12. A page with a copy is visited only in a round in which the queue handed it out, or in which
//     it was promoted: by the policy, by who asked for it, or by its greatest age.
//
// It takes 56 bytes a page beyond the graph, and what the policy takes. A Planner is used by one
// goroutine. The package knows no HTTP, no store and no clock.
package planner
