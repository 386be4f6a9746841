package nodes

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dchest/siphash"

	"github.com/recrawl/recrawl/sitegraph"
)

// Links is a message between shards: pages that links lead to.
type Links struct {
	From   int      `json:"from"`
	To     int      `json:"to"`
	Number uint64   `json:"number"`
	Links  []string `json:"links"` // canonical URLs
}

// Ack confirms that the links of a message are in the store of their shard.
type Ack struct {
	From   int    `json:"from"` // as of the message
	To     int    `json:"to"`
	Number uint64 `json:"number"`
	Sum    uint64 `json:"sum"` // of its links
}

// Ack returns the answer to a message.
func (l Links) Ack() Ack { return Ack{l.From, l.To, l.Number, sumOf(l.Links)} }

func sumOf(links []string) uint64 {
	return siphash.Hash(serverKey0, serverKey1, []byte(strings.Join(links, "\n")))
}

// ReadLinks reads a message for a shard, of a number of shards. It does not trust other nodes: good
// are the canonical URLs of the shard. The others never will be good, and are also acknowledged.
func ReadLinks(b []byte, to, shards int) (l Links, good []string, err error) {
	if err := json.Unmarshal(b, &l); err != nil {
		return l, nil, fmt.Errorf("read links: %w", err)
	}
	if l.To != to || l.From < 0 || l.From >= shards || len(l.Links) > chunkLinks {
		return l, nil, fmt.Errorf("a message from shard %d to %d with %d links reached shard %d",
			l.From, l.To, len(l.Links), to)
	}
	for _, url := range l.Links {
		if len(url) > longestLink {
			continue
		}
		if c, err := sitegraph.Canonical(url); err == nil && c == url &&
			ShardOf(url, shards) == to {
			good = append(good, url)
		}
	}
	return l, good, nil
}

// ReadAck reads an answer.
func ReadAck(b []byte) (a Ack, err error) {
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("read acknowledgement: %w", err)
	}
	return a, nil
}
