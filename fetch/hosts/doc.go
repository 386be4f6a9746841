// Package hosts holds what an operator says of single servers: how long to wait, what to send with
// each request, and through which proxy. New reads rules, ReadCredentials the files that they name,
// Of answers for a server.
//
// # Terms
//
//	server       host or host:port, as sitegraph.ServerName has it
//	pattern      which servers a rule means: "example.org:8080" that port, "example.org" all ports of
//	             the host, "*.example.org" the hosts below it, "*" all
//	credentials  what proves to a server who asks: a name and password, a token, a cookie
//
// # Guarantees
//
//  1. One rule holds for a server, the most specific: host with port before host, host before the
//     longest domain, that before "*". Nothing of another rule is added to it.
//  2. Header returns what the rule of a server says, for that server alone. Over plain HTTP it
//     returns nothing, unless the rule says so.
//  3. Credentials come from files that only their owner can read or write, never from the rules
//     themselves. No error and no text of a Settings has one of them.
//  4. A rule cannot set a header field that HTTP, politeness or the visit itself needs, as Host,
//     User-Agent or If-None-Match.
//  5. Bounds: MaxRules rules, maxFields fields each, maxField octets a field, maxFile a file.
//
// Not done here: requests, pauses, redirects. Package fetch asks Of for each request, so that a
// redirect to another server gets what the rule of that server says. The environment is not read.
//
// A Table is safe for concurrent use once ReadCredentials has returned.
//
// Sources: RFC 9110 5 (fields), 11.6 (Authorization, Proxy-Authorization); RFC 7617 (Basic); RFC
// 6750 2.1 (Bearer).
package hosts
