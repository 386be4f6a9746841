// Package bus connects nodes by NATS, for their agreements and messages. A server of NATS runs in
// the node, alone or in a cluster, or elsewhere.
//
// # Terms
//
//	bucket   a key-value store of JetStream: one for nodes, shards and budget, one for addresses
//	log      the committed parts of a shard's store (satstore/replicate), in a stream of
//	         JetStream that some shards share
//	copies   the copies of the stores of these shards, in an object store of JetStream
//	subject  the destination of messages: CLUSTER.links.SHARD, CLUSTER.ack.SHARD, CLUSTER.hint.SHARD,
//	         CLUSTER.outcome.SHARD, CLUSTER.want.NODE
//
// # Guarantees
//
//  1. A write to the bucket of nodes, to a log or of a copy is acknowledged when most of its
//     servers have it on the disk, if they are servers of this package: these sync each write.
//     Addresses are only in the memory of the servers.
//  2. No call waits longer than its context. A call of a bucket or log waits two seconds at most, a
//     copy half an hour. There is no answer before a leader is elected, or without most of the
//     servers. The error of such a call does not say whether it took effect.
//  3. Messages of subjects are lost if nobody listens, as no stream keeps them.
//  4. A server without a token listens only to this machine. Routes between servers need it.
//
// Lost connections are made again, without end. Many goroutines may use a Bus.
package bus
