// Package bench measures stores of page states: engines that keep a record of each page and hand
// out those that are due, on the workload of package paper; and how addresses that were seen before
// are found [SBFL 5].
//
// # Terms
//
//	engine  a store under measurement, behind the interface Engine
//	floor   the first engine, by whose time the others are divided; seqlog, unless asked otherwise
//	trial   one engine, loaded afresh, through all units once
//	cold    no byte of an engine's files is in the page cache
//
// # Guarantees
//
//  1. All engines visit the same records in the same states: after each unit the number of
//     its visits, the sum of their draws and the requests applied are compared with the
//     plan; after the last one all that a store keeps, every byte and due time. A difference
//     is an error, and no time is returned.
//  2. Timed are the requests, the visits, the commit and a sync of the file system, nothing
//     of the harness: lists of ids, layouts and checks are made before and after. In the
//     timed part the harness allocates nothing per record.
//  3. Each unit begins cold: files are synced, unmapped where an engine maps them, and
//     dropped from the page cache; the share that stayed is reported (UnitCost.Cached). What an
//     engine holds in its own memory stays.
//  4. Work that an engine puts off is reported: what it does between the timed parts (Beside),
//     until it is idle after the last (Settle), and what it still owes. Engines are idle before the
//     first unit. All of that is in Measure.Written.
//  5. Engines take turns, in another order in each repetition; ratios are taken within a
//     repetition, and come with their extremes.
//  6. One directory at a time is written, below Options.Dir, and removed in any case. If
//     the disk lacks room for the largest engine, Run says so before it begins.
//
// How things are measured. CPU: getrusage of the process, so Pebble's own goroutines count;
// between units that of the harness's thread is taken off. Bytes: /proc/self/io, which counts
// whole pages, and a mapped page each time it is made dirty. Memory: the peak of the resident
// set above that before the engine was opened, pages of mapped files included; at the end
// without them. Idle: little CPU and nothing written for 60 ms. The sync is one of the whole
// file system: others that write there are waited for. On systems other than Linux only
// time is measured, and files are warm.
//
// To add an engine: write a file with a Kind and the methods of Engine, and put the Kind into
// Kinds; sat.go shows one that also takes requests. Sweep makes the figures. Source of the setting:
// [SAT 4.1], Tamura and Kitsuregawa.
//
// # Addresses that were seen before
//
// RunSeen crawls a generated graph of hosts breadth-first, with the proportions of [SBFL 5.2]:
// every link is a lookup, and a repeat one of a host that was met before. All caches and filters
// see the same lookups in the same order; the same seed gives the same counts on every machine. A
// false positive is a new host that the filter has, counted once; a false negative a repeat that
// neither cache nor filter has, by an exact shadow of one bit a host. LRU's size at a hit rate is
// interpolated between measured sizes, as in the paper; nothing is shown outside of them. Memory is
// what a structure takes here, beside the paper's 20 bytes an entry of LRU.
//
// Claims of both papers are judged by package papers. Source: [SBFL] Kubota, Ueda and Yamana.
package bench
