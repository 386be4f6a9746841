// Package dashboard serves the results of package view: as HTML pages for people, by a JSON API
// (openapi.yaml), as server-sent events, and as metrics for Prometheus. A browser loads everything
// from this program.
//
// # Guarantees
//
//  1. It listens only at the given address. Beyond loopback every request needs a token (Token),
//     except for /healthz and /readyz. On loopback the Host of a request must be one of loopback,
//     so that no page of the web reaches it under another name.
//  2. Only POST and PUT change anything. They need the token of the page's forms or the secret of
//     the data directory, and must not come from another origin.
//  3. Pages only use scripts and styles of this program, and cannot be framed
//     (Content-Security-Policy). Text is escaped.
//  4. Requests, bodies, listeners to events and the time of an answer are bounded.
//  5. Labels of metrics are from fixed sets: none names a server or an address.
//  6. An error is JSON for the API, and a page for browsers; both say what to do.
//
// The process that has a store open writes the address of its dashboard and a secret into the file
// dashboard.json of the data directory, which only its user can read. So commands that cannot open
// the store ask it (Ask).
//
// Many goroutines may use a Server.
package dashboard
