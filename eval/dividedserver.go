package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// DividedServer is a server to divide into sites [LINK 4], shown as a tree of text, a map, or lists
// in JSON. It comes from recorded histories at a base (RecordedServer), or from a planner
// (KnownServer).
//
// Divide makes a Division of its pages that count, by one of sitegraph.PartitionMethods. Terms are
// those of sitegraph. All lists are sorted by URL, so that equal pages and links give the same
// output from both sources.
//
// It changes neither histories nor a planner's memory. One goroutine uses a DividedServer.
type DividedServer struct {
	Graph  *sitegraph.Graph
	Server sitegraph.ServerID
	Base   int // weeks after the start of the window; 0 for a planner's data
	State  string
	InUse  string // method by which a policy divides the server; "": not known
	Counts func(sitegraph.PageID) bool
	Apart  int // pages that exist and cannot be reached from the top page
}

// UnknownServerError is returned for an unknown server.
type UnknownServerError struct {
	Server string
	Known  []string
}

func (e *UnknownServerError) Error() string {
	return fmt.Sprintf("server %q is not known", e.Server)
}

// ServerOf returns the server of a URL. An argument that is no URL is itself a server.
func ServerOf(argument string) string {
	if address, err := sitegraph.Canonical(argument); err == nil {
		return sitegraph.ServerName(address)
	}
	return argument
}

// UsedBy notes how a policy divides the server, once a round of it has started.
func (s *DividedServer) UsedBy(policy planner.Policy) {
	if sited, ok := policy.(planner.Sited); ok {
		s.InUse, _, _ = sited.Division(s.Server)
	}
}

// KnownServer returns a server as a planner knows it. The pages with a copy count.
func KnownServer(pages *planner.Pages, server string) (*DividedServer, error) {
	graph := pages.Graph
	graph.Refresh()
	id, ok := graph.LookupServer(server)
	if !ok {
		unknown := &UnknownServerError{Server: server}
		for s := range sitegraph.ServerID(graph.Servers()) {
			unknown.Known = append(unknown.Known, graph.ServerName(s))
		}
		return nil, unknown
	}
	s := &DividedServer{Graph: graph, Server: id, State: "as the planner knows it",
		Counts: func(page sitegraph.PageID) bool {
			return pages.Memory(page).State == sitegraph.StateAlive
		}}
	for _, page := range graph.ServerPages(id) {
		if s.Counts(page) && graph.Depth(page) == 0 {
			s.Apart++
		}
	}
	return s, nil
}

// RecordedServer returns a server of recorded histories as it was in week base. The pages that can
// be reached from its top page count. Errors are an *UnknownServerError, an *EntryError, or a
// *history.Error if the server has no links.
func RecordedServer(
	ctx context.Context, servers []*history.Server, file, server string, base int,
	change sitegraph.ChangeBy,
) (*DividedServer, error) {
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
	if err := CheckEntry(servers[i], base); err != nil {
		return nil, err
	}
	if alive > 1 && !linked {
		return nil, &history.Error{
			File: file,
			Reason: fmt.Sprintf("none of the %d pages of %s has a link at week %d, and sites are "+
				"found by links",
				alive, server, base),
			Advice: `record the addresses that each page links to, as "links":["http://..."]`,
		}
	}
	o := Options{Base: time.Duration(base) * 7 * 24 * time.Hour, Change: change}
	corpus, err := NewDataset(ctx, servers[i:i+1], o)
	if err != nil {
		return nil, err
	}
	id, ok := corpus.Graph().LookupServer(server)
	if !ok {
		return nil, fmt.Errorf("recrawl: the graph of %s does not know it", server)
	}
	return &DividedServer{Graph: corpus.Graph(), Server: id, Base: base,
		State: fmt.Sprintf("week %d",
			base),
		Counts: corpus.IsBase, Apart: max(0, alive-len(corpus.Pages))}, nil
}
