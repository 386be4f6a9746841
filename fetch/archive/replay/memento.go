package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
)

// mostMementos limits the captures in a TimeMap to the last ones. A page captured each hour has as
// many in 11 years.
const mostMementos = 100_000

// timeGate redirects to the capture nearest to Accept-Datetime, or to the last one (RFC 7089
// 4.1.1).
func (s *Server) timeGate(w http.ResponseWriter, q *http.Request, address string) {
	h := w.Header()
	h.Set("Vary", "Accept-Datetime")
	at := time.Now()
	if text := q.Header.Get("Accept-Datetime"); text != "" {
		var err error
		if at, err = http.ParseTime(text); err != nil {
			s.serveError(w, http.StatusBadRequest, fmt.Sprintf(
				"Accept-Datetime: %.60q is not a date of HTTP like %s (RFC 7089 2.1.1).", text,
				time.Unix(0, 0).UTC().Format(http.TimeFormat)), address)
			return
		}
	}
	found := s.nearest(w, address, at, 1)
	if found == nil {
		return
	}
	c := found[0]
	h.Set("Link", relations(q.Host, c.URL, c.Time))
	h.Set("Location", place(c.Time, false, c.URL))
	w.WriteHeader(http.StatusFound)
}

// relations returns the Link field of a capture, and of redirects to it (RFC 7089 2.2).
func relations(host, address string, at time.Time) string {
	return fmt.Sprintf(`<%s>; rel="original", <%s>; rel="timegate", <%s>; rel="timemap"; `+
		`type="application/link-format", <%s>; rel="memento"; datetime="%s"`,
		safe(address), timeGateOf(host, address), timeMapOf(host, "link", address),
		mementoOf(host, address, at), at.UTC().Format(http.TimeFormat))
}

func timeGateOf(host, address string) string { return "http://" + host + "/web/" + safe(address) }

func timeMapOf(host, form, address string) string {
	return "http://" + host + "/web/timemap/" + form + "/" + safe(address)
}

func mementoOf(host, address string, at time.Time) string {
	return "http://" + host + place(at, false, address)
}

// timeMap lists the captures of a URL (RFC 7089 5): as links (RFC 6690), or as JSON.
func (s *Server) timeMap(w http.ResponseWriter, q *http.Request, rest string) {
	form, address, _ := strings.Cut(rest, "/")
	if address == "" || form != "link" && form != "json" {
		s.serveError(w, http.StatusNotFound, "TimeMaps are at /web/timemap/link/ADDRESS and "+
			"/web/timemap/json/ADDRESS.", "")
		return
	}
	address = addressOf(address)
	found := s.nearest(w, address, time.Now(), mostMementos)
	if found == nil {
		return
	}
	var err error
	if form == "json" {
		w.Header().Set("Content-Type", "application/json")
		err = jsonMap(w, q.Host, found)
	} else {
		w.Header().Set("Content-Type", "application/link-format")
		err = linkMap(w, q.Host, found)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client left
	}
}

// linkMap writes the TimeMap of captures of one URL, oldest first.
func linkMap(w http.ResponseWriter, host string, found []*archive.Capture) error {
	first, last := found[0], found[len(found)-1]
	_, err := fmt.Fprintf(w, "<%s>; rel=\"original\",\n<%s>; rel=\"timegate\",\n"+
		"<%s>; rel=\"self\"; type=\"application/link-format\"; from=\"%s\"; until=\"%s\"",
		safe(last.URL), timeGateOf(host, last.URL), timeMapOf(host, "link", last.URL),
		first.Time.UTC().Format(http.TimeFormat), last.Time.UTC().Format(http.TimeFormat))
	for i, c := range found {
		relation := "memento"
		if i == len(found)-1 {
			relation = "last " + relation
		}
		if i == 0 {
			relation = "first " + relation
		}
		_, bad := fmt.Fprintf(w, ",\n<%s>; rel=\"%s\"; datetime=\"%s\"", mementoOf(host, c.URL,
			c.Time), relation, c.Time.UTC().Format(http.TimeFormat))
		err = errors.Join(err, bad)
	}
	_, bad := fmt.Fprintln(w)
	return errors.Join(err, bad)
}

// jsonMap writes a TimeMap as JSON, in the form of Memento aggregators.
func jsonMap(w http.ResponseWriter, host string, found []*archive.Capture) error {
	type memento struct {
		Time time.Time `json:"datetime"`
		URI  string    `json:"uri"`
	}
	last := found[len(found)-1]
	all := make([]memento, len(found))
	for i, c := range found {
		all[i] = memento{c.Time.UTC(), mementoOf(host, c.URL, c.Time)}
	}
	return json.NewEncoder(w).Encode(map[string]any{
		"original_uri": last.URL,
		"timegate_uri": timeGateOf(host, last.URL),
		"timemap_uri": map[string]string{
			"link_format": timeMapOf(host, "link", last.URL),
			"json_format": timeMapOf(host, "json", last.URL)},
		"mementos": map[string]any{"first": all[0], "last": all[len(all)-1], "list": all},
	})
}
