package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/recrawl/recrawl/cmd/cluster/bus"
	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostHints bounds the addresses of a message.
const mostHints = 1000

func readHint(b []byte) (urls []string) {
	if json.Unmarshal(b, &urls) != nil || len(urls) > mostHints {
		return nil
	}
	return urls
}

// HintShards lets the nodes visit addresses before all others; unknown ones become start pages. It
// returns the number of addresses that they will visit. An error names a shard that did not answer;
// the other shards did.
func HintShards(ctx context.Context, b *bus.Bus, urls []string) (asked int, err error) {
	c, err := agreed(ctx, b)
	if err != nil {
		return 0, err
	}
	by := map[int][]string{}
	for _, url := range urls {
		n := nodes.ShardOf(url, c.Shards)
		by[n] = append(by[n], url)
	}
	var lost error
	for n, list := range by {
		for len(list) > 0 {
			part := list[:min(len(list), mostHints)]
			list = list[len(part):]
			message, _ := json.Marshal(part) // texts
			answer, err := b.Ask(ctx, bus.KindHint, n, message)
			if err != nil {
				lost = fmt.Errorf("%w: %s not taken", err, words.Plural(len(part), "address"))
				continue
			}
			some := 0
			if _, err := fmt.Sscan(string(answer), &some); err == nil {
				asked += some
			}
		}
	}
	return asked, lost
}
