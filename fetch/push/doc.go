// Package push takes in what others say has changed: the owners of web sites by IndexNow, hubs of
// feeds by WebSub (Subscriber), and the operator by hints. What is said is visited before
// anything else, as soon as politeness allows.
//
// An Inbox is an HTTP handler with two paths. All others are those of hubs, where it serves them:
//
//	/indexnow   the IndexNow protocol (indexnow.org/documentation): GET with url and key, or POST
//	            with JSON. The key is proved by the file at the server's root, or at keyLocation,
//	            which the crawler asks for politely. A proved key holds for a day.
//	/hint       POST with JSON, {"urls": ["https://example.com/page"]}, from this machine alone.
//
// # Guarantees
//
//  1. An address counts as said by the owner of its server only if the server itself showed the
//     key. A key in a folder speaks for that folder alone.
//  2. No server is asked for a key unless the crawl knows it, and once an hour at most where it did
//     not show the key: until then that key is refused with 403. A server is asked for one key at a
//     time and for 8 new ones in an hour; further ones are refused with 429. So an Inbox sends no
//     traffic to strangers, and wrong keys cost a server 8 requests an hour.
//  3. Memory is bounded: a body, the addresses that wait, the keys that are known or in doubt. What
//     does not fit is refused with 429, and nothing that was accepted is dropped for it.
//  4. A web page that the operator looks at cannot send hints: these need the content type
//     application/json, which browsers send to another site only if it allows that, and a Host and
//     an Origin that name this listener (access.OwnNames).
//
// What waits is not kept over a restart.
package push
