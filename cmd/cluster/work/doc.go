// Package work is a node at work: it joins the others, takes shards over, runs a loop for each, and
// brings messages to them. What nodes agree on is in package nodes, how they talk in package bus.
//
// # Terms
//
//	session  from joining until the lease is over; then a new one begins
//	parts    the store, planner and fetcher of a shard, which the program makes
//
// # Guarantees
//
//  1. No visit begins without a lease. When it ends, visits under way are cut off, and all stores
//     are closed before the node joins again.
//  2. A shard that cannot be opened stays with its node, which says why and tries again. Its
//     servers wait; others are not held up.
//  3. When the context ends, shards are given away in good order: their loops commit, their stores
//     are closed, and others may take them at once.
//  4. Links of others are acknowledged when they are in the store.
//  5. Once there is another node, what a shard commits is in its log first, which other nodes can
//     get (satstore/replicate). A store that no other node can get is opened by no other.
package work
