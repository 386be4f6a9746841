// Package fetch makes polite visits to pages of the live web. Client.Try and Client.Visit
// (visit.go) make one; packages extract, source and robots read what comes.
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
//	source    a feed or sitemap: no page, read by fetch/feeds for what it claims of pages
//	server    authority of an address, host[:port], under http and https; address: IP address dialled
//	interval  from the end of a request to the start of the next (10 s)
//
// # Guarantees
//
//  1. A server gets one request at a time, and so does an address, however many callers and servers
//     there are. Between two requests lies the interval, or the Crawl-delay of robots.txt if that
//     is longer. Requests for robots.txt count like all others.
//  2. No page is asked for before robots.txt allows it, and none while robots.txt cannot
//     be had (RFC 9309 2.3.1.4). Files hold for 24 h, 24 h more while unreachable. One that cannot
//     be had is asked for again after 5 min, twice as long each time, up to 6 h (or Retry-After).
//  3. Only public addresses and ports 80 and 443 are connected to, unless the options say
//     otherwise. The address that is dialled is checked, after DNS: no second look-up comes
//     between, and no proxy but one that the options name, which connects by itself (proxy.go).
//  4. Redirects of pages are not followed: the target is a page of its own, with its own
//     robots.txt, guard and turn. Redirects of robots.txt are followed, five at most, each under 1
//     and 3.
//  5. Nothing a server sends makes a visit longer than its time-outs after the wait, or
//     larger than its limits: header, body on the wire, body decoded, robots.txt. All bodies over
//     256 KB that are held at a time take 500 MB at most; with Capture 300 MB more. As many are
//     parsed at a time as there are processors: parsing takes several times the size of a body.
//  6. Every request names a contact. No cookies, credentials or referrers are sent.
//  7. Whatever a site does is an outcome. The error of Visit is that of its context. If a parser
//     panics on a body, the visit to its page failed.
//  8. Try never waits for a turn, a name, robots.txt or a delay: it returns when to come again.
//     Where robots.txt cannot be fetched, the Try that asked for it fails, and others must wait,
//     unless they are of another scheme. Locate returns beforehand at which address a server is
//     asked. A fault of this machine is a LocalError; one of the network, which may be the
//     server's, is Unsure. A name for which no name server answers is a LocalError, too, unless the
//     resolver answers for other names, or known names are visited: then it waits.
//
// With SoftMissing a page that is answered with 200, and shows what the server shows for an address
// that cannot exist, counts as gone (missing.go). For that Try asks now and then for such an
// address before the page, like for robots.txt.
//
// judge.go has the meaning of each status. A 304 counts only if the request was conditional; each
// 16th visit is not, as some servers answer 304 for ever. NotBefore of an observation is when the
// server may be asked again: after the interval, or Retry-After up to a day. The client itself
// keeps the interval only. A longer wait is the caller's task.
//
// Each visit returns the sources that it learnt of: the Sitemap lines of robots.txt, /sitemap.xml
// where it has none, and the feeds that a page names as its alternates. The caller decides whether
// to visit them, like pages.
//
// Times come from a Clock: waiting and the age of robots.txt are testable without
// waiting. Time-outs of the network go by the wall. Sizes are octets after content
// coding is undone.
//
// With KeepRobots robots.txt outlives the process: Keep hands what was read to a store, and Recall
// takes it in again, also for another name. Answers hold until their time is over, failures with
// their growing waits, and so does the pause after the request. Memory for them is bounded: an
// answer without room there is recalled, or asked for again.
//
// With Capture, Listen takes down what crosses the network in a visit, octet for octet, encryption
// undone (capture.go). Package archive keeps it.
//
// Not done here: what to visit and when, following links, keeping anything on disk. Answers of DNS
// are kept in memory by their time to live, between a minute and a day, and used 6 h longer while
// they are asked for again (RFC 8767); a server with several addresses is tried at the next one
// after each failure. Connections are not kept: with one request each 10 s that saves nothing and
// costs memory. HTTP/2 (RFC 9113) saves nothing either, but some servers offer nothing else: it is
// used where a server offers it with TLS, with a connection and a stream for each request, and
// never a second try.
//
// A Client and a Gate are safe for concurrent use. A Visit that waits holds a goroutine,
// no connection; a Try never waits.
//
// Sources: RFC 9110 (HTTP), RFC 9309 (robots.txt), RFC 6890 (special-purpose addresses).
package fetch
