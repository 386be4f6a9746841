// Package cdxj makes and reads lines of a CDXJ index: which capture of which address is where.
//
// A line is a key, a moment of 14 digits (UTC) and a JSON object:
//
//	org,example)/news 20260131120000 {"url": "https://example.org/news", "mime": "text/html", ...}
//
// # Guarantees
//
//  1. Key is the Wayback Machine's (SURT): captures of a page lie together, and the pages of a
//     domain. Several addresses may have one key; which one was captured the object says.
//  2. Lines in the order of their octets are in the order of key and time.
//  3. Parse takes what others write: fields it does not know, numbers as text. It refuses lines
//     longer than MaxLine.
//
// Sources: the CDXJ format of webrecorder/cdxj-indexer, and keys as internetarchive/surt makes
// them.
package cdxj
