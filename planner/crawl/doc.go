// Package crawl is the loop: plan a visit, make it, store and learn what it saw, and decide when
// the page is due next. The live web, the time-travel web and the replay of recorded histories
// run this same code. They differ in the Fetcher, the Store and the Clock (world.go).
//
// A visit in the code:
//
//	Store.Due           due pages, which the queue hands out  duequeue.go
//	Planner.Next        the next visit, within the budget     planner.Visit
//	Store.Load          the record of its page                sitegraph.Record
//	Fetcher.Fetch       one polite visit                      sitegraph.Observation
//	Record.Apply        the verdict on it                     sitegraph.Verdict
//	Graph.SetLinks      links of the new snapshot; new pages
//	Planner.Observe     evidence for the estimates            estimator.Estimate
//	Planner.Due         the next due time                     planner.Due
//	Store.Save, Commit  the visit is acknowledged
//
// loop.go shows these steps on one screen. The other files, in the order of a visit:
//
//   - rounds.go, account.go: begin and end a round; its budget in the store.
//   - duequeue.go, promoted.go, traffic.go: the queue of due pages in the store, and its reads and
//     writes.
//   - visit.go: reserve and load before a visit; apply, save and commit after it.
//   - pool.go, limiter.go, serverqueue.go, lookup.go, completion.go: many workers: bounds on
//     the visits under way, queues of servers and addresses, the end of a visit.
//   - depth.go, dispatch.go, times.go, cutoff.go, strain.go: how many visits are chosen ahead, the
//     order of servers (package schedule), download times, and demands that cannot be met.
//   - backoff.go, vanished.go, block.go, savedwait.go, distance.go, outage.go: servers in trouble,
//     waits over restarts, faults of this machine.
//   - links.go, bounds.go, duplicate.go, forbidden.go, sources.go: effects of a visit on other
//     pages.
//   - learnt.go, memory.go, image.go: what outlives the process. dryrun.go: a plan without visits.
//
// # Guarantees
//
//  1. A visit is acknowledged (Options.Acknowledged) only after its record, links and new
//     pages are durable. After a crash every acknowledged visit is there. At most the visits that
//     were not acknowledged are made again.
//  2. The budget of a round and of a UTC day holds across crashes: fetches are reserved in the
//     store before they start. A crash loses the reserved and unused ones, at most 1/16 of the
//     round's. All limits of the planner hold likewise: fetches and bytes are claimed in the store
//     before they are used, and a fetcher reads no more than Request.MaxBytes. A larger page is cut
//     and fails; its next visit may read twice as much. A crash loses at most a claim of each
//     limit, 1/16 of what it had left, and what visits under way had not read. A limit counts from
//     the run that first names it.
//  3. With one worker, visits happen one after the other, and each outcome is known before the next
//     choice. With more, one worker at a time visits a server, and not before the time that its
//     last observation asked for. The same holds for an address that several servers share. A visit
//     that must wait (for a server, an address, a name, a Wait) waits in a queue and holds
//     no worker. Answers that take more than 5 s also hold none, up to 8 times Workers of them. A
//     server that has not answered yet holds one for a second at most. Up to half of the workers
//     are kept for servers known to be quick. Look-ups of addresses follow the same rules. A Wait
//     of one scheme delays no page of its server under another. A visit under way at the end of its
//     round goes on, and counts in that round.
//     Of the servers that may be asked, the one goes first whose visit must begin earliest. While
//     there are too few workers, it is the one with the shortest downloads (Dispatch).
//  4. A site that misbehaves never stops the loop. A store that fails does, at once.
//  5. A server in trouble (sitegraph.Trouble) is asked more slowly at once: pauses double, up to an
//     hour, and each proper answer takes back half of the steps. This, waits of 15 s and more, and
//     a Keeper's knowledge of servers survive a restart or a kill. A fault of this machine
//     (LocalError, Able) is no outcome: the visit is made later, without a loss of budget, and the
//     loop reports why it waits. Then one visit begins, and each answer allows more, as many as
//     there are descriptors for. A fault that may be the server's (LocalError.Unsure) counts as the
//     server's if others answer meanwhile.
//  6. With Proof a page with a copy leaves only after several answers of one kind in a row, over
//     hours to days (sitegraph.Record.Doubt). Pages that robots.txt forbade are visited again when
//     its rules change, unless a Permitter says that they are still forbidden. A visit that
//     robots.txt forbids sends no request, and costs its server no time.
//  7. With Bounds a site cannot fill memory and disk. An address that looks like a trap, or exceeds
//     the number for a visit or a server, does not become known, and is counted (Refused), also
//     over restarts.
//  8. With Proof and several workers, five pages in a row that are gone block their directory for
//     an hour, and for twice as long after each further one, up to a week. A page that is there
//     opens it. From 20 in a row on, every 5 slow the server down further. Start pages, feeds and
//     sitemaps do not count. This survives restarts.
//  9. A page that a user asks for (Ask) is the next of its server, before visits that were chosen
//     earlier. If a visit to it is under way, it is visited once more. A page without room in its
//     round comes first in the next.
//  10. When the context ends, the loop commits what it has and returns the context's error.
//
// The package knows no HTTP and no disk. A Loop is used by one goroutine; it calls the Fetcher from
// several.
package crawl
