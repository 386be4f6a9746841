// Package evidence takes captures of others into the store of a planner, as evidence of past
// visits: so planning begins with a past instead of without one.
//
// # Terms
//
//	own     a visit that run has made
//	mark    from when to when captures of a page were taken in; a setting of the store
//	before  captures that are older than all that is known of a page
//	after   captures that are newer
//
// # Guarantees
//
//  1. A page that was never visited gets the past that visits of our own at the moments of the
//     captures would have left. Its next visit asks for all of it, and so takes its links.
//  2. Of a page with own visits nothing that they found is changed. Captures from before add to its
//     history. Where the content of then and that of the first own visit cannot be compared, the
//     time between counts neither as stable nor as changed. Captures from after count if they can
//     be compared with the copy; what they say of a page that is gone is left to the next visit.
//     Captures between own visits tell nothing new.
//  3. The same captures again change nothing; nor do captures inside the time of the mark.
//  4. A process that is killed leaves whole pages, each with or without its captures. The same
//     import again does the rest.
//  5. Memory is that of the Sorter and of the store, whatever the number of captures.
//
// Pages that are sources or excluded stay as they are. An address that is not known yet and was
// gone or moved at its last capture is left out.
package evidence
