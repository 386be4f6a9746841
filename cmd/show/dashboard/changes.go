package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/watch"
)

const (
	feedPath = "/changes.atom"
	// pageChanges and feedChanges bound the changes on a page and in the feed.
	pageChanges = 15
	feedChanges = 50
)

// changesPage has changes with their words.
type changesPage struct {
	*view.Changes
	Stalled    string
	OnSchedule *bool
	Failing    string // "" if nothing fails
	Refresh    string // address of the updated list; "": it stays as it is
	Older      string // address of older changes; "": none
	Empty      string // text in place of an empty list
}

// home is the first page: the last changes.
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

// feedAddress returns the address of the feed of a server, or of all servers for "". It contains
// the token of the feed if a token is needed, as feed readers keep no cookie.
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

// feed writes the last changes, of all servers or of one, as an Atom feed. A change whose words are
// still sought comes later, as feed readers keep an entry as they first see it.
func (s *Server) feed(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerIn)
	defer cancel()
	server := r.FormValue("server")
	c, err := s.o.Desk.Changes(ctx, server, "", feedChanges)
	if err != nil {
		s.refuse(w, r, statusOf(err), err.Error())
		return
	}
	id := s.o.Desk.ID()
	f := watch.Atom{ID: urn(id, "changes "+server), Title: "Changes", Author: "recrawl",
		Related: s.scheme() + "://" + r.Host + "/"}
	if server != "" {
		f.Title = "Changes of " + server
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
			ID:   urn(id, fmt.Sprint("change ", x.Time.UnixNano(), " ", x.URL))})
	}
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		s.refuse(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Write(text.Bytes())
}

// urn returns the UUID of a name in the store with an ID (RFC 9562, 5.8), as a URN. It is the same
// at any address of the dashboard.
func urn(store [16]byte, name string) string {
	sum := sha256.Sum256(append(store[:], name...))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10],
		sum[10:16])
}
