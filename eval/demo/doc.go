// Package demo shows the whole system on a web that is served from loopback: it crawls the web over
// HTTP, sweeps it and keeps it fresh, and does the same again by replay. It compares both worlds
// visit by visit, and measures each policy and the gain by feeds and sitemaps.
//
// # Terms
//
//	web      a synthetic web (eval/synth), or recorded sites with whole contents (eval/timetravel)
//	world    over HTTP, with the store on disk, or by replay, in memory
//	journey  the visits of a world: the crawl of the web at the base, sweeps a month later, each
//	         from the base, and the weeks of a stream after the base
//	step     one visit of a journey, in the parts that must not depend on the world
//
// # Guarantees
//
//  1. Requests go to loopback only. Time is virtual: each visit is as polite as on the live web,
//     and the waits take no real time.
//  2. The first difference of the two worlds is reported, with the visit at which it arises.
//  3. Equal options give equal results, except for the seconds and bytes in HTTPResult.
//  4. Without Options.Keep and Options.Archive nothing stays on disk.
//  5. With Options.Archive the base crawl and the weeks are archived like visits of run: the store
//     acknowledges only archived visits. Times are virtual.
//
// Save measures the savings by feeds, sitemaps and Last-Modified over several seeds.
//
// A Result is data, without charts. One goroutine calls Run.
package demo
