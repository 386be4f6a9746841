// Package repair makes a new store from the readable parts of a damaged one, which it only reads.
//
// # Guarantees
//
//  1. One damaged place in a run file costs the records whose bytes it hits; in a version file, an
//     index or a marker nothing. In the log it costs its frame, which has the visits of a commit,
//     about a second's: older versions replace these records, and the journal shows which. A place
//     in a table of the catalogue costs its block (about 100 to 1,000 entries), in the table's
//     index or footer the table (about 30,000 pages). Their addresses come back from their records,
//     and their links with the next visits; settings and marks of start pages are lost. Report
//     lists all losses.
//  2. Pages keep their numbers. A page without a known record or address is removed,
//     under an address of the domain unknown.invalid.
//  3. The new store can be opened once it is whole and durable. A repair that ended before is
//     repeated from the start, which removes its remains.
//  4. A store that a newer program wrote is refused (*satstore.FormatError).
//
// If the log is readable, its index shows the newest version of each record, and the removed
// records. Otherwise the newest version is that of the highest serial number in the run files, or
// of the last place in the readable part of the log. Then a record that was removed since the log
// began may come back, unless the catalogue has the mark of its removal.
//
// Memory: 64 MiB of the new store's buffer, 8 bytes a page of its index, 100 MiB of a Pebble store
// in which everything is sorted by page, with a journal 8 more bytes a page, and about 40 for
// a page that only the journal has. docs/design/results.md has measurements. On
// disk that Pebble takes about as much as the records, or as all their versions if the log is
// unreadable.
//
// Sources of a page: record, address, links, marks; then the journal. If any address may be lost,
// the journal's addresses of unknown pages are added as new pages.
package repair
