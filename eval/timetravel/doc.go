// Package timetravel serves a web as it stood at any moment of a virtual clock, over real
// HTTP on loopback, so that months of crawling pass in seconds; and makes the histories
// that replays of the same web need.
//
//	web       servers and what they answer for each path at each moment
//	archive   a web that can list its paths and the moments at which they change
//	resource  one such answer
//
// Webs come from whole sites on disk (LoadSites), from memory (Static), or from anything
// else that implements Web, such as a synthetic one.
//
// # Guarantees
//
//  1. An answer is the web's at the clock's time when the request was read. The header
//     Date is that time too; Last-Modified is that of the version that holds.
//  2. ETag is strong: the quoted MD5 of the body, and of a gzip'd one "MD5-gzip", as two
//     representations must not share a strong tag (RFC 9110 8.8.3.3). Two versions with
//     the same bytes have the same tag. Bodies from 1400 bytes are gzip'd if the client
//     accepts it.
//  3. Conditions follow RFC 9110 13.2.2: If-None-Match decides where it is there,
//     If-Modified-Since otherwise, at whole seconds. HEAD is GET without its body.
//  4. Each server has its own loopback address, so that spacing by address can be seen. A
//     request with another server's name is answered 421.
//  5. Each access is reported before its answer is sent.
//  6. A replay of Histories sees at each moment what an HTTP client sees through Serve:
//     the same pages, digests, sizes, links, frames and redirects; provided the client
//     reads bodies whole and obeys the robots.txt of that moment, not an older copy.
//
// # Limits
//
// There is no TLS: LoadSites turns https links of a site to itself into http, so bodies
// and digests differ there from what the site once sent; other Webs must see to it
// themselves. No failures, delays or cookies are made. Histories do not tell a page that
// is forbidden or no HTML from one that is not there.
//
// Times are time.Time; a version counts from its second on. Sizes are bytes.
//
// A Server answers any number of requests at a time; Web and Archive must be safe for
// that, Static is once it is filled. Clocks and logs are called concurrently.
//
// Policies, budgets and politeness are decided elsewhere: planner and fetch.
package timetravel
