package urlfrontier

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

const (
	mostBody    = 16 << 20 // bytes of the body of a request
	mostHeader  = 16 << 10
	mostLease   = 7 * 24 * 60 * 60 // seconds
	requestTime = time.Minute
)

// Next is the body of POST /v1/next, a request for URLs. frontier.Request explains the
// fields.
type Next struct {
	Crawl        string `json:"crawl"`
	AnyCrawl     bool   `json:"any_crawl"`
	Key          string `json:"key"`
	Queues       int    `json:"queues"`
	PerQueue     int    `json:"per_queue"`
	LeaseSeconds int    `json:"lease_seconds"`
}

// Address is a URL of a queue, with its metadata.
type Address struct {
	URL      string              `json:"url"`
	Key      string              `json:"key,omitempty"`
	Crawl    string              `json:"crawl,omitempty"`
	Metadata map[string][]string `json:"metadata,omitempty"`
}

// Given is the answer to Next: the URLs to fetch.
type Given struct {
	URLs []Address `json:"urls"`
}

// Outcome is the result of fetching a URL.
type Outcome struct {
	Address
	Status   int       `json:"status"`
	Digest   string    `json:"digest"`
	Modified string    `json:"modified"` // as in Last-Modified, or RFC 3339
	Location string    `json:"location"`
	Size     int64     `json:"size"`
	Time     time.Time `json:"time"`
	// Links lists the links of the page. The frontier adds those to the host of the page.
	Links []string `json:"links"`
	// Again is the earliest time of the next fetch; nil: recrawl chooses. Never: no next fetch.
	Again *time.Time `json:"again"`
	Never bool       `json:"never"`
}

// Outcomes is the body of POST /v1/outcomes: results of fetches, and discovered URLs.
type Outcomes struct {
	Outcomes   []Outcome `json:"outcomes"`
	Discovered []Address `json:"discovered"`
}

// Taken is the answer to Outcomes: a status for each outcome and each discovered URL, and the
// number of new links.
type Taken struct {
	Outcomes   []string `json:"outcomes"`
	Discovered []string `json:"discovered"`
	NewLinks   int      `json:"new_links"`
}

var statusNamesOf = [...]string{frontier.Stored: "stored", frontier.Skipped: "skipped",
	frontier.Failed: "failed"}

// handler returns a handler of the API by HTTP with JSON.
func (s *service) handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/next", answer(s.next))
	mux.HandleFunc("POST /v1/outcomes", answer(s.outcomes))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")),
			[]byte("Bearer "+token)) != 1 {
			refuse(w, http.StatusUnauthorized,
				errors.New("the request has no valid token: send Authorization: Bearer TOKEN"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// answer returns a handler that decodes JSON, calls a function and encodes its result. It refuses
// unknown fields, which may be misspelt. It wants the content type application/json, because a
// browser sends that to another site only if the site allows it.
func answer[In, Out any](call func(In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := mime.ParseMediaType(
			r.Header.Get("Content-Type")); kind != "application/json" {
			refuse(w, http.StatusUnsupportedMediaType,
				errors.New("the content type must be application/json"))
			return
		}
		var in In
		d := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody))
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		out, err := call(in)
		var bad badRequest
		switch {
		case errors.As(err, &bad):
			refuse(w, http.StatusBadRequest, err)
		case err != nil:
			refuse(w, http.StatusServiceUnavailable, err)
		default:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(out)
		}
	}
}

type badRequest struct{ error }

func refuse(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func (s *service) next(n Next) (Given, error) {
	given := Given{URLs: []Address{}}
	if n.Queues < 0 || n.PerQueue < 0 || n.LeaseSeconds < 0 || n.LeaseSeconds > mostLease {
		return given, badRequest{fmt.Errorf("want queues and per_queue of 0 or more, and "+
			"lease_seconds of 0 to %d", mostLease)}
	}
	items, err := s.frontier.Get(frontier.Request{
		Crawl: n.Crawl, AnyCrawl: n.AnyCrawl, Key: n.Key, Queues: n.Queues, PerQueue: n.PerQueue,
		Lease: time.Duration(n.LeaseSeconds) * time.Second,
	}, s.now())
	if err != nil {
		return given, err
	}
	for i := range items {
		info, err := urlInfo(&items[i])
		if err != nil {
			return given, err
		}
		a := Address{URL: info.Url, Key: info.Key, Crawl: info.CrawlID}
		for name, values := range info.Metadata {
			if a.Metadata == nil {
				a.Metadata = map[string][]string{}
			}
			a.Metadata[name] = values.Values
		}
		given.URLs = append(given.URLs, a)
	}
	return given, nil
}

// item converts a URL for the frontier.
func (a *Address) item() (frontier.Item, error) {
	it := frontier.Item{Crawl: a.Crawl, Key: a.Key, URL: a.URL}
	if len(a.Metadata) == 0 {
		return it, nil
	}
	m := map[string]*pb.StringList{}
	for name, values := range a.Metadata {
		m[name] = &pb.StringList{Values: values}
	}
	var err error
	if it.Metadata, err = marshal(m); err != nil {
		return it, badRequest{fmt.Errorf("metadata of %q: %w", a.URL, err)}
	}
	return it, nil
}

func (s *service) outcomes(in Outcomes) (Taken, error) {
	taken := Taken{Outcomes: []string{}, Discovered: []string{}}
	var items, links []frontier.Item
	for i := range in.Outcomes {
		o := &in.Outcomes[i]
		it, err := o.item()
		if err != nil {
			return taken, err
		}
		it.Known = true
		switch {
		case o.Never:
		case o.Again != nil:
			it.Date = *o.Again
		default:
			it.Ask = true
		}
		if o.Status != 0 || o.Digest != "" {
			it.Outcome = &frontier.Outcome{
				Time: o.Time, Status: o.Status, Digest: o.Digest, Modified: modified(o.Modified),
				Location: o.Location,
				Size:     o.Size, Links: o.Links,
			}
		}
		items = append(items, it)
		host := frontier.HostOf(o.URL)
		for _, link := range o.Links {
			if frontier.HostOf(link) == host {
				links = append(links, frontier.Item{Crawl: o.Crawl, Key: o.Key, URL: link})
			}
		}
	}
	for i := range in.Discovered {
		it, err := in.Discovered[i].item()
		if err != nil {
			return taken, err
		}
		items = append(items, it)
	}
	statuses, wait, err := s.frontier.Put(append(items, links...), s.now())
	if err != nil {
		return taken, err
	}
	if err := wait(); err != nil {
		return taken, err
	}
	for i, status := range statuses {
		switch {
		case i < len(in.Outcomes):
			taken.Outcomes = append(taken.Outcomes, statusNamesOf[status])
		case i < len(items):
			taken.Discovered = append(taken.Discovered, statusNamesOf[status])
		case status == frontier.Stored:
			taken.NewLinks++
		}
	}
	return taken, nil
}
