// Package bench measures what a fetched page costs: the run of this program beside raw net/http and
// beside colly, against servers on loopback.
//
// # Terms
//
//	server process  serves all pages, from as many addresses of 127.0.0.0/8 as servers are asked for
//	client          what asks for the pages, each time in a process of its own (Kind)
//	round           each client once; the clients take turns, so that noise meets them all alike
//	CPU a page      user and system time of the client's process, from its begin to its end, by pages
//
// # Guarantees
//
//  1. Every client gets the same pages: each page of each server exactly once, in full, or as 304
//     where that is measured. The server process counts. If it counted anything else, no figure is
//     returned but an error (IncompleteError).
//  2. The client of this program is the command run, as its users call it: discovery from the start
//     pages, planner, store, journal, robots.txt. Nothing is left out, also not the time to start.
//  3. colly is handed the list of all pages. It resolves the links that it finds, but need not
//     remember them, which is in its favour. It honours robots.txt, keeps connections alive and
//     works in parallel.
//  4. A ratio is made within a round; its median over the rounds is told, with the least and most.
//  5. Nothing leaves the machine: clients are given loopback addresses only, and connections from
//     others are closed unread.
//  6. What is written is removed in any case. If this process dies, the server process ends, too.
//
// A page has about 22 KB and 40 links, one in eight to another server, inline style and script,
// entities, comments, a table and pictures, which nobody fetches. gzip makes it about as small as
// real pages. It is made from its number alone.
//
// Memory is the peak of the resident memory of the client (VmHWM). InFlight measures it with many
// visits under way: each answer stops in the middle of its body for a while, so that what a visit
// holds meanwhile is held for as many visits as there are at a time.
//
// The package is linked into the program only for this. Nothing that crawls imports it, or colly.
//
// Needs Linux: other systems have one loopback address only, and no /proc.
package bench
