// Package websub subscribes to feeds at the hubs that they name, so that a change is told and need
// not be looked for (W3C Recommendation WebSub, 23 January 2018).
//
// # Terms
//
//	topic         the address under which a hub knows a feed
//	callback      the address at which a hub reaches us, one for each subscription
//	lease         how long a hub keeps a subscription
//	verification  a hub asks the callback whether we want what was asked for in our name
//	ping          a hub says that a topic has changed, and sends it along
//
// # Guarantees
//
//  1. A ping says that a feed has changed and nothing more: what it sends along is not read beyond
//     its signature. The feed is fetched from its own server. So a hub can cause no more than
//     visits to a feed that named it: five at once, and then one a minute.
//  2. A callback has 128 random bits and belongs to one feed at one hub. Who does not know it moves
//     nothing: 404 to verifications, 410 to pings. Only what was asked for is verified.
//  3. A hub that was asked over https has a secret of 256 random bits. What comes to its callback
//     without a right signature (sha1, sha256, sha384, sha512) is answered and ignored. A secret is
//     never sent without TLS.
//  4. A subscription is on disk before its hub is asked for it, and holds over restarts. It is
//     asked for again when three quarters of its lease are over. Its callback stays the same while
//     the lease holds, so that no ping is lost in between; after that it gets another.
//  5. Requests to hubs are polite: they wait for the turn of server and address, at most eight are
//     under way, one to a hub. After a failure a hub rests for a minute, after each further one
//     twice as long, up to a day, for all its subscriptions: a feed that names somebody who is no
//     hub sends next to nothing there. A hub that refuses or denies a topic is asked for it again
//     after a month, unless the feed names another hub.
//  6. Where a feed is gone, or no longer names its hub, the subscription is ended at the hub.
//  7. Memory and disk are bounded: 10,000 subscriptions, 100 of feeds of one server, 4 hubs of a
//     feed, 2 KB an address, 16 MB a ping, which is not kept.
//
// Pings that came and were not handed out are lost at a restart; feeds are visited in their own
// time as well. What is known of hubs that failed is not kept either.
//
// The caller sees feeds and visits them, sends requests, serves the callbacks and has the store. A
// Subscriber may be used by many goroutines.
package websub
