// Package dashboard serves what package view sees of a planner: HTML pages for people, a JSON API
// (openapi.yaml), server-sent events, and metrics for Prometheus. Everything that a browser loads
// comes from this program.
//
// # Guarantees
//
//  1. It listens where it is told. At an address that is no loopback address it asks everybody for
//     a token (Token), but for /healthz and /readyz. On loopback the Host of a request must be one
//     of loopback: a page of the web cannot reach it under a name of its own.
//  2. Only POST and PUT change anything. They need the token of the page's forms or the secret of
//     the data directory, and are refused when another origin sent them.
//  3. Pages run no script and load no style that is not of this program, and cannot be framed
//     (Content-Security-Policy). Text is escaped.
//  4. Requests, bodies, listeners to events and the time of an answer are bounded.
//  5. Labels of metrics are of fixed sets: there is none of a server or an address.
//  6. An error is JSON for the API, and a page for browsers; both say what can be done.
//
// The process that has a store open writes the address of its dashboard and a secret into the file
// dashboard.json of the data directory, for its own user alone. So commands that cannot open the
// store ask it (Ask).
//
// A Server is used by many goroutines.
package dashboard
