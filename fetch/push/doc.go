// Package push accepts reports of changes: from the owners of web sites by IndexNow, from hubs of
// feeds by WebSub (Subscriber), and from the operator by hints. Reported pages are visited before
// all others, as soon as politeness allows.
//
// An Inbox is an HTTP handler with two paths. All others are for hubs, if it serves them:
//
//	/indexnow   the IndexNow protocol (indexnow.org/documentation): GET with url and key, or POST
//	            with JSON. The file at the server's root, or at keyLocation, proves the key;
//	            the crawler asks for it politely. A proved key holds for a day.
//	/hint       POST with JSON, {"urls": ["https://example.com/page"]}, from this machine alone.
//
// # Guarantees
//
//  1. A URL counts as reported by the owner only if its server showed the key. A key in a folder
//     holds for that folder alone.
//  2. Only servers that the crawl knows are asked for keys. After a server did not show a key, that
//     key is refused with 403 for an hour. A server is asked for one key at a time and for 8 new
//     ones an hour; others are refused with 429. So strangers get no traffic, and wrong keys cost a
//     server 8 requests an hour.
//  3. Memory is bounded: a body, waiting URLs, known keys and keys to prove. Requests without room
//     are refused with 429. Accepted ones are never dropped for others.
//  4. A web page in the operator's browser cannot send hints. They need the content type
//     application/json, which browsers send to another site only with its consent, and a Host and
//     an Origin of this listener (access.OwnNames).
//
// A restart drops waiting reports.
package push
