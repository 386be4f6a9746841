// Package replicate brings a store to other machines: a copy of its files, and a log of what was
// committed since.
//
// # Terms
//
//	part     a piece of a transaction, as it is sent; the log holds parts, and numbers them
//	base     a copy of a store, and the part after which the log goes on
//	mark     a part that holds nothing: who writes it is the only one that can go on
//	history  the parts that a store has: their numbers, and who wrote them
//
// # Guarantees
//
//  1. Commit returns nil when the log has the transaction and this store has it, in this order.
//     So a store never has what its log has not, and what a process acknowledged after Commit is
//     in the log.
//  2. Base and log make the store again: pages, links, start pages and settings as of the last
//     transaction that is whole. A transaction that lacks a part is left out.
//  3. Who goes on with a store marks its log first (Take). What a process still sends that
//     had the store before is refused, and its Commit fails.
//  4. A store is brought up to date from where it is, if the log has its last part (Update). Else,
//     or where it cannot be read, the base takes its place, and of all else in the directory but
//     the journal.
//  5. A log may lose what it acknowledged, and give the same numbers to other parts: histories tell
//     them apart. Where others went on with such a log it counts, and a store that has what was
//     lost is set aside, not removed. Where nobody did, the log must begin anew with the latest
//     store (Updated.Anew).
//  6. A base is a stream of files. It is put in place when all of it was read and synced.
//
// Not done here: where log and bases lie is up to Remote, who may write to them to a lease.
// Damage of a store that its Open repairs with fresh records is not told to the log: a copy has the
// records as they were.
//
// A transaction is read as a whole: it takes as much memory as its changes, 200 to 400 bytes a
// page. Sending takes up to PartBytes. Calls come from one goroutine at a time.
package replicate
