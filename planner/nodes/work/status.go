package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/internal/words"
	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
)

// Status is how a cluster is getting on.
type Status struct {
	Cluster string        `json:"cluster"`
	Shards  int           `json:"shards"`
	Free    int           `json:"free"` // shards that no living node has
	Budget  nodes.Books   `json:"budget"`
	Nodes   []NodeStatus  `json:"nodes"`
	List    []ShardStatus `json:"list"`
	offered map[int]bool  // shards of which a living node has a store, and nobody knows who should
}

// NodeStatus is a node.
type NodeStatus struct {
	Name string `json:"name"`
	// live, leaving, silent (no beat was seen while Look waited) or dead
	State   string  `json:"state"`
	Shards  int     `json:"shards"`
	Started string  `json:"started"`
	Clock   float64 `json:"clock"` // seconds by which its clock is ahead of that of all
	Version string  `json:"version"`
	Trouble string  `json:"trouble"`
}

// ShardStatus is a shard.
type ShardStatus struct {
	nodes.ShardReport
	Node  string `json:"node"` // "": nobody has it
	Epoch uint64 `json:"epoch"`
}

// agreed is what the nodes of a cluster agreed on, once there are any.
func agreed(ctx context.Context, b *bus.Bus) (nodes.Cluster, error) {
	c, revision, err := nodes.Agreed(ctx, b.Nodes)
	if err == nil && revision == 0 {
		err = errors.New("no node has joined the cluster yet")
	}
	return c, err
}

// Look returns how a cluster is getting on. It waits for a beat of each node, for a third of the
// time of a lease at most.
func Look(ctx context.Context, b *bus.Bus, name string) (*Status, error) {
	c, err := agreed(ctx, b)
	if err != nil {
		return nil, err
	}
	s := &Status{Cluster: name, Shards: c.Shards}
	l := nodes.Ledger{KV: b.Nodes, Shards: c.Shards, PerDay: c.PerDay}
	if s.Budget, err = l.Read(ctx); err != nil {
		return nil, err
	}
	first := map[string]uint64{}
	began := time.Now()
	for {
		silent, err := s.nodes(ctx, b, first, time.Since(began))
		if err != nil {
			return nil, err
		}
		if !silent {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(step / 2):
		}
	}
	return s, s.shards(ctx, b, c)
}

// nodes reads the nodes; true: of some no beat was seen yet, and it is worth waiting for.
func (s *Status) nodes(ctx context.Context, b *bus.Bus, first map[string]uint64,
	waited time.Duration) (wait bool, err error) {
	list, err := nodes.NodeStates(ctx, b.Nodes)
	if err != nil {
		return false, err
	}
	s.Nodes, s.List, s.offered = nil, nil, map[int]bool{}
	for _, e := range list {
		n := e.Value
		if first[e.Key] == 0 {
			first[e.Key] = e.Revision
		}
		state := "live"
		switch {
		case n.Dead:
			state = "dead"
		case first[e.Key] == e.Revision:
			state = "silent"
			wait = wait || waited < time.Duration(n.TTLms)*time.Millisecond/3
		case n.Leaving:
			state = "leaving"
		}
		s.Nodes = append(s.Nodes, NodeStatus{Name: n.Name, State: state, Shards: len(n.Shards),
			Started: time.Unix(n.Started, 0).UTC().Format(time.RFC3339),
			Clock:   0 - n.Offset, Version: n.Version, Trouble: n.Trouble})
		for shard := range n.Stores {
			s.offered[shard] = s.offered[shard] || !n.Dead
		}
		for _, r := range n.Shards {
			s.List = append(s.List, ShardStatus{ShardReport: r, Node: n.Name})
		}
	}
	return wait, nil
}

func (s *Status) live(node string) bool {
	return slices.ContainsFunc(s.Nodes, func(n NodeStatus) bool {
		return n.Name == node && n.State == "live"
	})
}

