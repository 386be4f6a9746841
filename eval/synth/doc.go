// Package synth makes seeded synthetic webs whose pages change like those of [LINK].
//
// A Web has servers of six domains with pages in sections, start pages with menus and frames,
// blogs, what's-new lists, feeds, sitemaps and robots.txt. Pages are edited together in sessions,
// which their hub and the top page often announce. Templates are rebuilt, counters count, pages are
// born and vanish, and most never change. On some servers directories are not sites: hubs list
// pages of one common directory.
//
// # Guarantees
//
//  1. Equal Options give equal webs, byte for byte. A server's pages depend on the seed, its number
//     and its plan alone.
//  2. Two successive versions of a page differ in bytes. A body is a function of page and version.
//     An edit changes the main text; a rebuild and a counter do not.
//  3. Version times are strictly increasing, and are the values of Last-Modified. The first version
//     of a page older than the window starts at Start; its Last-Modified is earlier.
//  4. Every living page is within 11 links of "/", except in the minutes between its birth and the
//     next version of its hub. Links lead to living pages. Only those to one in ten vanished pages
//     are broken for a while.
//  5. Change is stationary over the window. Shares of pages fall a little with time (21.3 % at 24
//     weeks from week 12, 22.2 from 0, 19.9 from 30), because most new pages never change.
//
// Comparison with [LINK tables 2 and 3], at 60 servers and 3,000 pages, 12 weeks after the start:
// mean and standard deviation over 24 seeds, in percent, and the paper's:
//
//	                         2 weeks       4 weeks       12 weeks      24 weeks
//	pages updated            3.5±0.5  3.6  7.2±0.6  7.7  14.8±0.8 14.5 21.7±0.9 21.0
//	updated under a live top 61±12    63   75±9     76   93±2     84   96±2     88
//	rate under a live top    3.8±0.7  5    7.7±0.9  9    15.5±0.9 16   22.3±0.9 22
//	tops updated             21±3     20   32±5     35   53±5     52   66±6     66
//
// The means stay within 1.6 points of the first row for 10 to 100 pages a server. Domains with some
// servers come within about 2 points. With sixty servers AC and ED have one each, and ED's 1.6 % at
// 2 weeks is impossible (see mixes). 27 % of the updated pages at 4 weeks are updated at least
// twice, 47 % at 24 ([LINK]: 36 and 47). Compare prints the tables of any web.
//
// Times are seconds, rates per week, sizes bytes. URLs are http and end in .example, which nobody
// can register (RFC 2606). A window has 60 weeks by default.
//
// Webs have no failing or slow servers, moved pages, links between servers, images, or languages
// other than English. Package timetravel serves webs and makes histories of them.
//
// A Web does not change after New; goroutines may share it.
//
// Sources: [LINK] 3 (survey), tables 1 to 3; sitemaps.org; RFC 4287, RFC 9309.
package synth
