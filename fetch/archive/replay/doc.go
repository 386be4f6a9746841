// Package replay serves the captures of an archive over HTTP on loopback.
//
//	/                          the first pages
//	/web/20260131120000/URL    the capture nearest to that moment, with links to other captures
//	/web/20260131120000id_/URL the same, octet for octet as the server sent it
//	/web/*/URL                 all captures of an address
//	/web/URL                   the TimeGate of a URL: it redirects to the capture nearest to
//	                           Accept-Datetime
//	/web/timemap/link/URL      its TimeMap; with json instead of link as JSON
//	/cdx?url=URL&...           the index, in the form of the Wayback Machine's CDX server; also
//	                           at /cdx/search/cdx
//	/changes/20260131120000/URL the difference to the capture before
//	/in/KEY/20260131120000/URL  the same as /web/, with scripts, in the frame below the banner
//
// A moment has 4 to 14 digits. A request for another moment than that of a capture is redirected to
// the nearest one. A browser that shows /web/ to a person (Sec-Fetch-Dest: document) gets a banner
// and a frame. Other clients get the capture.
//
// # Guarantees
//
//  1. Answers come from the archive alone. A Server makes no request, and its pages cannot ask
//     another server: every answer has a sandbox, and a content security policy that allows only
//     captures of this one. Below /web/ no script, form or refresh runs. In the frame scripts run,
//     unless Still is set. They have no origin, so that they cannot read pages of the operator, and
//     the page around allows only captures in the frame. A browser that ignores the policy for
//     hints (rel=preconnect) may still look up a name or open a connection.
//  2. It answers only to names of loopback. So a page of the live web whose name was redirected
//     here can read nothing (DNS rebinding).
//  3. Of the headers of captures only type, language, encoding and a rewritten Location are passed
//     on.
//  4. The body of a revisit is that of the record that it names.
//  5. Rewriting changes URLs in attributes of HTML and in style sheets. For the frame it puts a
//     script before the page that rewrites the URLs of other scripts (inside.js). Unreadable parts
//     are served unchanged; guarantee 1 still holds.
//  6. No archive can end the server. A body has at most archive.MostBody octets, coded or decoded,
//     and rewriting makes it at most six times as long.
//  7. Scripts in the frame, and fonts, need answers that any origin may read. Their paths contain a
//     key of the process, so that no page of the live web can request them.
//  8. A requisite is its last capture up to a day after the visit of the page, or else the first
//     later one.
//
// A Server handles concurrent requests. It sees the archive as it was when its Reader was opened.
//
// The index has the parameters url, matchType, output, fl, from, to, limit, offset, filter,
// collapse, closest, page, pageSize, showNumPages, showResumeKey and resumeKey. An answer has at
// most 150,000 lines. Captures whose URLs differ only in scheme or "www." are of one URL. A TimeMap
// has at most the last 100,000 captures.
//
// Sources: RFC 7089 (Memento), RFC 6690 (links); CSP 3; paths and parameters are those of the
// Wayback Machine and pywb.
package replay
