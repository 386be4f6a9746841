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
// Package crawl makes the visits and reports their outcomes to the planner. A policy knows the
// Pages and nothing else. A new planner for the same pages continues where the old one stopped if
// it reads the old one's memory (WriteMemory, Recollect). Otherwise policies within a cycle, such
// as breadth-first, begin the cycle anew.
//
// # Files
//
//	planner.go             Planner.Next: the order of visits, and the share of each kind
//	policy.go              Policy, and small optional interfaces of a policy
//	queue.go, memqueue.go  Queue and its contract; the pages in play; the queue in memory
//	visit.go, pages.go     Visit, Reason, Due, Round; Pages and Memory of a page
//	frontier.go            new pages, first come first served or in turns of their servers
//	sources.go, beside.go  visits to feeds and sitemaps; visits on request, and to pages that left
//	caps.go, admit.go      limits beside the round's budget; visits that wait for room; times at which
//	                       pages are not visited
//	hints.go, hint*.go     claims of feeds, sitemaps and Last-Modified headers, and their accuracy
//	heap.go, fifo.go, ties.go, largest.go
//	                       heaps, queues and ties by which policies rank pages
//	turns.go               servers that have enough to do; new pages instead of poor refetches
//	maxage.go              greatest ages of copies, and the visits that keep them
//	keep.go                for the next process: the state that decides visits, and the image of a
//	                       large planner
//	report.go              visits that did not fit, prices, WhyNot of a page
//
// # Terms
//
//	round        a planning period with its own budget, usually an hour or a day
//	sweep        the snapshot protocol: one round, each page at most once
//	stream       round after round without end; the policy always proposes something
//	first visit  a visit to a page without a copy; all others are refetches
//	limit        a budget beside that of the round: in bytes, of an hour, of a server
//	due          of a page: its time has come, so that the queue hands it out as a candidate
//	in play      handed out by the queue in this round, or promoted by evidence
//	order        a policy to which all pages are due in each round (EachRound)
//	price        the worth of the last visit that fits into a budget (its shadow price)
//	weight       the worth of a change of a page to the user; 1 by default
//
// # Guarantees
//
//  1. A round never yields more visits than its budget. First visits exceed their share only if
//     the policy proposes nothing more and Options.Leftover is set, or if its proposal is worth
//     less than Options.LeastRefetch times the first visit. The policy still gets one in twenty
//     visits of each server for which it has a proposal. With ShareByServer the share also holds
//     for the visits of each server.
//  2. A page is visited at most once in a round, and not again before its outcome is known. A visit
//     that goes on into the next round (Carry) counts in its own.
//  3. Each visit has a reason. Probability and Value are NaN if the policy has none.
//  4. The same seed, corpus and outcomes give the same visits. Ties are broken by a hash of seed
//     and address, not by the order of discovery.
//  5. Visits never use more than a limit allows in an hour or a day of UTC, if none reads more
//     bytes than Start returned. A visit counts in the hour and day of the round in which it
//     begins, so with hourly limits no round may reach over the end of an hour.
//  6. A visit that the limits of a server refuse is reported with its worth (Unfit) and not lost.
//  7. Next returns no visit to a closed server (Close, Open) until the server is open again. Up to
//     2^18 visits wait for that.
//  8. All weights times one factor change nothing. A page of weight 0 is never visited.
//  9. A policy learns of an outcome only through Observe. Only reference lines know the future, and
//     only in an evaluation.
//  10. With Options.LeastValue no first visit and no refetch is made that is worth less, except
//     those that Options.MaxAges demands.
//  11. A planner with the memory of another one, between two rounds, yields the same visits as the
//     other would have.
//  12. A page with a copy is visited only in a round in which the queue handed it out, or in which
//     it was promoted: by the policy, by a user who asked for it, or by its greatest age.
//
// A Planner takes 56 bytes a page beyond the graph, and the memory of its policy. One goroutine
// uses it. The package knows no HTTP, no store and no clock.
package planner
