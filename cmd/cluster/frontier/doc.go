// Package frontier hands out addresses to crawlers that fetch by themselves, and takes in what they
// found: the semantics of crawler-commons/url-frontier, kept over restarts and crashes.
//
// A fetched page is an observation that somebody else made. Here nobody waits for it: an address
// that was handed out is leased, and comes back by Put or when its lease has run out. So millions
// may be under way, and no loop of package crawl is needed, whose visits each hold their place
// until they end.
//
// # Terms
//
//	crawl      a name space of queues; "" is the one called DEFAULT
//	queue      the addresses of a crawl under one key, by default their host
//	active     of an address: it will be handed out; of a queue: it has such addresses
//	done       of an address: known, and never handed out again
//	date       when an address may be handed out at the earliest, as the crawler said
//	lease      the time in which an address that was handed out is not handed out again: it is in
//	           transit
//	delay      pause between two answers with addresses of a queue
//
// # Guarantees
//
//  1. What Put, Get and all settings did is durable once their wait, or they themselves, returned
//     nil: addresses, dates, leases, delays, blocks, limits, pauses under way.
//  2. A discovered address is stored once in its crawl and queue. A known one is always
//     overwritten, keeps the date of its creation, and ends its lease.
//  3. Get hands out no address whose lease holds, that is done, or before its date; none of a queue
//     that is blocked, that rests for its delay, that has reached its limit, or of which as many
//     are in transit as were asked for of a queue.
//  4. Queues take turns: one that gave addresses goes to the end of the line. A queue that had
//     none to give is not delayed for it.
//  5. Within a queue addresses come by date. Those of one second come in the order in which they
//     were put, or after a restart in any. Addresses of which outcomes are told come by their worth
//     instead, as the Judge says, in turns with the others: these have one place in four.
//  6. Memory is bounded by what is stored: 60 to 120 bytes an address, and what the Judge takes.
//     Lengths of addresses, keys and metadata are bounded; what is longer is skipped.
//
// Times are given by the caller; the package has no clock. A Frontier may be used concurrently.
// Robots.txt, filters and addresses that mean the same page are the crawler's business.
package frontier
