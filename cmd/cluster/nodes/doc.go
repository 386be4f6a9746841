// Package nodes lets several planner nodes share one crawl. It decides which node plans which
// servers, when a node may visit, how the common budget is divided, and how links reach the nodes
// of their servers. It does no I/O: a transport provides a KV for agreements, and messages that may
// be lost, late or doubled.
//
// # Terms
//
//	shard    a part of the servers, by hash of the host; it has a store and a loop of its own
//	node     a process that works on shards
//	session  the life of a node, from its start until its lease is over
//	lease    a node works only until its lease ends, and renews it earlier
//	epoch    the number of times that a node has taken over a shard
//	tenure   the time in which one node has a shard without a break
//
// # Guarantees
//
//  1. One node at a time works on a shard. A node takes a shard that nobody has, or whose holder's
//     session is over. It gives a shard away when the other node has a copy of its store, and takes
//     none whose store it cannot get. A shard that had a store never begins without one, unless an
//     operator orders that (Abandon). This holds also if the KV lost the holders, for nodes that
//     know the cluster's mark (Again).
//  2. Times of two nodes' clocks are never compared. A session is over when others saw no beat of
//     it for TTL on their own clocks. It ends itself without an answer to a beat for four fifths of
//     TTL. So clocks may be wrong by any amount, if their rates agree within a tenth. The median of
//     all corrects a wrong clock (Offset).
//  3. The store of a shard is the only truth. Links to other servers stay in it until the other
//     shard has them in its own (Outbox). So lost messages cost time, never pages, and a doubled
//     message changes nothing.
//  4. The daily fetches of all shards never exceed the budget. Unused fetches of a round are
//     available in the next one. A crash loses at most its shards' shares of a round (Ledger).
//  5. One node at a time asks an address with servers of several shards, with a pause between any
//     two visits (Addresses).
//
// A KV loses nothing that it acknowledged. If the disks of its quorum are lost, the stores are
// still whole. Two nodes may then have a shard until one of them looks, but only one can write to
// its log.
//
// Goroutines may share Addresses, and call Holds of a Member; all else is for one.
package nodes
