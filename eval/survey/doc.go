// Package survey describes how recorded servers change, in the form of [LINK] tables 1 to 3
// and figures 1, 10 and 11, and how often their pages would be visited, as [SAT] figure 2.
//
// # Terms
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
// JSON: {"base","change","weeks":[],"groups":[GROUP],"total":GROUP,"intervals":[],"warnings":[]}
//
//	GROUP      {"group","servers","absent","pages","pages_per_server","tops","unlinked","periods":[PERIOD]}
//	PERIOD     {"weeks","pages","vanished","new","returned","updated","updated_share","differ",
//	           "differ_share","tops","tops_updated","tops_updated_share","by_top","updates":[]};
//	           updates[u] counts the pages with u updates, u = 0..N-1 [LINK fig. 10, 11]
//	by_top     {"servers","pages","updated","of_updated","of_pages","of_servers"}: servers with an
//	           updated top, their pages, the updated ones of these, and rows 1, 2 and 4 of [LINK
//	           table 3]; row 3 is updated_share
//	intervals  {"unit","limit","last_modified","days","pages","visited_once","never_changed",
//	           "points":[{"interval","pages","share","weighted"}]}: pages by estimated interval in
//	           units, rising, share and weighted cumulative [SAT fig. 2]
//
// # Guarantees
//
//  1. Groups are in order of their names, periods in that of Options.Weeks; group total is
//     the sum over all servers. The same histories and options give the same bytes.
//  2. Shares are of 1. Those of nothing are NaN in Go, null in JSON and "-" in tables.
//  3. updated <= pages, the sum of updates is pages, pages + vanished are the base pages.
//
// The package reads no files and writes none; reading histories is eval/history's part, who
// is a base page is decided by eval. A Survey is a value that nothing changes afterwards.
//
// Sources: [LINK] 3 and 6 (survey), [SAT] eq. 1, footnote 2 and fig. 2.
package survey
