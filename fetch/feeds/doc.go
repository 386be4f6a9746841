// Package feeds reads what feeds and sitemaps claim of pages: XML sitemaps, sitemap
// indexes and text sitemaps (sitemaps.org), RSS 0.9 to 2.0 with the dates of Dublin Core,
// Atom 0.3 and 1.0, JSON Feed 1.0 and 1.1; each also as a gzip'd file.
//
// # Terms
//
//	source  a resource that tells of pages; entry: what it tells of one
//	claim   address, last modification and change frequency of an entry
//
// # Guarantees
//
//  1. Whatever comes is read as far as it makes sense. The error says why that is not all;
//     what was read before it counts.
//  2. A bad entry or value costs only itself.
//  3. At most MaxEntries claims and MaxBytes decoded octets are read, elements at most
//     MaxDepth deep and text at most maxToken long: memory is bounded by these, not by what
//     the octets unfold to, and time is linear in them. No entity that a document defines is
//     expanded, and nothing it refers to is opened.
//  4. Addresses are canonical, each is claimed once, and all are on the source's own server:
//     nobody is believed about others. Alternates, images, videos and news of an entry are
//     not read.
//  5. Of a feed, the hubs that it names are read, too, which may be on any server, and the address
//     that it gives itself. Nobody is asked for them here.
//  6. A day without a time means its end, and so does midnight, which is how generators write
//     days: the latest moment that the text can mean. Whether a moment is in the future is for
//     the caller to judge, who has a clock.
//
// Elements go by their local names: namespaces are wrong more often than names. The tokens
// are those of an HTML reader (golang.org/x/net/html), which takes what XML readers refuse:
// undefined entities, bare ampersands, control characters, unclosed elements, bad octets.
//
// Tried instead: github.com/mmcdole/gofeed; docs/design/decisions.md says which tests it fails.
//
// The package knows no network, disk or clock; its functions may be called concurrently.
//
// Sources: sitemaps.org protocol 0.9; RSS 2.0; RSS 1.0; RFC 4287 (Atom); JSON Feed 1.1; RFC 822 5
// and W3C-DTF (dates); W3C WebSub 4 (hubs).
package feeds
