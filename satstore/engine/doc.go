// Package engine keeps records ordered by when they are due, as runs: files that are written
// once and are their own log. It is SAT [SAT 3] with mixed radix [SAT 3.6], ad-hoc messages [SAT
// 3.5] and no second write of the bulk.
//
// # Terms
//
//	unit      the step of time; due times and the clock count units
//	slot      the records due in a span of units: one unit near the clock, a day, say, far from it
//	frame     a record or a message as bytes; block: about a page of frames of one slot
//	run       blocks written by one commit, ordered by slot; a file holds a few
//	index     per record, where its newest version is: 6 bytes, 0.2 while they lie in their order
//	stale     a copy to which the index does not point is stale
//	class     near (slots of a unit) or far (all others); each has files of its own
//
// # Guarantees
//
//  1. What was done before a Commit that returned nil survives any crash, and nothing of what
//     came after the last Commit does. A Commit during which the machine stops is there whole or
//     not at all.
//  2. A record is kept in the unit of its due, moved to 1 to T units after the clock.
//     Advance hands out each record once, units in order, however long the gap. Put again with
//     another due, the record is handed out then and only then.
//  3. Messages to a record are handed over with its next visit, in the order of arrival,
//     wherever the record moves before.
//  4. Load is one read of one block: a page, or one record that is longer.
//  5. A commit of PartBytes or more is written once, as runs. Less, or the part of it for far
//     slots, goes to the log, and to a run when it is due or much. Far slots are split up
//     by the units before them, each its share.
//  6. After a failed write or sync every call returns that error. Nothing acknowledged is
//     lost: close the store, free space, open it again. Do not retry.
//  7. A damaged byte costs the record, or the block of messages, it belongs to; so do 4 KiB that
//     the disk does not give (EIO) while it gives the file's header. When its slot is due or split
//     up the record is deleted, never replaced by an older version. Damage and Check name file,
//     block, records. An index file damaged or gone is made anew from the runs by Open, and noted.
//     Damage of version file or log (but for its last transaction) is a *DamageError. A newer
//     format is a *FormatError.
//  8. A directory is used by one Store at a time (ErrInUse), or by any number that are ReadOnly.
//     These write nothing but the lock.
//  9. Files are at most MaxFiles + 5 and those being removed, open ones 70. Space is given back
//     within 8 commits after slots were handed out: by holes where the system has them, by
//     unlinking, or by writing anew.
//
// Memory: at most 6 bytes a record, 28 a block, the buffer, 2 MiB for reading ahead, 4 MiB for
// writing, and the pages and messages of the slot being handed out. Blocks hold about 90 records of
// 170 bytes, or 10 to 20 in the far slots of a small store: 6.3 to 8 bytes a record in all. While a
// checkpoint is written, what changes of the index is there twice, and 50 bytes a block and 20 a
// record for which messages wait come on top. Messages are on disk, those of one slot at a time in
// memory.
//
// Costs. Open reads the index file and the log after it, no run (all blocks, at about 125 MB/s, to
// make the index anew: BenchmarkRebuild). A record visited is written once (near) or twice (far,
// logged first), and once more when its far slot is split up. Put reads the messages that wait for
// its record.
//
// Attachments. Payloads of a foreign store are part of the transaction: Options.Apply gets them
// after its commit point, and on Open those committed since the log began, in order, again;
// Options.Flush comes before the log begins anew. So a store without a log of its own shares this
// one.
//
// What it does not do: choose due times, find records by name, tell one transaction from another,
// keep seqs dense (65,536 of which any was used take 384 KiB).
//
// Calls come from one goroutine at a time. Reading ahead has its own, which end with the call; on
// the system's own files runs, the index file and holes are written, and files removed, behind the
// calls; Close waits, and tells what failed. Recovery: FORMAT.md. [SAT]: Tamura and Kitsuregawa.
package engine
