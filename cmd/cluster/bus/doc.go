// Package bus is what nodes agree on and talk by: NATS. A server of it runs within the node, alone
// or as one of a cluster, or elsewhere.
//
// # Terms
//
//	bucket   a key-value store of JetStream: one for nodes, shards and budget, one for addresses
//	log      the parts of a shard's store that are committed (satstore/replicate), in a stream of
//	         JetStream that some shards share
//	copies   those of the stores of these shards, in an object store of JetStream
//	subject  where messages go: CLUSTER.links.SHARD, CLUSTER.ack.SHARD, CLUSTER.hint.SHARD,
//	         CLUSTER.outcome.SHARD, CLUSTER.want.NODE
//
// # Guarantees
//
//  1. A write to the bucket of nodes, to a log or of a copy is acknowledged when most servers that
//     keep it have it on the disk, where the server is one of this package: it syncs each write.
//     Addresses are in the memory of the servers alone.
//  2. No call waits longer than its context. One call of a bucket or log waits two seconds at most,
//     a copy half an hour: before a leader is elected, and without most of the servers, there is no
//     answer. The error of such a call does not say whether it took effect.
//  3. Messages of subjects are lost where nobody listens: they are in no stream.
//  4. A server listens to this machine alone, unless it has a token. Routes between servers need
//     it.
//
// Connections are made again for ever. The package is safe for use by many.
package bus
