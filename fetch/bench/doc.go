// Package bench measures the cost of a fetched page: it compares a run of this program with raw
// net/http and with colly, against servers on loopback.
//
// # Terms
//
//	server process  serves all pages, from as many addresses of 127.0.0.0/8 as servers are asked for
//	client          asks for the pages, each time in a separate process (Kind)
//	round           each client once; they take turns, so that noise affects all of them
//	CPU a page      user and system time of the client's process, divided by its pages
//
// # Guarantees
//
//  1. Every client gets the same pages: each page of each server exactly once, in full, or as 304
//     if that is measured. The server process counts them. Any other count is an error
//     (IncompleteError) without a figure.
//  2. The client of this program is the whole command run: start, discovery from the start pages,
//     planner, store, journal and robots.txt.
//  3. colly gets the list of all pages. It resolves links but need not remember them, which favours
//     it. It obeys robots.txt, keeps connections alive and works in parallel.
//  4. A ratio is taken within a round. The result is its median over the rounds, with the least and
//     most.
//  5. Nothing leaves the machine: clients are given loopback addresses only, and connections from
//     others are closed unread.
//  6. Written files are always removed. If this process dies, the server process also ends.
//
// A page has about 22 KB and 40 links, one in eight to another server, inline style and script,
// entities, comments, a table and pictures, which nobody fetches. gzip makes it about as small as
// real pages. It depends on its number alone.
//
// Memory is the peak of the client's resident memory (VmHWM). InFlight measures it with many visits
// in flight: each answer stops in the middle of its body for a while, so that many visits hold
// their memory at the same time.
//
// No crawling code imports this package or colly.
//
// It needs Linux: other systems have only one loopback address, and no /proc.
package bench
