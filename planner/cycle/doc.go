// Package cycle is the loop: plan a visit, make it, remember what was seen, learn from it,
// decide when the page is wanted next. The live web, the time-travel web and the replay of
// recorded histories run this same code; they differ in the Fetcher, the Store and the
// Clock they pass in. What is evaluated is what runs.
//
// A visit's way through the code:
//
//	Planner.Next        what to visit, within the budget      planner.Visit
//	Store.Load          what we remember of it                sitegraph.Record
//	Fetcher.Fetch       one polite visit                      sitegraph.Observation
//	Record.Apply        what that means                       sitegraph.Verdict
//	Graph.SetLinks      links of the new snapshot; new pages
//	Planner.Observe     evidence for the estimates            estimator.Estimate
//	Planner.Due         what comes next, if that is kept      planner.Due
//	Store.Save, Commit  acknowledged
//
// Promises
//
//  1. A visit is acknowledged (Options.Acknowledged) only after its record, links and new
//     pages are durable. After a crash every acknowledged visit is there, and the visits made
//     again are at most those that were not acknowledged.
//  2. The budget of a round and of a UTC day holds across crashes: fetches are reserved in the
//     store before they start. Reserved and unused ones are lost at a crash, at most 1/16 of the
//     round's. So do all limits of the planner: fetches and bytes are claimed in the store before
//     they are used, each visit's bytes in full, and a fetcher reads no more than Request.MaxBytes.
//     A page that turns out larger is cut and fails; the next visit has twice the room. A crash
//     loses at most a claim of each limit, 1/16 of what it had left, and what visits under way had
//     not read. A limit counts from the run that first names it.
//  3. With one worker visits happen one after the other and each outcome steers the next
//     choice. With more, a server is visited by one worker at a time and not before the
//     moment its last observation asked for; nor is an address that several servers share.
//     Whoever must wait (for a server, an address, a name, a Wait) does so in a line and holds
//     no worker. Answers that take more than 5 s hold none either, up to 8 times Workers; nor does
//     a server that has not answered yet hold one for more than a second, and up to half of the
//     workers are kept for servers known to be quick. Look-ups of addresses go by the same rule.
//     A Wait of one scheme holds up no page of its server under another. All servers that have
//     something to visit are at work, as many as there are. The end of a round stops nobody:
//     visits under way go on, and count to the round in which they began.
//  4. A site that misbehaves never stops the loop; a store that fails does, at once.
//  5. A server in trouble (sitegraph.Trouble) is asked more slowly at once: pauses double, up to an
//     hour, and each proper answer forgives half of the steps. This, and waits of 15 s and more,
//     hold over a restart, also a kill, and so does what a Keeper knows of servers. A fault of this
//     machine (LocalError, Able) is no outcome: the visit is made later, its budget is not used,
//     and the loop says why it waits, once in some minutes. Then one visit is let through, and with
//     its answer more and more: where few descriptors are the fault, about as many as there are.
//     Where a fault may be the server's (LocalError.Unsure), it is taken for that when others are
//     answered meanwhile.
//  6. With Proof a page with a copy leaves after several answers of one kind in a row, over hours
//     to days, that it is not to be had (sitegraph.Record.Doubt). Pages that robots.txt forbade are
//     asked for again when its rules change and a Permitter does not say that they are forbidden
//     still. A visit that robots.txt forbids asks for nothing, and costs its server no time.
//  7. With Bounds a site cannot fill memory and disk: addresses that look like a trap, or are too
//     many of a visit or a server, do not become known, and are counted (Refused). They hold over
//     restarts.
//  8. When the context ends the loop commits what it has and returns the context's error.
//
// With many workers a visit waits in the line of its server (line.go), at the place of its address.
// How many are chosen ahead says depth.go: a few where politeness is the limit, all that fit into
// the round where the budget is. Where politeness is, first visits take their share of the visits
// of each server, so that pages which change are asked for again while new ones wait.
//
// The package knows no HTTP and no disk. A Loop is used by one goroutine; it calls the
// Fetcher from several.
package cycle
