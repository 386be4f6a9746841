// Package seen tells whether an address was seen before, in a bounded amount of memory: a cache and
// a filter of the recent ones in front of an exact set of fingerprints on disk [SBFL].
//
// # Terms
//
//	fingerprint     64 bits of an address, by SipHash under a key of the set
//	cache           the fingerprints seen last, exact: LRU, CLOCK, or Ways (lines of 8)
//	filter          what remembers fingerprints approximately, in bits: Bloom, Stable, Light, Tags
//	false positive  a new address taken for a known one; without a check its page is lost
//	false negative  a known address that neither cache nor filter knows; it costs a question to the set
//	set             all fingerprints, in runs: sorted files that are written once
//	waiting         an address that the set must be asked for
//	doubted         a positive of the filter that was not yet confirmed by the set
//	settle          to ask the set for many addresses at once, in the order of their fingerprints
//	mark            a number kept with the set: how far the store that it indexes is covered
//
// # Guarantees
//
//  1. Exact (the default): each address is handed out as new once, and none that the set holds. A
//     positive of the filter is answered at once and confirmed later; a false one is handed out
//     then. Two addresses of one fingerprint are the only loss: of n, about n*n / 2^65 (3e-4 of all
//     runs at 1e8 addresses), and no site can aim at it without the key.
//  2. Approximate [SBFL 4.3]: positives of the filter are never confirmed; what is lost is counted
//     only as positives. Important addresses are exempt: they always wait for the set.
//  3. An address enters the filter only when it leaves the cache [SBFL 4.3.2].
//  4. What was there at a Commit that returned nil survives any crash, and nothing that came later
//     does, but for the mark: keys and mark are committed together, or not at all.
//  5. After a failed write every call returns that error. Close, free space, open again: the last
//     Commit is there. A run that no manifest names is removed by Open.
//  6. Every byte of a run has a checksum that is verified when it is read. Damage is a *DamageError
//     with file and offset, from whichever call meets it, and from Check. No answer is made of
//     damaged bytes. A newer format is a *FormatError.
//  7. A directory is used by one Set at a time (directory.ErrInUse).
//  8. Filters, caches and their Bytes are what they take in memory; nothing on the way of an
//     address allocates. Memory in all is the budget, 8 bytes for each 4 KiB of runs (0.016 a key),
//     and while a commit merges, 256 KiB for each of at most 8 runs.
//
// Costs. A settled batch reads all blocks of the runs that its keys fall into: the larger the
// batch, the fewer bytes each key costs, down to 8 bytes of each key in the set, in sequence. Keys
// are written once, and once more for each level of 8 times the keys. docs/design/results.md has
// what was measured.
//
// Limits. 2^32 counters of a filter, 2^31 entries of a cache.
//
// Not done here: addresses are canonical already; who keeps the pages decides what is done with a
// new one. The set says whether, not which: it has no room for the number of a page.
//
// Calls come from one goroutine at a time, of each Set, cache, filter or Pipeline.
//
// Source: [SBFL] Kubota, Ueda, Yamana: Efficient Duplicated URL Detection for Web Crawlers. The set
// in batches is the way of IRLbot (Lee, Leonard, Wang, Loguinov, WWW 2008).
package seen
