// Package frontier hands out addresses to crawlers that fetch by themselves, and takes in what they
// found. It has the semantics of crawler-commons/url-frontier, kept over restarts and crashes.
//
// The crawler makes the visits, and the frontier does not wait for them. An address that was handed
// out is leased: it comes back by Put, or when its lease ends. So millions of visits may be under
// way. The loop of package crawl holds a place for each visit until it ends, and is not needed
// here.
//
// # Terms
//
//	crawl      a name space of queues; "" is the crawl DEFAULT
//	queue      the addresses of a crawl under one key, by default their host
//	active     of an address: it will be handed out; of a queue: it has such addresses
//	done       of an address: known, and never handed out again
//	date       of an address: the earliest time at which it may be handed out; the crawler sets it
//	lease      the time in which an address that was handed out is not handed out again; the
//	           address is in transit
//	delay      pause between two answers with addresses of a queue
//
// # Guarantees
//
//  1. Changes are durable once Put, Get or the call that makes a setting has returned nil, or its
//     wait has. Changes are those of addresses, dates, leases, delays, blocks, limits and Active.
//  2. A discovered address is stored once in its crawl and queue. A known address always replaces
//     what is stored, keeps the date of its creation, and ends its lease.
//  3. Get hands out no address that is leased, done, or before its date. It hands out none of a
//     queue that is blocked, rests for its delay, has reached its limit, or has Request.PerQueue
//     addresses in transit.
//  4. Queues take turns: a queue that gave addresses goes to the end of the line. A queue that gave
//     none is not delayed.
//  5. A queue gives its addresses by date. Addresses of one second come in the order of Put, or
//     after a restart in any order. Addresses with outcomes come by their worth to the Judge
//     instead, in turns with the others, which have one place in four.
//  6. The number of stored addresses bounds the memory: 60 to 120 bytes an address, and the memory
//     of the Judge. Addresses, keys and metadata have a greatest length; longer ones are skipped.
//
// The caller gives the time; the package has no clock. A Frontier may be used concurrently. The
// crawler takes care of robots.txt, of filters, and of addresses of one page.
package frontier
