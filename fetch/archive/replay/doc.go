// Package replay serves what an archive has, as it was, over HTTP on loopback.
//
//	/                          what there is
//	/web/20260131120000/URL    the capture nearest to that moment, links led to other captures
//	/web/20260131120000id_/URL the same, octet for octet as the server sent it
//	/web/*/URL                 all captures of an address
//	/web/URL                   the TimeGate of an address: it leads to the capture nearest to
//	                           Accept-Datetime
//	/web/timemap/link/URL      its TimeMap; with json in place of link as JSON
//	/cdx?url=URL&...           the index, as the CDX server of the Wayback Machine answers; also
//	                           at /cdx/search/cdx
//	/changes/20260131120000/URL what differs from the capture before
//	/in/KEY/20260131120000/URL  the same as /web/, with scripts, in the frame below the banner
//
// A moment has 4 to 14 digits. A request for another moment than that of a capture is redirected to
// the nearest one. A browser that shows /web/ to a person (Sec-Fetch-Dest: document) gets a banner
// and a frame; whoever else asks gets the capture.
//
// # Guarantees
//
//  1. What is served comes from the archive alone. A Server makes no request, and what it serves
//     asks no other server: every answer has a content security policy that allows nothing but
//     captures of this one, and a sandbox. Below /web/ nothing runs in it: no script, no form, no
//     refresh. In the frame scripts run, unless Still is set: without an origin, so that they read
//     no page of the operator; and the frame cannot be led elsewhere, as the page around it allows
//     captures alone. A browser may still look up a name or open a connection that a script hints
//     at (rel=preconnect), where it ignores the policy for that.
//  2. It answers to names of loopback alone, so that a page of the live web whose name was made to
//     lead here reads nothing (DNS rebinding).
//  3. Cookies and other headers of captures are not passed on, but type, language, encoding and,
//     rewritten, Location.
//  4. The body of a revisit is that of the record that it names.
//  5. Rewriting changes addresses in attributes of HTML and in style sheets, and for the frame puts
//     one script before the page, which leads the addresses that scripts make (inside.js). What it
//     cannot read is served as it is; guarantee 1 holds all the same.
//  6. What is in an archive cannot end the server. A body has at most archive.MostBody octets, also
//     when its content coding is undone, and rewriting makes it at most six times as long.
//  7. What runs in the frame, and fonts, need answers that any origin may read. The paths of these
//     have a key of the process, so that no page of the live web can ask for them.
//  8. What a page shows is the last capture of it up to the visit of the page, and a day more; or
//     else the first one after it.
//
// A Server may be used by many requests at a time. It sees what was in the archive when its Reader
// was opened.
//
// The index knows the parameters url, matchType, output, fl, from, to, limit, offset, filter,
// collapse, closest, page, pageSize, showNumPages, showResumeKey and resumeKey. An answer has at
// most 150,000 lines. Captures that differ in scheme or "www." alone are those of one address. A
// TimeMap has at most the last 100,000 captures.
//
// Sources: RFC 7089 (Memento), RFC 6690 (links); CSP 3; the addresses and parameters are those of
// the Wayback Machine and pywb.
package replay
