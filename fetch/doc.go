// Package fetch makes polite visits to pages of the live web. Client.Try and Client.Visit
// (visit.go) make one visit. Packages extract, feeds and robots read the answers.
//
// Files: exchange.go, talk.go, framing.go, body.go (one request and its answer), judge.go (what the
// answer means), gate.go, turn.go (turns of servers and addresses), guard.go, dial.go, resolver.go
// (which addresses may be asked, and names), proxy.go, via.go (proxies, and what a guard refused),
// missing.go (pages that are gone though the answer is 200), robots_*.go (robots.txt asked for,
// cached, kept), options.go.
//
// # Terms
//
//	visit     one request for a page, and one for robots.txt if that is not known
//	source    a feed or sitemap: fetch/feeds reads its claims about pages
//	server    authority of an address, host[:port], under http and https; address: IP address dialled
//	interval  from the end of a request to the start of the next (10 s)
//
// # Guarantees
//
//  1. A server gets one request at a time, and so does an address, with any number of callers.
//     Between two requests lies the interval, or the Crawl-delay of robots.txt if that is longer.
//     Requests for robots.txt count like all others.
//  2. No page is asked for before robots.txt allows it, and none while robots.txt cannot be had
//     (RFC 9309 2.3.1.4). A file holds for 24 h, and 24 h more while it is unreachable. The client
//     asks for it again after 5 min, then after twice as long each time, up to 6 h (or
//     Retry-After).
//  3. Only public addresses and ports 80 and 443 are connected to, unless the options say
//     otherwise. The client checks the address that it dials, after DNS, without a second look-up.
//     Only a proxy that the options name connects by itself (proxy.go).
//  4. Redirects of pages are not followed: the target is a page of its own, with its own
//     robots.txt, guard and turn. At most five redirects of robots.txt are followed, under 1 and 3.
//  5. After the wait no visit takes longer than its time-outs or more than its limits, whatever the
//     server sends: header, body on the wire, decoded body, robots.txt. All bodies over 256 KB that
//     are held at a time take at most 500 MB, with Capture 300 MB more. One body a processor is
//     parsed at a time: parsing takes several times the size of a body.
//  6. Every request names a contact. No cookies, credentials or referrers are sent.
//  7. Whatever a site does is an outcome, never an error of Visit. If a parser panics on a body,
//     the visit failed.
//  8. Try never waits for a turn, a name, robots.txt or a delay: it returns when to come again. If
//     robots.txt cannot be fetched, the Try that asked for it fails, and those of the same scheme
//     must wait. Locate returns beforehand at which address a server will be asked.
//  9. A fault of this machine is a LocalError. One of the network, which may be the server's, is
//     Unsure. A name without an answer is also a LocalError, unless the resolver answers for other
//     names or known names can be visited: then the page waits.
//
// With SoftMissing a page counts as gone if its server answers 200 and shows the same as for a URL
// that cannot exist (missing.go). Sometimes Try asks for such a URL before the page, as it does for
// robots.txt.
//
// judge.go has the meaning of each status. A 304 counts only if the request was conditional. Each
// 16th visit is unconditional, because some servers answer 304 for ever. NotBefore of an
// observation is when the server may be asked again: after the interval, or Retry-After up to a
// day. The client itself keeps the interval only. A longer wait is the caller's task.
//
// Each visit returns the sources that it found: the Sitemap lines of robots.txt, /sitemap.xml if it
// has none, and the feeds that a page names as its alternates. The caller decides whether to visit
// them, like pages.
//
// Times come from a Clock, so that tests need not wait. Time-outs of the network use real time.
// Sizes are octets after content coding is undone.
//
// With KeepRobots robots.txt outlives the process: Keep hands the files to a store, and Recall
// reads them again, also for another name of the crawler. Answers hold until they expire, failures
// keep their growing waits, and the pause after the request holds. Memory for them is bounded: an
// answer without room is recalled or asked for again.
//
// With Capture, Listen records a visit as it crosses the network, octet for octet, with encryption
// undone (capture.go). Package archive keeps it.
//
// Callers choose the pages and times, follow links and write to disk. Answers of DNS are kept in
// memory for their time to live, between a minute and a day, and for 6 h more during renewed
// look-ups (RFC 8767). After each failure the client tries the next address of a server.
// Connections are not kept: at one request each 10 s that saves nothing and costs memory. HTTP/2
// (RFC 9113) is used if a server offers it with TLS, because some servers speak nothing else. Each
// request has its own connection and stream, and no second try.
//
// A Client and a Gate are safe for concurrent use. A Visit that waits holds a goroutine, no
// connection; a Try never waits.
//
// Sources: RFC 9110 (HTTP), RFC 9309 (robots.txt), RFC 6890 (special-purpose addresses).
package fetch
