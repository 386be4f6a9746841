// Package seen decides whether an address was seen before, in bounded memory: a cache and a filter
// of recent addresses in front of an exact set of fingerprints on disk [SBFL].
//
// # Terms
//
//	fingerprint     64 bits of an address, by SipHash under a key of the set
//	cache           the last fingerprints, exact: LRU, CLOCK, or Ways (lines of 8)
//	filter          approximate memory of fingerprints, in bits: Bloom, Stable, Light, Tags
//	false positive  a new address taken for a known one; without a check its page is lost
//	false negative  a known address that neither cache nor filter has; it costs a look-up in the set
//	set             all fingerprints, in runs: sorted files that are written once
//	waiting         of an address: the set must be asked for it
//	doubted         a positive of the filter that the set has not confirmed yet
//	settle          to ask the set for many addresses at once, in the order of their fingerprints
//	mark            a value kept with the set: how many pages of its store it covers
//
// # Guarantees
//
//  1. Exact (the default): each address is passed on as new once, and none that the set has. A
//     positive of the filter is answered at once and confirmed later; a false one is passed on
//     then. Only two addresses of one fingerprint lose a page: about n*n / 2^65 of n addresses
//     (3e-4 of all runs at 1e8 addresses). No site can cause it without the key.
//  2. Approximate [SBFL 4.3]: positives of the filter are never confirmed, so lost addresses count
//     as positives. Important addresses are exempt: they always wait for the set.
//  3. An address enters the filter only when it leaves the cache [SBFL 4.3.2].
//  4. Keys of a Commit that returned nil survive any crash, and later keys do not. Keys and mark
//     are committed together, or not at all.
//  5. After a failed write every call returns that error. Close, free space, open again: the last
//     Commit is there. A run that no manifest names is removed by Open.
//  6. Every byte of a run has a checksum that is verified when it is read. Damage is a *DamageError
//     with file and offset, from whichever call meets it, and from Check. No answer uses
//     damaged bytes. A newer format is a *FormatError.
//  7. A directory is used by one Set at a time (directory.ErrInUse).
//  8. Bytes of filters and caches is all of their memory; judging an address allocates nothing.
//     Memory in all is the budget, 8 bytes for each 4 KiB of runs (0.016 a key), and while a commit
//     merges, 256 KiB for each of at most 8 runs.
//
// Costs. A settled batch reads all blocks of the runs that its keys fall into: the larger the
// batch, the fewer bytes each key costs, down to 8 bytes of each key in the set, in sequence. Keys
// are written once, and once more for each level of 8 times the keys. docs/design/results.md has
// measurements.
//
// Limits. 2^32 counters of a filter, 2^31 entries of a cache.
//
// Addresses must be canonical. The keeper of the pages handles a new one. The set knows whether an
// address is known, not which page it is: it has no room for the number of a page.
//
// Calls come from one goroutine at a time, of each Set, cache, filter or Pipeline.
//
// Source: [SBFL] Kubota, Ueda, Yamana: Efficient Duplicated URL Detection for Web Crawlers. The set
// in batches is the way of IRLbot (Lee, Leonard, Wang, Loguinov, WWW 2008).
package seen
