package present

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// NodesFinding says in a sentence how a cluster is getting on.
func NodesFinding(s *nodes.Status) string {
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

// NodesTables returns the status of the cluster for people.
func NodesTables(s *nodes.Status) []report.Table {
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
