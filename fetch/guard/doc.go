// Package guard is a forward proxy between a crawler and the Web. It has limits for each address
// and host, and lets nothing through that exceeds them, whatever the crawler does. It runs as a
// separate process [NICT] and shares no code of politeness with the crawler.
//
// Files: options.go (limits), ledger.go, account.go (requests so far), refusal.go, guard.go
// (connections of clients), forward.go (requests), tunnel.go (CONNECT), upstream.go (connections to
// servers), names.go (DNS), summary.go.
//
// # Terms
//
//	request    one request in absolute form (RFC 9112 3.2.2), or one tunnel (CONNECT, RFC 9110 9.3.6)
//	address    the IP address of the connection; host: the name in the request, without port
//	interval   from the end of a request to the start of the next
//	violation  a request that a limit refused, or an answer or tunnel that a limit cut
//	turn       of a tunnel: 100 bytes or more from the client since the last bytes of the server;
//	           shorter records of TLS do not count
//
// # Guarantees
//
//  1. In any hour no address gets more requests and bytes than its limits, and neither do all
//     together. No address and no host gets more concurrent requests than the limit, or a request
//     before the interval is over. A request that is early by up to a quarter of a second waits.
//  2. Each request has its own connection to the server. Several requests over one connection of a
//     client are judged one by one. The host is that of the request line; a header field Host is
//     ignored (RFC 9112 3.2.2).
//  3. A violation is answered 429 with Retry-After (RFC 6585 4), names the limit in its body and in
//     Proxy-Status (RFC 9209), is counted, and is logged in one line. Of more than 100 lines a
//     second the rest is counted in one line.
//  4. By default the guard looks up names itself, connects only to public addresses on ports 80 and
//     443, and accepts only connections of this machine.
//  5. Memory is bounded: addresses and hosts, names, connections, header, request body, bytes in
//     transit. An address is dropped when no limit depends on it. Without room for a new one, the
//     new one is refused.
//  6. No client and no server holds a connection longer than the time limit.
//  7. With StopAddressAfter or StopAfter, that number of violations in a row shuts an address or
//     everything until the guard ends.
//
// # Inside TLS
//
// A guard cannot see requests inside a tunnel. It counts a tunnel as one request, and limits its
// bytes in both directions, its time and its turns. TLS 1.3 takes one or two turns, and each
// request of HTTP/1.1 takes another. So a limit of 5 turns lets at most 4 requests through. The
// guard cannot count requests that are pipelined in one turn, or those of HTTP/2, which may be
// shorter than a turn: only the bytes sent limit them. An operator who must be sure refuses
// CONNECT.
//
// Goroutines may share a Guard.
package guard
