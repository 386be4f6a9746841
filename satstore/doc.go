// Package satstore keeps the record of every page on disk, ordered by when the page is due: the
// encoding of a record, a catalogue in Pebble, and transactions over both.
//
// The engine of scheduled access times [SAT 3] is satstore/engine, which knows numbers, due units
// and bytes. The forms of the paper itself are satstore/paper, to be compared with it.
//
// # Terms
//
//	unit       u, the step of time; a due time counts as the unit it lies in
//	clock      t: all units up to it were handed out by Advance
//	runs       the records and messages, and the log; the only commit point
//	catalogue  addresses, links, start pages, settings, removals, by page number or name
//	message    bytes for a record, applied to it at its next read [SAT 3.5]
//	lost       of a record: damaged, and replaced by a fresh one
//
// # Guarantees
//
//  1. Changes before a Commit that returned nil survive any crash, and changes after the last
//     Commit do not. A Commit during which the machine stops is kept whole or not at all, in both
//     runs and catalogue.
//  2. A record is kept in the unit of its Due, but 1 to T units after the clock (S6); Due
//     itself is stored as given. Advance hands out each record once, units in order, however
//     long the gap, and costs nothing for units without records.
//  3. Messages arrive in order. Each waits, wherever its record moves, until Answered and Save.
//     With Options.Apply it is applied once, by Advance or by Save after Load. A removed page keeps
//     its number and address; Save brings it back.
//  4. After a failed write or sync every call returns that error. Nothing acknowledged is
//     lost: close the store, free space, open it again. Do not retry.
//  5. A damaged byte in runs costs its record, or a block of messages: the page comes back fresh,
//     with its address and the reason "record lost". Damage and Check name file, offset and pages.
//     A damaged index file is rebuilt from the runs. Damage in the log before its last commit is a
//     *DamageError from Open; in the catalogue from Open or from the first call that reads or
//     compacts the damaged part. Another format is a *FormatError. A run file of a copy of the
//     store counts as missing.
//  6. A directory is used by one Store at a time (ErrInUse), or by any number that are ReadOnly, by
//     any path, even if somebody removes its lock file. ReadOnly ones write nothing but the lock.
//  7. Memory is up to 8 bytes a page (satstore/engine), at most BufferBytes of records, Pebble's
//     (about 16 MiB) and 10 MiB; a transaction adds its catalogue part, Restore one bit a page,
//     Check 8 bytes. Open files are at most 70, and 210 of Pebble.
//
// In a round a crawler asks for the due records (Due), which moves none, and visits pages by Load
// and Save. At its end it gives the other records new due times (Reschedule), and moves the clock
// past the finished slots (Advance).
//
// Reschedule finds each record in the index, reads the blocks with these records in the order of
// their places (8 KiB each, or the record if it is longer), and appends the records to the slots of
// their new units. The index points there, and old copies are skipped. That is at most one bounded
// read and about 5 us of CPU a record, Commit included (go test ./satstore -run '^$' -bench
// Reschedule, 1e5 records, blocks in the system's cache).
//
// Costs. Load is one read of a block, Save one append; nothing is searched. A Commit of less than a
// MiB is logged, and written once more as runs later. A record of 166 bytes is written 2.1 times
// and takes 4.9 us of CPU by Load and Save in transactions of 1000; by Advance, a day at a time,
// 1.35 times and 1.5 us (BenchmarkUpdate, 1e5 records, its own work included, 2 shared cores). Open
// reads index, log and the marks of removed pages, 1 to 2 us each (BenchmarkOpenRemoved); Restore
// all records once.
//
// Limits. A record 131,584 bytes, a string in it 32 KiB, a message 1 MiB, the catalogue's part of a
// transaction 1 GiB, 2^31 pages, clocks from 1970 on.
//
// The store does not choose due times (the planner does), find pages by address (a sitegraph.Graph
// does after Restore), keep contents, or understand messages. Options.Apply is for programs whose
// messages change records. Those of recrawl are for the planner (planner/crawl), and wait until a
// visit answers them (Answered).
//
// Calls come from one goroutine at a time. FORMAT.md has the files, the bytes of a record, how to
// change them, and the steps of a recovery. record_encode.go and record_decode.go hold the record.
// Sources: [SAT] Tamura and Kitsuregawa; S1 to S22 are its requirements as we number them.
package satstore
