// Package feeds reads the claims of feeds and sitemaps about pages: XML sitemaps, sitemap indexes
// and text sitemaps (sitemaps.org), RSS 0.9 to 2.0 with the dates of Dublin Core, Atom 0.3 and 1.0,
// JSON Feed 1.0 and 1.1; each also as a gzip'd file.
//
// # Terms
//
//	source  a resource about pages; entry: its part about one page
//	claim   URL, last modification and change frequency of an entry
//
// # Guarantees
//
//  1. Any input is read as far as possible. The error says why the rest was not; the claims before
//     it count.
//  2. A bad entry or value costs only itself.
//  3. At most MaxEntries claims and MaxBytes decoded octets are read, with elements at most
//     MaxDepth deep and text at most maxToken long. So memory is bounded, and time is linear.
//     Entities of a document are not expanded, and its references are not opened.
//  4. URLs are canonical, unique, and on the source's own server: claims about other servers are
//     ignored. Alternates, images, videos and news of an entry are not read.
//  5. The hubs of a feed, on any server, and the URL that it gives itself are also read. They are
//     not requested here.
//  6. A day without a time means its end, the latest possible moment. So does midnight, because
//     generators write days so. The caller, who has a clock, judges moments in the future.
//
// Elements are known by their local names: namespaces are wrong more often. An HTML reader
// (golang.org/x/net/html) splits the text, because it accepts what XML readers refuse: undefined
// entities, bare ampersands, control characters, unclosed elements, bad octets.
//
// Tried instead: github.com/mmcdole/gofeed; docs/design/decisions.md says which tests it fails.
//
// The package uses no network, disk or clock. Its functions may be called concurrently.
//
// Sources: sitemaps.org protocol 0.9; RSS 2.0; RSS 1.0; RFC 4287 (Atom); JSON Feed 1.1; RFC 822 5
// and W3C-DTF (dates); W3C WebSub 4 (hubs).
package feeds
