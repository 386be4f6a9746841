// Package scale measures what one machine holds: memory, speed and disk traffic of the live loop
// over a store with millions of pages.
//
// The web is computed on request (Web), so that it takes no memory. Servers have power-law sizes,
// pages have URLs of about 70 bytes and links to others of their server, each page changes at its
// own rate, and servers are sometimes rebuilt. Build writes a store of it in the state after a
// crawl. Measure opens that store like `recrawl run` and makes rounds, with a clock that skips the
// waits. Only the fetch is not real; store, graph, policy, planner, loop and commits are.
//
// Resident memory is that of the process, so Measure needs a separate one: memory of Build would
// count.
package scale
