// Package satstore keeps what is remembered of every page on disk, ordered by when the page
// is due: SAT/Basic [SAT 3.3], made crash-proof, and a catalogue in Pebble.
//
// Words
//
//	unit       u, the step of time; a due time counts as the unit it lies in
//	clock      t: all units up to it were handed out by Advance
//	bucket     the records due in one of the units t+1 to t+T: a file and a write buffer
//	log        what was committed since the last checkpoint; the only commit point
//	checkpoint buckets and catalogue are durable by themselves; the log begins anew
//	catalogue  addresses, links, start pages, settings, by page number or name
//	live       said of the copy of a record to which the index points; others are stale
//
// Promises
//
//  1. What was given to Add, Save, SaveLinks, SaveStart, SaveSetting and Advance before a
//     Commit that returned nil survives any crash, and nothing of what came after the last
//     Commit does. A Commit during which the machine stops is there whole or not at all.
//  2. A record is kept in the unit of its Due, but 1 to T units after the clock (S6); Due
//     itself is stored as given. Advance hands out each record once, units in order, however
//     long the gap, and costs nothing for units without records.
//  3. All write buffers together hold at most Options.BufferBytes (S7). They are flushed in
//     the order of the paper: all with more than 16 pages, or else 4, or else 1; at last one
//     page of the fullest (S8). A file never ends within a record.
//  4. An old bucket is deleted only after its records are durable elsewhere.
//  5. After a failed write or sync every call returns that error. Nothing acknowledged is
//     lost: close the store, free space, open it again. Do not retry.
//  6. Damage in a bucket file costs the records it hit: an older copy takes over or a fresh
//     record, and Damage tells. Damage in the log before its last commit is a
//     *DamageError from Open; in the catalogue from Open or from the first call that reads
//     or compacts the damaged part. A newer format is a *FormatError.
//  7. A directory is used by one Store at a time (ErrInUse). ReadOnly writes nothing.
//  8. Memory is 8 bytes a page, the buffers, Pebble's (about 16 MiB) and 1 MiB; a
//     transaction adds its catalogue part, Restore one bit a page, Open 8 bytes a page.
//
// Costs. The index holds for every page the place of its newest record, in a file or a
// buffer. Load is one read there (two above 1 KiB), Save one append; nothing is searched.
// So a page visited before it is due costs one read and one append, and leaves a stale copy
// in the bucket of its old time, which is read and skipped once, when that bucket is due.
// A record of 166 bytes is written 2.24 times: log and bucket, each with a frame of 20
// bytes. An update takes 1.4 us of CPU by Advance, 2.1 by Load and Save (BenchmarkUpdate,
// 1e5 records, its own work included, 2 shared cores); the rest is waiting for the sync of
// Commit. Open and Restore read every bucket file once each.
//
// Limits. T is at most 32,000, a bucket file 64 TiB, a string 32 KiB, a lsn 48 bits. At most
// 256 bucket files are open. With fewer buffer pages than buckets flushing gets slow, as in
// the paper (figure 9).
//
// What it does not do: choose due times (planner), find pages by address (sitegraph.Graph
// after Restore), ad-hoc messages and mixed radix [SAT 3.5, 3.6], keep contents.
//
// Calls come from one goroutine at a time. Files and recovery step by step: FORMAT.md.
// Sources: [SAT] Tamura and Kitsuregawa; S1 to S22 are its requirements as we number them.
package satstore
