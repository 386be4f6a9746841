// Package bench measures how addresses that were seen before are found: the experiment of [SBFL 5]
// at any size, its filters by themselves, and whole designs against each other.
//
// # Terms
//
//	host graph  hosts and the links between them; made from a seed, or read as a list of edges
//	crawl       breadth-first from one host [SBFL 5.3]: every link of a host is a lookup
//	repeat      a lookup of a host that was met before
//	hit         a lookup that the cache or the filter answers, right or wrong
//	shadow      one bit a host: the truth by which false answers are counted
//
// # Guarantees
//
//  1. All caches and filters see the same lookups in the same order. The same seed gives the same
//     graph, lookups and counts on every machine; times differ.
//  2. A false positive is a host met for the first time that the filter has: it is counted once, as
//     if it had been found out (what happens in exact mode). A false negative is a repeat that
//     neither cache nor filter has [SBFL 2].
//  3. Memory is what the structure takes here (Bytes). The paper's 20 bytes an entry of LRU are
//     shown beside the 24 of ours.
//  4. LRU's size at a given hit rate is interpolated between measured sizes, as in the paper;
//     nothing is shown outside of them.
//
// The graph has the paper's proportions [SBFL 5.2]: 6.5 % of the hosts have links, 119 each in the
// mean, in a power law, as are the hosts that they lead to; some lead nearby, so that hosts found
// together are linked together. Sizes of caches and filters are the paper's, in the proportion of
// the graphs.
package bench
