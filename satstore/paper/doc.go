// Package paper is the storage of [SAT] as its authors describe it: SAT/Basic, SAT and
// SAT/Naive, to be measured beside other stores and read beside the text. Package satstore
// is what the crawler uses.
//
// # Terms
//
//	unit      the step of time; the clock is the last unit that is over
//	bucket    the records due in one unit (of a coarse level: in Width units), a file
//	buffer    what goes to the end of a bucket's file later: a list of pages
//	message   a request for one record, waiting in the record's bucket
//	number    of a record: 0, 1, 2 ... in the order of insertion (seq in the paper)
//
// A unit is Visit (steps 0.5 to 6 of [SAT 3.3, 3.5]) and Commit (steps 7 to 9). Requests
// are sorted among the records, or kept beside them in a table (Options.Delivery); levels
// of coarser buckets replace most files (Options.Levels, [SAT 3.6]).
//
// # Guarantees
//
//  1. Visit hands out each record of its unit once and stores it in the bucket of its next
//     unit, 1 to T later. All forms hand out the same records.
//  2. What came before a Commit that returned nil survives a crash. Of what came after,
//     only visits of the unit at work may: that unit goes on with the records that the log
//     does not show as written back. A visit is called at least once, its record stored once.
//     Messages sent in visits arrive at least once, if the log has them, and at most once for
//     each call; records added in visits are forgotten.
//  3. Messages arrive at the next visit of their record, in the order in which they were
//     sent. One for a record of the unit at work that is not written back yet is held until
//     it is, and so arrives at the visit after. A deleted record is not visited again.
//  4. Buffers never hold more than BufferBytes, tested before a page is taken. They are
//     flushed as the paper says: all above 16 pages, else 4, else 1; else one page of the
//     fullest, to a sixteenth of a page. Finding them costs no search. A frame longer than
//     all buffers empties them and goes to its file at once; in SAT/Naive one longer than a page
//     empties its own. A file may be longer than what counts of it.
//  5. At most OpenFiles bucket files are open, and one that is read.
//  6. After a failed write or sync every call returns that error; open the store again.
//     In the sequence index such an error ends the program, as Pebble does.
//  7. Damage in a bucket or checkpoint is a *DamageError.
//
// Limits. T is at most 2^16-2 units with 16 bits of bucket index, 2^24-2 with 24; its base
// moves with the clock. 2^32-1 records and units, bodies of 16 bytes to 1 MiB. Deleted ids
// keep their entry in the sequence index. The end of the log is where its first chunk is
// not whole: damage there is taken for a crash. Without log (NoLog) only Close saves, and a
// crash loses the store. Opening reads all buckets once, to make the bucket index.
//
// Memory beside the buffers: 2 or 3 bytes a record, SortBytes or the messages of a bucket, 3 MiB
// for reading, writing and the log, twice the longest frame, 4 bytes for each record of a unit that
// a crash broke off, and Pebble's. In the paper's tests the log was on a disk of its own; here it
// is in the store's directory, of one disk with the buckets, so that one name is all there is to
// copy and lock.
//
// Where the paper leaves a choice, ours is: the bound is tested with the page that is about
// to be taken; flushes end between records; the log begins anew, after a sync of all
// buckets, with what the buffers hold; numbers are never given twice.
//
// Calls come from one goroutine at a time. Bytes and recovery: FORMAT.md. Source: [SAT]
// Tamura and Kitsuregawa.
package paper
