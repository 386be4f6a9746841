package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/watch"
)

const (
	feedPath = "/changes.atom"
	// pageChanges are those of a page, and feedChanges those of the feed.
	pageChanges = 15
	feedChanges = 50
)

// changesPage are changes with their words.
type changesPage struct {
	*view.Changes
	Stalled    string
	OnSchedule *bool
	Failing    string // "" if nothing fails
	Refresh    string // where the list is anew; "": it stays as it is
	Older      string // where it goes on; "": it is at its end
	Empty      string // what is said instead of a list
}

// home is the first page: what changed lately.
func (s *Server) home(r *http.Request) (*content, error) {
	p, err := s.changes(r)
	if err != nil {
		return nil, err
	}
	now, err := s.o.Desk.Now(r.Context())
	if err != nil {
		return nil, err
	}
	p.Stalled, p.OnSchedule = now.Stalled, now.OnSchedule
	if now.Total.Failed > 0 {
		p.Failing = fmt.Sprintf("%d of %d visits failed", now.Total.Failed, now.Total.Visits)
	}
	if r.FormValue("after") == "" {
		if p.Older == "" {
			p.Empty = now.Finding
		}
		if now.Live {
			p.Refresh = "/changes"
		}
	}
	finding := p.Finding
	if !now.Live {
		finding = "This crawl is not running. " + finding
	}
	return &content{name: "home", Title: "What changed lately", Finding: finding, Data: p}, nil
}

func (s *Server) changesFragment(r *http.Request) (any, error) { return s.changes(r) }

func (s *Server) changes(r *http.Request) (*changesPage, error) {
	c, err := s.o.Desk.Changes(r.Context(), "", r.FormValue("after"), pageChanges)
	if err != nil {
		return nil, err
	}
	p := &changesPage{Changes: c, Empty: c.Finding}
	if c.Next != "" {
		p.Older = "/?" + url.Values{"after": {c.Next}}.Encode()
	}
	return p, nil
}

// feedAddress is that of the feed of a server, "" for all. It has the token of the feed where one
// is asked for: readers of feeds keep no cookie.
func (s *Server) feedAddress(server string) string {
	q := url.Values{}
	if server != "" {
		q.Set("server", server)
	}
	if s.token != "" {
		q.Set("token", s.feedToken())
	}
	return (&url.URL{Path: feedPath, RawQuery: q.Encode()}).String()
}

// feed writes the last changes, all or those of a server, as an Atom feed. Those whose words are
// still looked for come later: readers keep an entry as they first see it.
func (s *Server) feed(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerIn)
	defer cancel()
	server := r.FormValue("server")
	c, err := s.o.Desk.Changes(ctx, server, "", feedChanges)
	if err != nil {
		s.refuse(w, r, statusOf(err), err.Error())
		return
	}
	base := s.scheme() + "://" + r.Host
	f := watch.Atom{ID: base + feedPath, Title: "Changes", Author: "recrawl", Related: base + "/"}
	if server != "" {
		f.ID, f.Title = f.ID+"?"+url.Values{"server": {server}}.Encode(), "Changes of "+server
	}
	for _, x := range c.Changes {
		if x.Pending {
			continue
		}
		text := x.Without
		if x.Words != nil {
			text = x.Words.Text()
		}
		title := x.Title
		if title == "" {
			title = x.URL
		}
		f.Entries = append(f.Entries, watch.AtomEntry{Title: title, Link: x.URL, Text: text,
			Time: x.Time,
			ID:   fmt.Sprintf("%s%s&t=%d", base, pageAddress(x.URL), x.Time.UnixNano())})
	}
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		s.refuse(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Write(text.Bytes())
}
