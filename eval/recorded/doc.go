// Package recorded reads the visits of run from its store and its journal: as histories of pages
// for eval, or as evidence about each page for tune.
//
// # Terms
//
//	data      the directory of run, or a checkpoint of its store with the journal beside it
//	evidence  when a page was visited and found changed (tune.Visited), without its versions
//
// # Guarantees
//
//  1. Nothing is written but the lock of the store.
//  2. A change has the date of the visit that saw it. A change that was undone before the next
//     visit is in no history, so a seldom visited page seems to change seldom.
//  3. Lines of the journal that a crash has torn are left out and counted.
//
// The journal does not distinguish feeds and sitemaps from pages. Histories asks the store; for
// InJournal they are pages.
package recorded
