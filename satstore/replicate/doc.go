// Package replicate brings a store to other machines: a copy of its files, and a log of later
// commits.
//
// # Terms
//
//	part     a piece of a transaction, as it is sent; the log holds parts, and numbers them
//	base     a copy of a store, and the part after which the log continues
//	mark     an empty part, whose writer is the only one that can continue the log
//	history  the parts that a store has: their numbers and writers
//
// # Guarantees
//
//  1. Commit returns nil when the log has the transaction and this store has it, in this order.
//     So the log has everything that a store has, and that a process acknowledged after Commit.
//  2. Base and log restore the store: pages, links, start pages and settings by the last whole
//     transaction. A transaction that lacks a part is left out.
//  3. A process that continues a store marks its log first (Take). The log then refuses parts of
//     the former process, whose Commit fails.
//  4. If the log has the last part of a store, Update adds the later ones. Otherwise, or if the
//     store is unreadable, the base replaces it and all else in the directory except the journal.
//  5. A log may lose acknowledged parts, and give the same numbers to other parts: histories
//     distinguish them. If others continued such a log it counts, and a store with the lost parts
//     is set aside, not removed. If nobody did, the log must begin anew with the latest store
//     (Updated.Anew).
//  6. A base is a stream of files. It is moved to its place once all of it was read and synced.
//
// Remote decides where log and bases are, and a lease who may write to them. If Open repairs damage
// of a store with fresh records, the log does not get these: a copy has the records as they were.
//
// Reading a transaction takes as much memory as its changes, 200 to 400 bytes a page; sending takes
// up to PartBytes. Calls come from one goroutine at a time.
package replicate
