// Package engine keeps records ordered by when they are due, as runs: files that are written once
// and are their own log. It is SAT [SAT 3] with mixed radix [SAT 3.6], ad-hoc messages [SAT 3.5]
// and no second write of the bulk.
//
// # Terms
//
//	unit      the step of time; due times and the clock count units
//	slot      the records due in a span of units: one unit near the clock, a day, say, far from it
//	frame     a record or a message as bytes; block: about a page of frames of one slot
//	run       blocks written by one commit, ordered by slot; a file holds a few
//	index     per record, where its newest version is: 6 bytes, 0.2 while they lie in their order
//	stale     a copy to which the index does not point
//	class     near (slots of a unit) or far (all others); each has files of its own
//
// # Guarantees
//
//  1. Changes before a Commit that returned nil survive any crash, and changes after the last
//     Commit do not. A Commit during which the machine stops is kept whole or not at all.
//  2. A record is kept in the unit of its due, moved to 1 to T units after the clock.
//     Advance hands out each record once, units in order, however long the gap. A record that is put
//     again with another due is handed out then and only then.
//  3. The next visit to a record receives its messages in order of arrival, wherever the record
//     moves before.
//  4. Load is one read of one block: a page, or one record that is longer.
//  5. A commit of PartBytes or more is written once, as runs. A smaller one, or its part for far
//     slots, goes to the log, and to a run when it is due or large. The units before a far slot
//     split it, each an equal share.
//  6. After a failed write or sync every call returns that error. Nothing acknowledged is
//     lost: close the store, free space, open it again. Do not retry.
//  7. A damaged byte costs its record, or its block of messages. So do 4 KiB that the disk cannot
//     read (EIO) while it can read the file's header. When its slot is due or split, the record is
//     deleted, never replaced by an older version. Damage and Check name file, block, records. Open
//     rebuilds a damaged or missing index file from the runs, and notes it. Damage of the version
//     file or the log, except in its last transaction, is a *DamageError. A newer format is a
//     *FormatError.
//  8. A directory is used by one Store at a time (ErrInUse), or by any number that are ReadOnly.
//     These write nothing but the lock.
//  9. There are at most MaxFiles + 5 files, plus those being removed, and 70 open ones. Space is
//     released within 8 commits after slots were handed out: by holes if the system has them, by
//     removing files, or by rewriting them.
//
// Memory: at most 6 bytes a record, 28 a block, the buffer, 2 MiB for reading ahead, 4 MiB for
// writing, and the pages and messages of the slot being handed out. Blocks hold about 90 records of
// 170 bytes, or 10 to 20 in the far slots of a small store: 6.3 to 8 bytes a record in all. While a
// checkpoint is written, changed parts of the index are in memory twice, with 50 more bytes a block
// and 20 a record with messages. Messages are on disk, those of one slot at a time in memory.
//
// Costs. Open reads the index file and the log after it, but no run. To rebuild the index it reads
// all blocks, at about 125 MB/s (BenchmarkRebuild). A visited record is written once (near) or
// twice (far, logged first), and once more when its far slot is split. Put reads the messages that
// wait for its record.
//
// Attachments. Payloads of a foreign store are part of the transaction. Options.Apply receives them
// after its commit point, and again in Open those committed since the log began, in order.
// Options.Flush is called before a new log begins. So a store without a log can share this one.
//
// It does not choose due times, find records by name, distinguish transactions or keep numbers
// dense: 65,536 numbers of which one was used take 384 KiB.
//
// Calls come from one goroutine at a time. Reading ahead has its own goroutines, which end with the
// call. On files of the system, runs, the index file and holes are written and files removed in the
// background; Close waits for that, and reports failures. Recovery: FORMAT.md. [SAT]: Tamura and
// Kitsuregawa.
package engine
