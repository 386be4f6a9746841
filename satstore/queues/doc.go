// Package queues keeps the queues of a frontier on disk: values of a few hundred bytes under keys
// of a few, in a Pebble with a log. What they mean is decided by package cmd/cluster/frontier.
//
// # Files
//
//	DIR/LOCK      one process at a time
//	DIR/FORMAT    the version
//	DIR/pebble/   tables and log of Pebble
//
// # Guarantees
//
//  1. What one Change took is durable once the wait that it returned has returned nil. It
//     is there after a crash as a whole or not at all.
//  2. Changes survive a crash in the order in which their fills ran: if one is there, so are all
//     before it.
//  3. After a failed write or sync nothing more is taken: Failed is closed, Err says why, and calls
//     under way may never return. The process is to end. What was acknowledged is on disk.
//
// Many callers may wait at the same time: they share syncs. Change, Get and Scan may be called
// concurrently; Close must not be.
package queues
