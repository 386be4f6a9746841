package replay

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// frame is a page around a capture: a banner, and a frame in which the capture runs.
type frame struct {
	URL, Moment, Day       string
	Earlier, EarlierDay    string // Earlier is the path of the capture before, or "".
	Later, LaterDay        string
	Number, Count          int
	Change                 string // since the capture before
	Changes                string // path of the changes; "": none
	All, Frame             string
	Inside, Sandbox, Nonce string
}

//go:embed frame.html
var frameText string

var frames = template.Must(template.New("").Parse(frameText))

//go:embed inside.js
var insideScript []byte

const insideName = "replay.js"

// newKey returns an unguessable key.
func newKey() string { return rand.Text() }

// inside returns the prefix of the paths at which captures run. It contains the key of the server,
// so that no page of the live web can request them.
func (s *Server) inside() string { return "/in/" + s.key + "/" }

// serveFrame serves the banner of a capture, and a frame for the capture itself.
func (s *Server) serveFrame(w http.ResponseWriter, host string, c *archive.Capture) {
	all, err := s.r.Of(c.URL, c.Time, mostListed)
	if err != nil {
		s.serveError(w, http.StatusInternalServerError, err.Error(), c.URL)
		return
	}
	stamp, day := archive.Stamp(c.Time), "2 January 2006, 15:04 MST"
	p := frame{URL: c.URL, Moment: c.Time.UTC().Format(time.RFC3339),
		Day: c.Time.UTC().Format(day), All: "/web/*/" + safe(c.URL), Count: len(all),
		Frame: s.inside() + stamp + "/" + safe(c.URL), Inside: s.inside(), Nonce: newKey()}
	if !s.Still {
		p.Sandbox = "allow-scripts"
	}
	at := slices.IndexFunc(all,
		func(x *archive.Capture) bool { return archive.Stamp(x.Time) == stamp })
	p.Number = at + 1
	if at > 0 {
		before := all[at-1]
		p.Earlier, p.EarlierDay = place(before.Time, false, before.URL),
			before.Time.UTC().Format(day)
		p.Change = "the same as then"
		if !s.isSame(before, c) {
			p.Change = "changed since"
			p.Changes = "/changes/" + stamp + "/" + safe(c.URL)
		}
	}
	if at >= 0 && at+1 < len(all) {
		next := all[at+1]
		p.Later, p.LaterDay = place(next.Time, false, next.URL), next.Time.UTC().Format(day)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Memento-Datetime", c.Time.UTC().Format(http.TimeFormat))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-src http://"+host+s.inside()+
		"; style-src 'nonce-"+p.Nonce+"'; script-src 'nonce-"+p.Nonce+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_ = frames.Execute(w, p) // an error of the connection does not matter
}

// isSame reports whether two consecutive captures have the same body, according to the index.
func (s *Server) isSame(before, c *archive.Capture) bool {
	if c.Status == "304" && c.RefersDate == "" { // other writers omit the reference
		return before.Status == "200" || before.Status == "203" || before.Status == "304"
	}
	url, date := bodyOf(c)
	urlBefore, dateBefore := bodyOf(before)
	return url == urlBefore && date == dateBefore ||
		c.Status != "304" && c.Digest != "" && c.Digest == before.Digest
}

// bodyOf identifies the record with the body of a capture.
func bodyOf(c *archive.Capture) (url, date string) {
	if c.MIME == archive.Revisit && c.RefersDate != "" {
		return c.RefersURI, c.RefersDate
	}
	return c.URL, c.Date
}

// asideWithin is how long after the visit of a page its requisites may be captured.
const asideWithin = 24 * time.Hour

// mostNear limits the captures among which one is selected for a requisite.
const mostNear = 100

// shownAt returns the capture of a URL at a moment for a destination of a browser (Fetch, 2.2.5),
// or nil. For a page it is the nearest. For a requisite it is the last one up to asideWithin after
// at, because later ones may have changed; if there is none, the first.
func (s *Server) shownAt(address string, at time.Time, destination string) (*archive.Capture,
	error) {
	most := mostNear
	switch destination {
	case "", "document", "iframe", "frame":
		most = 1
	}
	found, err := s.r.Of(address, at, most)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	best := found[0]
	for _, c := range found {
		if !c.Time.After(at.Add(asideWithin)) {
			best = c
		}
	}
	return best, nil
}

// serveInside serves the content of the frame: /in/KEY/MOMENT/URL, for any moment.
func (s *Server) serveInside(w http.ResponseWriter, q *http.Request, rest string) {
	h := w.Header()
	h.Set("Content-Security-Policy", s.policyInside(q.Host))
	h.Set("Access-Control-Allow-Origin", "*") // a client with the key is in the frame
	h.Del("X-Content-Type-Options")           // the server of the page did not send it
	if rest == insideName {
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(insideScript)
		return
	}
	when, address, _ := strings.Cut(rest, "/")
	at, err := archive.ParseStamp(when)
	if err != nil || address == "" {
		http.NotFound(w, q)
		return
	}
	destination := q.Header.Get("Sec-Fetch-Dest")
	if destination == "document" { // outside a frame nothing would confine a capture
		h.Set("Location", place(at, false, addressOf(address)))
		w.WriteHeader(http.StatusFound)
		return
	}
	c, err := s.shownAt(addressOf(address), at, destination)
	if err != nil || c == nil {
		http.Error(w, "the archive has no capture of this address", http.StatusNotFound)
		return
	}
	answer, err := s.r.Answer(c)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	lead := leading{prefix: s.inside(), at: at}
	if extract.IsHTML(answer.Get("Content-Type")) {
		lead.at = c.Time
		if !s.Still {
			lead.script = s.inside() + insideName
		}
	}
	s.serveAnswer(w, q, answer, lead)
}

// policyInside returns the content security policy for the content of a frame. Scripts run in a
// sandbox without an origin, and can request only captures. They cannot leave the frame either
// (frame-src of serveFrame).
func (s *Server) policyInside(host string) string {
	in := " http://" + host + s.inside()
	scripts, sandbox := "; script-src"+in+" 'unsafe-inline' 'unsafe-eval' blob:; connect-src"+in,
		"sandbox allow-scripts"
	if s.Still {
		scripts, sandbox = "", "sandbox"
	}
	return sandbox + "; default-src 'none'; img-src" + in + " data: blob:; media-src" + in +
		" data: blob:; font-src" + in + " data: blob:; style-src" + in + " 'unsafe-inline'" +
		scripts + "; frame-src" + in + "; webrtc 'block'; base-uri 'none'; form-action 'none'"
}

// serveChanges shows the difference between a capture and the one before: /changes/MOMENT/URL.
func (s *Server) serveChanges(ctx context.Context, w http.ResponseWriter, when, address string) {
	at, err := archive.ParseStamp(when)
	var all []*archive.Capture
	if err == nil {
		all, err = s.r.Of(address, at, mostListed)
	}
	if err != nil {
		s.serveError(w, http.StatusBadRequest, err.Error(), "")
		return
	}
	now := slices.IndexFunc(all,
		func(c *archive.Capture) bool { return archive.Stamp(c.Time) == when })
	if now < 1 {
		s.serveError(w, http.StatusNotFound, "There is no capture before this one.", address)
		return
	}
	result, err := archive.Compare(ctx, s.r, address,
		[]string{archive.Stamp(all[now-1].Time), when}, "text", at, nil)
	if err != nil {
		s.serveError(w, http.StatusBadGateway, err.Error(), address)
		return
	}
	p := page{Title: "What changed at " + address, Back: place(all[now].Time, false, address),
		BackName: "the capture", Pieces: result.Pieces,
		Text: fmt.Sprintf("From %s to %s: %s removed, %s added. Pictures and styles are not compared.",
			result.Old.Time.UTC().Format(time.RFC3339), result.New.Time.UTC().Format(time.RFC3339),
			words.Plural(result.Removed, "word"), words.Plural(result.Added, "word"))}
	s.show(w, http.StatusOK, p)
}
