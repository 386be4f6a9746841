// Package nodes is how several planner nodes share one crawl. It says which node plans which
// servers, when a node may visit at all, how the budget of all is divided, and how links to servers
// of others come to those. It does no I/O: what nodes agree on stands in a KV, which a transport
// provides, and what they tell each other is messages that may be lost, late or doubled.
//
// # Terms
//
//	shard    a part of the servers, by hash of the host; it has a store and a loop of its own
//	node     a process that works on shards
//	session  the life of a node, from its start until its lease is over
//	lease    a node works only until its lease ends, and renews it before
//	epoch    how often a shard was taken over
//	tenure   the time in which a node has a shard: one epoch
//
// # Guarantees
//
//  1. A shard is worked on by one node at a time. A node takes a shard when nobody has it, or when
//     the session of who has it is over. It gives a shard away when the other node has a copy of
//     its store, and takes none whose store it cannot get. A shard that had a store never begins
//     without one, unless somebody orders that (Abandon). Where the KV lost who had which, nodes
//     that know the cluster's mark keep to that, too (Again).
//  2. No moment of a node's clock is compared with one of another: a session is over when others
//     saw no beat of it for TTL on their own clocks, and it ends itself when it had no answer to a
//     beat for TTL less a fifth. So clocks may be wrong by any amount; they must only run at the
//     same rate within a tenth. A clock that is wrong is corrected by the median of all (Offset).
//  3. The store of a shard is the only truth. Links to other servers stay in it until the
//     other shard has them in its own (Outbox): losing every message costs time, never pages. A
//     message that comes twice changes nothing.
//  4. The fetches of all shards of a day are never more than the budget. What a shard does not use
//     of a round is there for the next one. A crash costs at most the share of the round of its
//     shards (Ledger).
//  5. An address that servers of several shards share is asked by one node at a time, and a pause
//     lies between two visits whoever makes them (Addresses).
//
// A KV loses nothing that it acknowledged. If it does all the same, as after a loss of its quorum's
// disks, the stores are still whole; two nodes may then have a shard until one of them looks, but
// one of them alone can write to its log.
//
// Addresses, and Holds of a Member, are for many goroutines; all else is for one.
package nodes
