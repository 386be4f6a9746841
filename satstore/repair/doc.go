// Package repair makes a new store of what can be read of a damaged one. The damaged one is only
// read.
//
// # Guarantees
//
//  1. One damaged place in a run file costs the records whose bytes it hits; in a version file,
//     an index or a marker nothing. In the log it costs the frame it is in, which has the visits
//     of a commit, about a second's: older versions of these records take their place, and the
//     journal says of which. A place in a table of the catalogue costs the block it is in (about
//     100 to 1,000 entries), in its index or footer the table (about 30,000 pages): the addresses
//     of these come back from their records, their links with the next visits, and settings and
//     marks of start pages are lost. What is lost is named (Report).
//  2. Pages keep their numbers. A page of which neither record nor address is known is removed,
//     under an address of the domain unknown.invalid.
//  3. The new store can be opened when it is whole and durable. What an end before that leaves is
//     removed when the repair is begun again, which takes it all anew.
//  4. A store that a newer program wrote is refused (*satstore.FormatError).
//
// Where the log can be read, its index says which version of a record is the newest, and which
// records are removed. Where it cannot, that is the version of the highest serial number in the run
// files and of the last place in what can be read of the log: then a record that was removed since
// the log began may come back, unless the catalogue has the mark of its removal.
//
// Memory: 64 MiB of the new store's buffer, 8 bytes a page of its index, 100 MiB of a Pebble store
// in which everything is sorted by page, where there is a journal 8 more bytes a page, and about 40
// of a page that the journal alone knows. docs/design/results.md has what was measured. On
// disk that Pebble takes about as much as the records, once more; all their versions where the log
// cannot be read.
//
// Sources of a page: record, address, links, marks; then the journal, whose addresses of pages that
// are not known are added as new ones, where any address may be lost.
package repair
