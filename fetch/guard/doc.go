// Package guard is a forward proxy between a crawler and the Web. It has limits of its own for each
// address and host, and lets nothing through that exceeds them, whatever the crawler does. It runs
// as a process of its own [NICT] and shares no code of politeness with the crawler.
//
// Files: options.go (limits), ledger.go, account.go (what was asked of whom), refusal.go,
// guard.go (connections of clients), forward.go (requests), tunnel.go (CONNECT), upstream.go
// (connections to servers), names.go (DNS), summary.go.
//
// # Terms
//
//	request    one request in absolute form (RFC 9112 3.2.2), or one tunnel (CONNECT, RFC 9110 9.3.6)
//	address    the IP address that is connected to; host: the name in the request, without port
//	interval   from the end of a request to the start of the next
//	violation  a request that a limit refused, or an answer or tunnel that a limit cut
//	turn       of a tunnel: 100 bytes or more of the client since the server sent last,
//	           without records of TLS that are shorter
//
// # Guarantees
//
//  1. In any hour no address gets more requests and bytes than its limits, nor do all together.
//     No address and no host gets more requests at a time than the limit, nor one sooner than the
//     interval after the last. A request that is early by up to a quarter of a second waits.
//  2. Each request has its own connection to the server. What a client pipelines, or sends over one
//     connection, is judged request by request. The host is that of the request line; a header
//     field Host is ignored (RFC 9112 3.2.2).
//  3. A violation is answered 429 with Retry-After (RFC 6585 4), names the limit in its body and
//     in Proxy-Status (RFC 9209), is counted, and is logged in one line. Of more than 100
//     lines a second the rest is counted in one line.
//  4. The guard looks names up by itself and connects to public addresses only, on ports 80 and
//     443, unless told otherwise. It takes connections of this machine only, unless told otherwise.
//  5. Memory is bounded: addresses and hosts, names, connections, header, request body, bytes in
//     transit. An address is forgotten when no limit could depend on it. If there is no room for a
//     new one, the new one is refused.
//  6. No client and no server holds a connection longer than the time limit.
//  7. With StopAddressAfter or StopAfter, so many violations in a row shut an address or everything
//     until the guard ends.
//
// # Inside TLS
//
// A guard cannot see requests inside a tunnel. It counts a tunnel as one request, and bounds its
// bytes either way, its time and its turns. Over HTTP/1.1 each request after the first needs a turn
// more, so that a limit of 5 turns lets at most 4 requests through: TLS 1.3 takes one turn or two
// before the first. Requests that are pipelined in one turn, and those of HTTP/2, which may be
// shorter than a turn, cannot be told apart: only the bytes sent bound these. Who must be sure
// refuses CONNECT.
//
// A Guard is safe for concurrent use.
package guard
