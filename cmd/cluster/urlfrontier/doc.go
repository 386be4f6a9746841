// Package urlfrontier serves a frontier (package cluster/frontier) to crawlers: by the gRPC API of
// crawler-commons/url-frontier, version 2.6 (package urlfrontierpb), and by HTTP with JSON.
//
// # Guarantees
//
//  1. An acknowledgement is sent after what it acknowledges is durable. Addresses are sent after
//     their leases are.
//  2. All calls of the API are there. The server is one node: local says nothing new.
//  3. Without a token the server listens to this machine alone. With one, each call but those of
//     grpc.health.v1 needs it, as "authorization: Bearer TOKEN".
//  4. Connections, streams, messages and what waits in a stream are bounded.
//  5. After a failed write of the disk the server ends. What it acknowledged is on the disk.
//
// The metadata of an address are kept as they came, and handed out again.
//
// Sources: crawler-commons/url-frontier, API/README.md and API/urlfrontier.md of version 2.6.
package urlfrontier
