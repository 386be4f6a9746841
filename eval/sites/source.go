package sites

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Source is a server whose pages are to be divided.
type Source struct {
	Graph  *sitegraph.Graph
	Server sitegraph.ServerID
	Base   int // weeks after the start of the window; 0 for a planner's data
	State  string
	InUse  string // method by which a policy divides the server; "": not known
	Counts func(sitegraph.PageID) bool
	Apart  int // pages that exist but are not reached from the top page
}

// UnknownServerError says that a server is not among those known.
type UnknownServerError struct {
	Server string
	Known  []string
}

func (e *UnknownServerError) Error() string {
	return fmt.Sprintf("server %q is not known", e.Server)
}

// ServerOf takes an address for its server; what is none names a server itself.
func ServerOf(argument string) string {
	if address, err := sitegraph.Canonical(argument); err == nil {
		return sitegraph.ServerName(address)
	}
	return argument
}

// UsedBy notes how a policy divides the server, if it does. A round of it has begun.
func (s *Source) UsedBy(policy planner.Policy) {
	if sited, ok := policy.(planner.Sited); ok {
		s.InUse, _, _ = sited.Division(s.Server)
	}
}

// Known is a server as a planner knows it: the pages that it has a copy of count.
func Known(corpus *planner.Pages, server string) (*Source, error) {
	graph := corpus.Graph
	graph.Refresh()
	id, ok := graph.LookupServer(server)
	if !ok {
		unknown := &UnknownServerError{Server: server}
		for s := range sitegraph.ServerID(graph.Servers()) {
			unknown.Known = append(unknown.Known, graph.ServerName(s))
		}
		return nil, unknown
	}
	s := &Source{Graph: graph, Server: id, State: "as the planner knows it",
		Counts: func(page sitegraph.PageID) bool {
			return corpus.Memory(page).State == sitegraph.StateAlive
		}}
	for _, page := range graph.ServerPages(id) {
		if s.Counts(page) && graph.Depth(page) == 0 {
			s.Apart++
		}
	}
	return s, nil
}

// Recorded is one of the servers, which were read from a file or directory, as it stood at the
// base, in weeks: the pages that are reached from its top page count. Errors are an
// *UnknownServerError, an *eval.EntryError, or a *history.Error if the server tells of no links.
func Recorded(
	ctx context.Context, servers []*history.Server, file, server string, base int,
	change sitegraph.ChangeBy,
) (*Source, error) {
	i := slices.IndexFunc(servers, func(s *history.Server) bool { return s.Name == server })
	if i < 0 {
		unknown := &UnknownServerError{Server: server}
		for _, s := range servers {
			unknown.Known = append(unknown.Known, s.Name)
		}
		return nil, unknown
	}
	alive, linked := 0, false
	for _, page := range servers[i].Pages {
		if v := page.At(servers[i].Week(base)); v.Alive() {
			alive++
			linked = linked || len(v.Links)+len(v.Frames) > 0
		}
	}
	if err := eval.CheckEntry(servers[i], base); err != nil {
		return nil, err
	}
	if alive > 1 && !linked {
		return nil, &history.Error{
			File: file,
			Reason: fmt.Sprintf("none of the %d pages of %s has a link at week %d, and sites are "+
				"found by links",
				alive, server, base),
			Hint: `record the addresses that each page links to, as "links":["http://..."]`,
		}
	}
	o := eval.Options{Base: time.Duration(base) * 7 * 24 * time.Hour, Change: change}
	corpus, err := eval.NewDataset(ctx, servers[i:i+1], o)
	if err != nil {
		return nil, err
	}
	id, ok := corpus.Graph().LookupServer(server)
	if !ok {
		return nil, fmt.Errorf("recrawl: the graph of %s does not know it", server)
	}
	return &Source{Graph: corpus.Graph(), Server: id, Base: base, State: fmt.Sprintf("week %d",
		base),
		Counts: corpus.IsBase, Apart: max(0, alive-len(corpus.Pages))}, nil
}