// shards adds those that nobody reports, and who has them.
func (s *Status) shards(ctx context.Context, b *bus.Bus, c nodes.Cluster) error {
	list, err := nodes.Tenures(ctx, b.Nodes)
	if err != nil {
		return err
	}
	copies, err := copiesOf(ctx, b)
	if err != nil {
		return err
	}
	tenures := map[int]nodes.Tenure{}
	for _, e := range list {
		tenures[e.Value.Shard] = e.Value
	}
	s.List = slices.DeleteFunc(s.List, func(r ShardStatus) bool {
		return tenures[r.Shard].Owner != r.Node
	})
	for n := range s.Shards {
		t := tenures[n]
		i := slices.IndexFunc(s.List, func(r ShardStatus) bool { return r.Shard == n })
		if i < 0 {
			state := "free"
			if t.Owner != "" {
				state = "waiting" // its node has not reported yet, or is dead
			}
			r := ShardStatus{ShardReport: nodes.ShardReport{Shard: n, State: state}, Node: t.Owner}
			switch {
			case t.Home != "" && !copies[n]:
				r.Error = onlyAt(t)
			case t.Home == "" && !s.live(t.Owner) && !t.Empty && c.Again && !s.offered[n]:
				t.Shard = n
				r.Error = unknown(t)
			}
			s.List = append(s.List, r)
			i = len(s.List) - 1
			s.Free++
		}
		s.List[i].Epoch = t.Epoch
	}
	slices.SortFunc(s.List, func(a, b ShardStatus) int { return cmp.Compare(a.Shard, b.Shard) })
	return nil
}

// Finding says it in a sentence.
func (s *Status) Finding() string {
	live := 0
	var bad []string
	for _, n := range s.Nodes {
		switch {
		case n.State == "live" || n.State == "leaving":
			live++
		default:
			bad = append(bad, n.Name+" is "+n.State)
		}
		if n.Trouble != "" {
			bad = append(bad, n.Name+": "+n.Trouble)
		}
	}
	pages := 0
	for _, r := range s.List {
		pages += r.Pages
		if r.Error != "" {
			bad = append(bad, fmt.Sprintf("shard %d: %s", r.Shard, r.Error))
		}
	}
	text := fmt.Sprintf("%s with %s: %s",
		words.Plural(live, "node"), words.Plural(s.Shards, "shard"), words.Plural(pages, "page"))
	if s.Free > 0 {
		text += fmt.Sprintf("; %s without a node at work", words.Plural(s.Free, "shard"))
	}
	if len(bad) > 0 {
		text += "; " + strings.Join(bad, "; ")
	}
	return text + "."
}

// Tables are the cluster for people.
func (s *Status) Tables() []report.Table {
	of := report.Table{Title: "Nodes", Header: []string{"node", "state", "shards", "since",
		"clock ahead, s", "version"}}
	for _, n := range s.Nodes {
		of.Rows = append(of.Rows, []string{n.Name, n.State, strconv.Itoa(n.Shards), n.Started,
			fmt.Sprintf("%.0f", n.Clock), n.Version})
	}
	list := report.Table{Title: "Shards", Header: []string{"shard", "node", "state", "epoch",
		"pages", "new waiting", "visits", "used of round", "price", "links to send"}}
	for _, r := range s.List {
		used := strconv.Itoa(r.Used)
		if r.Granted >= 0 {
			used += " of " + strconv.Itoa(r.Granted)
		}
		list.Rows = append(list.Rows, []string{strconv.Itoa(r.Shard), r.Node, r.State,
			strconv.FormatUint(r.Epoch, 10), strconv.Itoa(r.Pages), strconv.Itoa(r.Waiting),
			strconv.Itoa(r.Visits), used, fmt.Sprintf("%.3f", r.Price), strconv.Itoa(r.Sending)})
	}
	budget := report.Table{Note: fmt.Sprintf("budget of the day: %.0f fetches; %d used in rounds "+
		"that are over, %d granted in others", s.Budget.PerDay, s.Budget.Spent, s.Budget.Granted)}
	if s.Budget.PerDay < 0 {
		budget.Note = "no budget"
	}
	return []report.Table{of, list, budget}
}
