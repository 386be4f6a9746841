// Package timetravel serves a web as it was at any time of a virtual clock, over real HTTP on
// loopback, so that months of crawling pass in seconds. It also makes histories of the same web for
// replays.
//
//	web       servers and their answers for each path at each time
//	archive   a web that can list its paths and the moments at which they change
//	resource  one such answer
//
// Webs come from whole sites on disk (LoadSites), from memory (Static), or from anything else that
// implements Web, such as a synthetic one.
//
// # Guarantees
//
//  1. An answer is that of the web at the clock's time when the request was read. The header Date
//     is the same time; Last-Modified is that of the current version.
//  2. ETag is strong: the quoted MD5 of the body, or "MD5-gzip" for a gzip'd one, because two
//     representations must not share a strong tag (RFC 9110 8.8.3.3). Versions with equal bytes
//     have the same tag. Bodies from 1400 bytes are gzip'd if the client accepts it.
//  3. Conditions follow RFC 9110 13.2.2: If-None-Match decides if it is present, otherwise
//     If-Modified-Since, in whole seconds. HEAD is GET without its body.
//  4. Each server has its own loopback address, so that spacing by address can be seen. A request
//     with another server's name is answered 421.
//  5. Each access is reported before its answer is sent.
//  6. A replay of Histories sees at each moment what an HTTP client sees through Serve: the same
//     pages, digests, sizes, links, frames and redirects; provided the client reads bodies whole
//     and obeys the robots.txt of that moment, not an older copy.
//
// # Limits
//
// There is no TLS: LoadSites turns https links of a site to itself into http, so that bodies and
// digests differ from the original. Other Webs must do this themselves. There are no failures,
// delays or cookies. In Histories a forbidden page, or one that is not HTML, is the same as a
// missing one.
//
// Times are time.Time; a version starts at its second. Sizes are bytes.
//
// A Server answers concurrent requests, and calls Web, Archive, clocks and logs concurrently.
// Static is safe once it is filled.
//
// Packages planner and fetch decide policies, budgets and politeness.
package timetravel
