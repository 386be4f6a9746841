package cluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/satstore/directory"
)

// Files beside the stores repeat what the KV has. So a cluster whose KV lost everything goes on
// with the existing stores, and begins no shard without one.
const (
	// markName is the file with the mark of the cluster.
	markName = "cluster"
	// epochEnd is the end of the name of a file beside a store. The file has the epoch in which
	// this node last worked on it. If a node was killed and returns, several nodes may have a store
	// of a shard; the latest epoch counts.
	epochEnd = ".epoch"
)

// readMark puts the mark of the cluster, or a new one, into what this node wants to agree on.
func (o *NodeOptions) readMark() error {
	text, err := os.ReadFile(filepath.Join(o.Dir, markName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read of which cluster the stores are: %w", err)
	}
	o.Cluster.Mark = strings.TrimSpace(string(text))
	if o.Cluster.Again = o.Cluster.Mark != ""; !o.Cluster.Again {
		o.Cluster.Mark = rand.Text()
	}
	return nil
}

// keepMark writes down what the nodes agreed on.
func (o *NodeOptions) keepMark(had string) error {
	if o.Cluster.Mark == had {
		return nil
	}
	err := os.MkdirAll(o.Dir, 0o755)
	if err == nil {
		err = directory.WritePath(o.Dir, markName, []byte(o.Cluster.Mark+"\n"))
	}
	if err != nil {
		return fmt.Errorf("write down of which cluster the stores are: %w", err)
	}
	return nil
}

// Has returns the epoch in which this node last worked on a shard, if it has a store of it. The
// epoch is 0 if nobody wrote it down, for example because a person put the store there.
func (s *session) Has(shard int) (epoch uint64, ok bool) {
	dir := s.directory(shard)
	if _, err := os.Stat(filepath.Join(dir, directory.FormatName)); err != nil {
		return 0, false
	}
	text, err := os.ReadFile(dir + epochEnd)
	if err == nil {
		epoch, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	}
	if err != nil {
		return 0, true
	}
	return epoch, true
}

// keepEpoch writes down that this node works on the shard.
func (sh *shard) keepEpoch() error {
	err := directory.WritePath(sh.Dir, filepath.Base(sh.directory(sh.tenure.Shard))+epochEnd,
		fmt.Appendln(nil, sh.tenure.Epoch))
	if err != nil {
		return fmt.Errorf("write down the epoch of a store: %w", err)
	}
	return nil
}

// stores returns the shards that this node has a store of, if the others do not know who has one.
func (s *session) stores() map[int]uint64 {
	known := map[int]bool{}
	for _, t := range s.move.Tenures() {
		// the owner may be gone before it says that it has the store
		known[t.Shard] = t.Home != "" || t.Empty
	}
	list := map[int]uint64{}
	for shard := range s.Cluster.Shards {
		if !known[shard] {
			if epoch, ok := s.Has(shard); ok {
				list[shard] = epoch
			}
		}
	}
	return list
}

// unknown returns a message that a shard waits for a store.
func unknown(t nodes.Tenure) string {
	return "no node that is here has its store, and it is not known which one had: start that " +
		"node, or " + abandon(t.Shard)
}
