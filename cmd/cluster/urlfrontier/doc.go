// Package urlfrontier serves a frontier (package cluster/frontier) to crawlers: by the gRPC API of
// crawler-commons/url-frontier, version 2.6 (package urlfrontierpb), and by HTTP with JSON.
//
// # Guarantees
//
//  1. The server acknowledges a change once the change is on disk. It hands out a URL once the
//     lease is on disk.
//  2. The server has all calls of the API. It is one node, so it ignores the field local.
//  3. Without a token the server listens only to this machine. With a token each call must send
//     "authorization: Bearer TOKEN", except calls of grpc.health.v1.
//  4. Connections, streams, messages and the queues of a stream are bounded.
//  5. The server ends after a failed write to disk. All acknowledged changes are on disk.
//
// The frontier stores the metadata of a URL unchanged, and hands them out with the URL.
//
// Sources: crawler-commons/url-frontier, API/README.md and API/urlfrontier.md of version 2.6.
package urlfrontier
