package nodes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dchest/siphash"

	"github.com/recrawl/recrawl/sitegraph"
)

// MostShards limits the shards of a cluster: each is a store and a planner.
const MostShards = 4096

// The keys of the two hashes. All nodes of all versions must have the same: do not change them.
const (
	serverKey0, serverKey1 = 0x7265637261776c20, 0x736861726473206f
	nodeKey0, nodeKey1     = 0x72656e64657a766f, 0x7573206861736821
)

// ShardOf returns the shard of a page, or of a server as host[:port]. All ports of a host are in
// one.
func ShardOf(url string, shards int) int {
	server := sitegraph.ServerName(url)
	if server == "" {
		server = url
	}
	return int(siphash.Hash(serverKey0, serverKey1, []byte(hostOf(server))) % uint64(shards))
}

// hostOf returns the host of a server, host[:port].
func hostOf(server string) string {
	if i := strings.LastIndexByte(server, ':'); i >= 0 && !strings.Contains(server[i:], "]") {
		return server[:i]
	}
	return server
}

// Place returns the preferred node of each shard: the one with the highest hash of both (rendezvous
// hashing, Thaler and Ravishankar 1998) that has room, in the order of the shards (bounded loads,
// Mirrokni, Thorup and Zadimoghaddam 2018). No node has more than its part, rounded up. When a node
// comes or goes, few other shards move. nodes are sorted; without one all places are "".
func Place(shards int, nodes []string) []string {
	places := make([]string, shards)
	if len(nodes) == 0 {
		return places
	}
	room := (shards + len(nodes) - 1) / len(nodes)
	has := make([]int, len(nodes))
	for shard := range shards {
		best, most := -1, uint64(0)
		for i, name := range nodes {
			h := siphash.Hash(nodeKey0, nodeKey1,
				append(strconv.AppendInt(nil, int64(shard), 10), "/"+name...))
			if has[i] < room && (best < 0 || h > most) {
				best, most = i, h
			}
		}
		has[best]++
		places[shard] = nodes[best]
	}
	return places
}

// Adopts reports whether a server, host[:port], matches one of the patterns: "*" is any,
// "*.example.org" those below example.org, and otherwise the host itself.
func Adopts(patterns []string, server string) bool {
	server = hostOf(server)
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "*" || p == server {
			return true
		}
		return len(p) > 2 && p[:2] == "*." && len(server) > len(p)-1 &&
			server[len(server)-len(p)+1:] == p[1:]
	})
}
