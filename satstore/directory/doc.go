// Package directory has what every store needs of its directory: a lock, durable names, and a
// version file that is there whole or not at all, and the free space of the disk.
//
// # Guarantees
//
//  1. A directory is locked by one process at a time, and by one store of it (ErrInUse). Those who
//     only read share it. Where the system has flock, that holds for all paths to the directory or
//     its version file, and a lock file that is removed changes nothing.
//  2. What Make, Write, WriteFormat and Sync made survives a crash after they returned nil. The
//     commit point of Write is the sync of the directory after the rename: before it the old file
//     is there, or none; a file of its temporary name may be left by a crash.
//  3. A directory that holds anything else is never taken for a new store (CheckOwn).
//
// The stores decide what is in the version file, and what else is in the directory.
package directory
