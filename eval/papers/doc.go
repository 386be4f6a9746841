// Package papers makes the figures and tables of [LINK], [SAT fig. 2] and [HIER] on any histories
// and servers, and decides which claims of papers hold there: Figures compares methods (LINK 5 to
// 9, 12 to 18), Survey tells how servers change (LINK tables 1 to 3, fig. 1, 10, 11), Simulation
// and ScheduleReport what schedules of servers achieve and need. Claims of other packages'
// measurements are judged by the same functions: Measured, Judged.
//
// A claim has numbers, and each number an interval: the 5th to 95th percentile over resamples, or
// the extremes of repetitions. A number "holds" if its interval is where the claim demands it, and
// "does not hold" if all of that is elsewhere. Otherwise it "cannot be told". A claim holds if all
// its numbers do; it does not hold if one does not.
//
// # Terms of figures
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
// # Claims of [LINK]
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
// A number cannot be told, either, if fewer than 5 servers have changed pages, or if it is
// undefined here or in most resamples.
//
// # Terms of surveys
//
//	period    N weekly snapshots from the base on: N-1 comparisons, the last snapshot N-1
//	          weeks after the base [LINK 3]
//	page      a base page of package eval: alive at the base, within 11 links of the start
//	          page. Those of a period are also alive at its last snapshot
//	top       a page of depth 1: a start page (for one that redirects also its target) and
//	          the frames of one, each a top of its own [LINK 3.2]
//	update    two successive snapshots, both of which have the page, differ
//	updated   with at least one update in the period (reading R1)
//	differ    first and last snapshot differ: what one fetch sees, "changed" in eval (R2)
//	vanished  a base page not alive at the last snapshot; in no share
//	new       alive at the last snapshot and within 11 links of the start page there, not
//	          alive at the base; in no share
//	returned  a page of a period that some snapshot between lacks. Its absence is no update,
//	          so one that comes back otherwise may differ without being updated
//	absent    a server that has no page at the base: in no other count
//	unlinked  a page alive at the base that is no base page: surveyed nowhere
//
// # Guarantees
//
//  1. The same histories, options and seed give the same bytes.
//  2. Counts at a least rate are those of policies server-true, server-true+a and so on.
//  3. Periods, least rates and groups rise. Shares are of 1; undefined ones are NaN in Go, null
//     in JSON and "-" in tables.
//  4. Groups are in order of their names; a total is the sum over all servers. updated <= pages,
//     the sum of updates is pages, pages + vanished are the base pages.
//  5. A log of downloads that cannot be right is refused with file, line and what would be right;
//     it is used as a whole or not at all.
//
// Results are marshalled as JSON as they are. Who is a base page is decided by eval;
// planner/schedule decides and simulates schedules. Sources: [LINK] 3, 6 and 7, [SAT] eq. 1,
// footnote 2 and fig. 2, [HIER 3].
package papers
