// Package figures makes the figures of [LINK] that compare methods (5 to 9 and 12 to 18) on
// any histories, decides which claims of the paper hold there, and compares this project's own
// methods by sites with the paper's, server by server (Beyond).
//
// # Terms
//
//	period      N weekly snapshots: pages are fetched N-1 weeks after the base, as in the
//	            snapshot protocol of eval, which also says what base, page and changed are
//	whole       the method that fetches all pages
//	rate        of a server: changed pages / pages, which only an oracle knows
//	least rate  a threshold: whole servers at or above it are fetched, with a method inside
//	            a server that method's pages
//	with as many pages   an order is cut where the other side stops. Inside a step (a depth, a
//	            server) it finds changed pages evenly: its mean over the seeded ties
//	resample    200 corpora of as many servers, drawn with replacement, once for all numbers and
//	            groups; eval.Resamples
//	short, long 4 weeks and less; 12 weeks and more
//
// # Claims
//
// Each claim demands something of its numbers. U is the update rate, K the coverage.
//
//	 1 fig. 5      U(m) - U(whole) > 0, m = a, b, c, each period
//	 2 fig. 5      U(m) / U(whole) in 2..3, short periods
//	 3 fig. 5      mean over the periods of U(c) / U(whole) in 1.5..2.5
//	 4 fig. 5, 6   U(c)-U(b), U(b)-U(a), K(a)-K(b), K(b)-K(c) > 0, each period
//	 5 fig. 6      K(c) in 0.7..0.8, each period
//	 6 fig. 7      U(c)-U(b), U(b)-U(a), U(a)-U(whole) > 0 at 4 weeks, else the shortest period,
//	               in each group with changed pages on 5 servers or more
//	 7 fig. 9      area of K against share fetched, breadth-first, > 1/2, period as in 6
//	 8 fig. 9      K(m) - K(breadth-first with as many pages) > 0, period as in 6
//	 9 6.3.2       U(m) / U(breadth-first with as many pages) >= 2, each period
//	10 fig. 12, 13 servers with a rate of 0.1 or more: K in 0.6..0.7 and U >= 0.4, each period
//	11 fig. 14, 15 K(server-true with as many pages) - K(m) > 0, short periods
//	12 fig. 16, 17 the same within -0.05..0.05, long periods
//	13 to 16 fig. 18   K(server-true+m) - K(server-true with as many pages), mean over the
//	               distinct sets of servers that the least rates select: < 0 for each m below 4
//	               weeks (13), > 0 for a from 4 weeks (14), > 0 for a or b in long periods (15),
//	               < 0 for c (16)
//
// A number "holds" if its 5th to 95th percentile over the resamples is where the claim demands it,
// and "does not hold" if all of that is elsewhere. Otherwise it "cannot be told", also if fewer
// than 5 servers have changed pages, or if it is undefined here or in most resamples. A claim holds
// if all its numbers do; it does not hold if one does not.
//
// # Guarantees
//
//  1. The same histories, options and seed give the same bytes.
//  2. Counts at a least rate are those of policies server-true, server-true+a and so on.
//  3. Periods, least rates and groups rise. Shares are of 1; undefined ones are NaN in Go, null
//     in JSON and "-" in tables.
//  4. What weekly states before the base are shown changes nothing but Beyond and History.
//
// The JSON is that of Figures. Sources: [LINK] 6 and 7; what is open there is read as in eval.
package figures
