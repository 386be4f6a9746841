// Package papers makes the figures and tables of [LINK], [SAT fig. 2] and [HIER] for any histories
// and servers, and decides which claims of the papers hold there. Figures compares methods (LINK 5
// to 9, 12 to 18). Survey shows how servers change (LINK tables 1 to 3, fig. 1, 10, 11). Simulation
// and ScheduleReport show what schedules of servers achieve and need. Measured and Judged also
// judge claims for other packages.
//
// A claim has numbers, and each number an interval: the 5th to 95th percentile over resamples, or
// the extremes of repetitions. A number "holds" if its interval lies in the range of the claim, and
// "does not hold" if all of it lies outside. Otherwise it "cannot be told". A claim holds if all
// its numbers do, and does not hold if one does not.
//
// # Terms of figures
//
//	period      N weekly snapshots: pages are fetched N-1 weeks after the base, as in the
//	            snapshot protocol of eval, which also defines base, page and changed
//	whole       the method that fetches all pages
//	rate        of a server: changed pages / pages, known only to an oracle
//	least rate  a threshold: whole servers at or above it are fetched, with a method inside
//	            a server that method's pages
//	with as many pages   an order is cut at the number of the other side. Inside a step (a
//	            depth, a server) it finds changed pages evenly: the mean over ties
//	resample    200 corpora of the same number of servers, drawn with replacement, once for all
//	            numbers and groups; eval.Resamples
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
// A number also cannot be told if fewer than 5 servers have changed pages, or if it is undefined
// here or in most resamples.
//
// # Terms of surveys
//
//	period    N weekly snapshots from the base on: N-1 comparisons, the last snapshot N-1
//	          weeks after the base [LINK 3]
//	page      a base page of package eval: alive at the base, within 11 links of the start
//	          page. Those of a period are also alive at its last snapshot
//	top       a page of depth 1: a start page (for one that redirects also its target) and
//	          the frames of one, each a top of its own [LINK 3.2]
//	update    two successive snapshots with the page differ
//	updated   with at least one update in the period (reading R1)
//	differ    first and last snapshot differ: visible to one fetch, "changed" in eval (R2)
//	vanished  a base page not alive at the last snapshot; in no share
//	new       alive at the last snapshot and within 11 links of the start page there, not
//	          alive at the base; in no share
//	returned  a page of a period that is missing in a snapshot between. Absence is no update,
//	          so a page with a new content may differ without being updated
//	absent    a server that has no page at the base: in no other count
//	unlinked  a page alive at the base that is no base page: surveyed nowhere
//
// # Guarantees
//
//  1. Equal histories, options and seed give equal bytes.
//  2. Counts at a least rate are those of policies server-true, server-true+a and so on.
//  3. Periods, least rates and groups are ascending. Shares are of 1; undefined ones are NaN in Go,
//     null in JSON and "-" in tables.
//  4. Groups are in order of their names; a total is the sum over all servers. updated <= pages,
//     the sum of updates is pages, pages + vanished are the base pages.
//  5. An invalid log of downloads is refused with file, line and what would be valid; it is used as
//     a whole or not at all.
//
// Results can be marshalled as JSON. Package eval defines base pages; planner/schedule makes and
// simulates schedules. Sources: [LINK] 3, 6 and 7, [SAT] eq. 1, footnote 2 and fig. 2, [HIER 3].
package papers
