// Package synth makes seeded synthetic webs whose pages change as those of [LINK] did.
//
// A Web has servers of six domains with pages in sections, start pages with menus and
// frames, blogs, what's-new lists, feeds, sitemaps and robots.txt. Pages are edited
// together in sessions that their hub and the top page often tell of, templates are
// rebuilt, counters count, pages are born and vanish, and most never change. On some
// servers directories are not sites; there hubs list pages of one common directory.
//
// # Guarantees
//
//  1. The same Options give the same web, byte for byte. A server's pages depend on the
//     seed, its number and its plan alone, not on other servers or on order.
//  2. Two successive versions of a page differ in bytes, and within a version nothing
//     does: a body is a function of page and version. An edit changes the main text; a
//     rebuild and a counter do not.
//  3. Version times are strictly increasing and are the Last-Modified that is told. The
//     first version of a page older than the window holds from Start; its Last-Modified
//     is earlier.
//  4. Every page alive is within 11 links of "/", except for the minutes between its birth
//     and the version of its hub that lists it. Links lead to living pages, except, for a
//     while, to one in ten of those that vanish.
//  5. Change is stationary: no more of it at the start of the window than later. Shares of
//     pages fall a little with time (21.3 % at 24 weeks from week 12, 22.2 from 0, 19.9 from
//     30), because most of the pages born stay as they are.
//
// How near [LINK tables 2 and 3] it comes, at 60 servers and 3,000 pages, 12 weeks after
// the start; mean and standard deviation over 24 seeds, in percent, and the paper's:
//
//	                         2 weeks       4 weeks       12 weeks      24 weeks
//	pages updated            3.5±0.5  3.6  7.2±0.6  7.7  14.8±0.8 14.5 21.7±0.9 21.0
//	updated under a live top 61±12    63   75±9     76   93±2     84   96±2     88
//	rate under a live top    3.8±0.7  5    7.7±0.9  9    15.5±0.9 16   22.3±0.9 22
//	tops updated             21±3     20   32±5     35   53±5     52   66±6     66
//
// The means stay within 1.6 points of the first row for 10 to 100 pages a server. Domains
// come within about 2 points where they have some servers; with sixty servers AC and ED
// have one each, and ED's 1.6 % at 2 weeks is out of reach (see mixes). 27 % of the pages
// updated at 4 weeks are so twice or more, 47 % at 24 ([LINK]: 36 and 47). Compare prints
// the tables of any web.
//
// Times are seconds, rates per week, sizes bytes; addresses are http and end in .example,
// which no one can register (RFC 2606). A window has 60 weeks unless told otherwise.
//
// Not here: failing or slow servers, moved pages, links between servers, languages other
// than English, images. Serving a web and making histories of it is package timetravel's.
//
// A Web does not change after New; any number of goroutines may read it.
//
// Sources: [LINK] 3 (survey), tables 1 to 3; sitemaps.org; RFC 4287, RFC 9309.
package synth
