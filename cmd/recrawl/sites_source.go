package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// siteSource reads the server from a history or from what a planner knows.
func (p *program) siteSource(ctx context.Context, server string) (*sites.Source, error) {
	if p.config.Data != "" {
		return p.knownServer(server)
	}
	return p.recordedServer(ctx, server)
}

// knownServer is a server as a stopped planner knows it.
func (p *program) knownServer(server string) (*sites.Source, error) {
	o, err := p.open(true)
	if err != nil {
		return nil, err
	}
	defer o.store.Close() // nothing was written
	graph := o.corpus.Graph
	graph.Refresh()
	id, ok := graph.LookupServer(server)
	if !ok {
		var names []string
		for s := range sitegraph.ServerID(graph.Servers()) {
			names = append(names, graph.ServerName(s))
		}
		return nil, unknownServer(server, p.config.Data, names)
	}
	s := &sites.Source{Graph: graph, Server: id, State: "as the planner knows it",
		Counts: func(page sitegraph.PageID) bool { return o.corpus.Memory(page).State == sitegraph.StateAlive }}
	for _, page := range graph.ServerPages(id) {
		if s.Counts(page) && graph.Depth(page) == 0 {
			s.Apart++
		}
	}
	return s, nil
}

// recordedServer is a server as it stood at the base.
func (p *program) recordedServer(ctx context.Context, name string) (*sites.Source, error) {
	c := &p.config.Sites
	servers, err := history.ReadFiles(ctx, []string{historyOf(c.History, name)}, nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(servers, func(s *history.Server) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range servers {
			names = append(names, s.Name)
		}
		return nil, unknownServer(name, c.History, names)
	}
	server := servers[i]
	alive, linked := 0, false
	for _, page := range server.Pages {
		if v := page.At(atWeek(server, c.Base)); v.Alive() {
			alive++
			linked = linked || len(v.Links)+len(v.Frames) > 0
		}
	}
	if err := topPageThere(server, c.Base); err != nil {
		return nil, err
	}
	if alive > 1 && !linked {
		return nil, &history.Error{File: c.History,
			Reason: fmt.Sprintf("none of the %d pages of %s has a link at week %d, and sites are found by links", alive, name, c.Base),
			Hint:   `record the addresses that each page links to, as "links":["http://..."]`}
	}
	corpus, err := eval.NewCorpus(ctx, servers[i:i+1], eval.Options{Base: time.Duration(c.Base) * week, Change: p.config.changeBy()})
	if err != nil {
		return nil, err
	}
	id, ok := corpus.Graph().LookupServer(name)
	if !ok {
		return nil, fmt.Errorf("recrawl: the graph of %s does not know it", name)
	}
	return &sites.Source{Graph: corpus.Graph(), Server: id, Base: c.Base, State: fmt.Sprintf("week %d", c.Base),
		Counts: corpus.IsBase, Apart: max(0, alive-len(corpus.Pages))}, nil
}

// historyOf spares reading a whole directory where a file in it has the server's name.
func historyOf(path, server string) string {
	if filepath.Base(server) != server {
		return path
	}
	for _, ending := range []string{".jsonl.gz", ".jsonl"} {
		file := filepath.Join(path, server+ending)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return path // reading it will say what is wrong
		}
	}
	return path
}

func atWeek(s *history.Server, weeks int) int64 {
	return s.T0 + int64((time.Duration(weeks) * week).Seconds())
}

// topPageThere refuses a server whose top page, where it is entered, does not exist at the
// base, and finds out when it does.
func topPageThere(s *history.Server, base int) error {
	scheme := "http"
	if len(s.Pages) > 0 {
		scheme, _, _ = strings.Cut(s.Pages[0].URL, "://")
	}
	top := scheme + "://" + s.Name + "/"
	page := s.Page(top)
	if page == nil {
		return usageError{fmt.Errorf("the history of %s has no top page %s", s.Name, top), "a server is entered at its top page, and depths are counted from there"}
	}
	if page.At(atWeek(s, base)).Alive() {
		return nil
	}
	for w := range 60 {
		if page.At(atWeek(s, w)).Alive() {
			return usageError{fmt.Errorf("the top page of %s does not exist at week %d", s.Name, base), fmt.Sprintf("it does at week %d: --base %d", w, w)}
		}
	}
	return usageError{fmt.Errorf("the top page of %s exists at no week of the window", s.Name), "a server is entered at its top page, and depths are counted from there"}
}
