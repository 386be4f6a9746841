package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) sitesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sites (--history FILE | --data DIRECTORY) SERVER",
		Short: "How a server's pages divide into sites",
		Long: `sites divides the pages of a server into sites, each with top pages that are looked at first
and members [LINK 4]. With --history it takes the state --base weeks after the start of
the recorded window; with --data what a stopped planner knows.`,
		Example: "  recrawl sites --history histories/example.org.jsonl.gz example.org\n  recrawl sites --data crawl example.org --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("sites takes one server, not %d", len(args)), "recrawl sites --history FILE SERVER"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.sites(cmd, args[0])
		},
	}
	addSettings(cmd)
	return cmd
}

// partitionResult is what --json prints.
type partitionResult struct {
	Server  string       `json:"server"`
	Method  string       `json:"method"`
	Base    int          `json:"base"`
	Pages   int          `json:"pages"`
	Sites   []siteResult `json:"sites"`
	Orphans []string     `json:"orphans"`
}

type siteResult struct {
	Tops    []string `json:"tops"`
	Members []string `json:"members"`
	Upper   []int    `json:"upper"` // indices into sites; none for method a
}

func (p *program) sites(cmd *cobra.Command, server string) error {
	c := &p.config
	if (c.Sites.History == "") == (c.Data == "") {
		return usageError{fmt.Errorf("give either --history or --data"), "recrawl sites --history FILE SERVER"}
	}
	if c.Sites.Method != "a" {
		return usageError{fmt.Errorf("method %q is not known", c.Sites.Method), "a: each directory is a site"}
	}
	graph, counts, err := p.graphOf(cmd, server)
	if err != nil {
		return err
	}
	id, ok := graph.LookupServer(server)
	if !ok {
		var names []string
		for s := range sitegraph.ServerID(graph.Servers()) {
			names = append(names, graph.ServerName(s))
		}
		return usageError{fmt.Errorf("server %q is not there", server), suggest(server, names)}
	}
	result := partitionOf(graph, graph.PartitionA(id, counts))
	result.Base = c.Sites.Base
	if p.json {
		return p.printJSON(result)
	}
	return p.printPartition(result)
}

// graphOf returns the graph and which of its pages count.
func (p *program) graphOf(cmd *cobra.Command, server string) (*sitegraph.Graph, func(sitegraph.PageID) bool, error) {
	c := &p.config
	if c.Data != "" {
		o, err := p.open(true)
		if err != nil {
			return nil, nil, err
		}
		defer o.store.Close() // nothing was written
		o.corpus.Graph.Refresh()
		return o.corpus.Graph, func(p sitegraph.PageID) bool { return o.corpus.Memory(p).State == sitegraph.StateAlive }, nil
	}
	servers, err := history.ReadFiles(cmd.Context(), []string{c.Sites.History}, nil)
	if err != nil {
		return nil, nil, err
	}
	if i := slices.IndexFunc(servers, func(s *history.Server) bool { return s.Name == server }); i >= 0 {
		servers = servers[i : i+1]
	}
	corpus, err := eval.NewCorpus(cmd.Context(), servers, eval.Options{Base: time.Duration(c.Sites.Base) * week, Change: c.changeBy()})
	if err != nil {
		return nil, nil, err
	}
	return corpus.Graph(), corpus.IsBase, nil
}

// partitionOf names the pages of a partition, sorted.
func partitionOf(g *sitegraph.Graph, partition sitegraph.Partition) partitionResult {
	urls := func(pages []sitegraph.PageID) []string {
		list := make([]string, 0, len(pages))
		for _, p := range pages {
			list = append(list, g.URL(p))
		}
		slices.Sort(list)
		return list
	}
	r := partitionResult{Server: g.ServerName(partition.Server), Method: partition.Method, Sites: []siteResult{}, Orphans: urls(partition.Orphans)}
	for _, site := range partition.Sites {
		r.Pages += len(site.Tops) + len(site.Members)
		r.Sites = append(r.Sites, siteResult{Tops: urls(site.Tops), Members: urls(site.Members), Upper: []int{}})
	}
	slices.SortFunc(r.Sites, func(a, b siteResult) int { return strings.Compare(a.Tops[0], b.Tops[0]) })
	return r
}

// shownMembers bounds the members listed for a site on a terminal; --json has all.
const shownMembers = 10

func (p *program) printPartition(r partitionResult) error {
	w := bufio.NewWriter(p.stdout)
	fmt.Fprintf(w, "%s: %d pages in %d sites by method %s\n", r.Server, r.Pages, len(r.Sites), r.Method)
	for _, s := range r.Sites {
		fmt.Fprintf(w, "\n%s  (%d pages)\n", strings.Join(s.Tops, "\n"), len(s.Tops)+len(s.Members))
		for i, m := range s.Members {
			switch {
			case i == shownMembers:
				fmt.Fprintf(w, "  └─ and %d more (--json lists all)\n", len(s.Members)-i)
			case i < shownMembers && i == len(s.Members)-1:
				fmt.Fprintf(w, "  └─ %s\n", m)
			case i < shownMembers:
				fmt.Fprintf(w, "  ├─ %s\n", m)
			}
		}
	}
	return w.Flush()
}
