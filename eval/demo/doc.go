// Package demo shows the whole system on a web that is served from loopback: it crawls the web over
// HTTP, sweeps it and keeps it fresh, and does the same again by replay. It compares both worlds
// visit by visit, and measures what each policy finds and what feeds and sitemaps are worth.
//
// # Terms
//
//	web      a synthetic web (eval/synth), or recorded sites with whole contents (eval/timetravel)
//	world    where visits are made: over HTTP, with the store on disk, or by replay, in memory
//	journey  what a world showed: the crawl of the web at the base, sweeps a month later, each from
//	         the base, and the weeks of a stream after the base
//	step     one visit of a journey, in what must not depend on the world
//
// # Guarantees
//
//  1. Requests go to loopback only. Time is virtual: each visit is as polite as on the live web,
//     and the waits take no real time.
//  2. The first difference of the two worlds is reported, with the visit at which it arises.
//  3. The same options give the same result, but for the seconds and bytes that HTTPResult counts.
//  4. Without Options.Keep and Options.Archive nothing stays on disk.
//  5. With Options.Archive the crawl of the base and the weeks are kept as run keeps its visits:
//     the store acknowledges none that is not in the archive. Its times are virtual.
//
// Save measures over several seeds what feeds, sitemaps and Last-Modified save, and shows nothing
// else.
//
// It draws nothing: a Result is data. Run is for one goroutine.
package demo
