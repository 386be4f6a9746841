// Package directory has the functions that every store needs for its directory: a lock, durable
// names, a version file that is whole or missing, and the free space of the disk.
//
// # Guarantees
//
//  1. A directory is locked by one process at a time, and by one store of it (ErrInUse). Readers
//     share it. With flock, that holds for all paths to the directory or
//     its version file, and a lock file that is removed changes nothing.
//  2. Results of Make, Write, WriteFormat and Sync survive a crash after they returned nil. The
//     commit point of Write is the sync of the directory after the rename: before it the old file
//     is there, or none; a file of its temporary name may be left by a crash.
//  3. A directory that holds anything else is never taken for a new store (CheckOwn).
//
// The stores decide what is in the version file, and what else is in the directory.
package directory
