// Package sites shows how a server is divided into sites [LINK 4]: as a tree of text, as a map, and
// as the lists that JSON has. The server is one of recorded histories at a base (Recorded), or one
// that a planner knows (Known).
//
// A Source has the pages of the server that count. Divide makes a Division of it by one of the
// methods of sitegraph.PartitionMethods. Terms are those of sitegraph. All lists are sorted by
// address, so that the same pages and links give the same text, map and JSON from either source.
//
// It changes neither histories nor what a planner remembers. A Source is used by one goroutine.
package sites
