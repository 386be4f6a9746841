// Package scale measures what one machine holds: memory, speed and disk traffic of the live loop
// over a store with millions of pages.
//
// The web is worked out when it is asked for (Web), so that it takes no memory itself: servers of a
// power-law size, pages with addresses of about 70 bytes and links to others of their server, each
// page changing at a rate of its own, and servers that are rebuilt now and then. Build writes a
// store of it as a crawl would have left it. Measure opens that store as `recrawl run` does and
// makes rounds, under a clock that skips the waits. Everything but the fetch itself is real: store,
// graph, policy, planner, loop and commits.
//
// Resident memory is that of the process, so Measure needs one to itself: what Build took before
// would count.
package scale
