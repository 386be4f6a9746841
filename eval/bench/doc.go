// Package bench measures stores of page states: engines that keep a record of each page and return
// those that are due, on the workload of package paper. It also measures how to find URLs that were
// seen before [SBFL 5].
//
// # Terms
//
//	engine  a store under measurement, behind the interface Engine
//	floor   the first engine: times are divided by its time; default seqlog
//	trial   one engine, newly loaded, through all units once
//	cold    no byte of an engine's files is in the page cache
//
// # Guarantees
//
//  1. All engines visit the same records in the same states. After each unit the number of visits,
//     the sum of their draws and the applied requests are compared with the plan; after the last
//     one the whole content of a store, every byte and due time. A difference is an error, without
//     any time.
//  2. The timed part is the requests, the visits, the commit and a sync of the file system. The
//     harness makes lists of ids, layouts and checks before and after, and allocates nothing per
//     record in between.
//  3. Each unit begins cold: files are synced, unmapped and dropped from the page cache; the share
//     that stayed is reported (UnitCost.Cached). The engine's own memory stays.
//  4. Deferred work is reported: between the timed parts (Beside), until the engine is idle after
//     the last one (Settle), and still owed. Engines are idle before the first unit.
//     Measure.Written includes all of it.
//  5. Engines take turns, in another order in each repetition; ratios are taken within a
//     repetition, and come with their extremes.
//  6. One directory at a time is written below Options.Dir, and always removed. Run fails early if
//     the disk lacks room for the largest engine.
//
// Measurement. CPU: getrusage of the process, with Pebble's goroutines; between units without the
// harness's thread. Bytes: /proc/self/io, which counts whole pages, and a mapped page each time it
// becomes dirty. Memory: the peak of the resident set above that before the engine was opened, with
// pages of mapped files; at the end without them. Idle: little CPU and no writes for 60 ms. The
// sync is one of the whole file system, and also waits for other writers. On systems other than
// Linux only time is measured, and files are warm.
//
// To add an engine: write a file with a Kind and the methods of Engine, and put the Kind into
// Kinds; sat.go shows one that also takes requests. Sweep makes the figures. Source of the setting:
// [SAT 4.1], Tamura and Kitsuregawa.
//
// # Seen URLs
//
// RunSeen crawls a generated graph of hosts breadth-first, with the proportions of [SBFL 5.2].
// Every link is a lookup, and a repeat if its host was met before. All caches and filters get the
// same lookups in the same order; a seed gives the same counts on every machine. A false positive
// is a new host that the filter has, counted once. A false negative is a repeat that neither cache
// nor filter has, by an exact shadow of one bit a host. LRU's size at a hit rate is interpolated
// between measured sizes, as in the paper, and never extrapolated. Memory is that of the structures
// here, and by the paper's 20 bytes an entry of LRU.
//
// Package papers judges the claims of both papers. Source: [SBFL] Kubota, Ueda and Yamana.
package bench
