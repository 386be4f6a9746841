// Package recorded reads what run recorded of its visits, from its store and its journal, for those
// who evaluate: as histories of its pages, or as the evidence of each page.
//
// Words
//
//	data      the directory of run, or a checkpoint of its store with the journal beside it
//	evidence  when a page was visited and found changed (tune.Visited), without its versions
//
// Promises
//
//  1. Nothing is written but the lock of the store.
//  2. A change is dated by the visit that saw it. What changed and changed back between two visits
//     is in no history, so a page that was visited seldom seems to change seldom.
//  3. Lines of the journal that a crash has torn are left out and counted.
//
// The journal does not tell feeds and sitemaps from pages. Histories asks the store; InJournal has
// them among its pages.
package recorded
