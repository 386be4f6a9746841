// Package cluster measures what several nodes do together on one machine, and works out from that
// what many do on machines of their own.
//
// # Terms
//
//	cost    what a visit, a page or a shard takes of a resource, measured or given
//	family  a stream of NATS for the logs of some shards, with a leader and two copies
//	break   the first resource of which a cluster needs more than it has
//
// # Guarantees
//
//  1. Measure runs processes of their own, as recrawl node is one, over servers that nobody serves:
//     a visit waits for a while and brings links. All else is real: stores, planners, copies, logs,
//     three servers of NATS. What nodes share is said in the result.
//  2. Simulate places shards by the code that nodes have (nodes.Place), and moves them by events:
//     links of machines, leaders of families and processors serve one thing after the other. The
//     same costs give the same result.
//  3. What was not measured is a setting, and the result repeats it.
//  4. With Settings.Pages nodes know pages from the beginning, and what is measured is how long
//     servers wait when the shards of a node that leaves, or is killed, move to others.
//
// Not done here: the fetch of a page itself (fetch/bench), rounds over millions of pages
// (eval/scale).
package cluster
