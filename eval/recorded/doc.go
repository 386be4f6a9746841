// Package recorded reads what run recorded of its visits, from its store and its journal: as
// histories of its pages, which eval reads, or as the evidence of each page, which tune reads.
//
// # Terms
//
//	data      the directory of run, or a checkpoint of its store with the journal beside it
//	evidence  when a page was visited and found changed (tune.Visited), without its versions
//
// # Guarantees
//
//  1. Nothing is written but the lock of the store.
//  2. A change has the date of the visit that saw it. What changed and changed back between two
//     visits is in no history, so a page that was visited seldom seems to change seldom.
//  3. Lines of the journal that a crash has torn are left out and counted.
//
// The journal does not tell feeds and sitemaps from pages. Histories asks the store; InJournal has
// them among its pages.
package recorded
