package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// apiError is the body of an answer with an error.
type apiError struct {
	Error string `json:"error"`
}

// answer is the answer of a resource: a value for JSON, and its text if a command prints it.
type answer struct {
	value any
	text  func(io.Writer) error
}

// api has the routes of the API; openapi.yaml describes them.
func (s *Server) api(m *http.ServeMux) {
	d := s.o.Desk
	get := func(path string, within time.Duration,
		f func(context.Context, *http.Request) (answer, error)) {
		m.Handle("GET /api/v1/"+path, s.counted("/api/v1/"+path, s.slot(s.resource(within, f))))
	}
	change := func(method, path string, f func(context.Context, *http.Request) (answer, error)) {
		m.Handle(method+" /api/v1/"+path,
			s.counted("/api/v1/"+path, s.slot(s.resource(answerIn, f))))
	}
	get("now", answerIn, func(ctx context.Context, _ *http.Request) (answer, error) {
		v, err := d.Now(ctx)
		return answer{value: v}, err
	})
	get("activity", answerIn, func(_ context.Context, r *http.Request) (answer, error) {
		hours, err := whole(r, "hours", 24, 1, 24)
		step, failed := whole(r, "step", 10, 1, 60)
		return answer{value: d.Activity(hours, step)}, errors.Join(err, failed)
	})
	get("visits", answerIn, func(context.Context, *http.Request) (answer, error) {
		var v recent
		v.Visits, v.Failed = d.Visits()
		return answer{value: v}, nil
	})
	get("changes", answerIn, func(ctx context.Context, r *http.Request) (answer, error) {
		limit, bad := whole(r, "limit", pageChanges, 1, view.MostChanges)
		if bad != nil {
			return answer{}, bad
		}
		v, err := d.Changes(ctx, r.FormValue("server"), r.FormValue("after"), limit)
		return answer{value: v}, err
	})
	get("freshness", answerIn, func(context.Context, *http.Request) (answer, error) {
		return answer{value: d.Freshness()}, nil
	})
	get("due", answerIn, func(context.Context, *http.Request) (answer, error) {
		return answer{value: d.DueTimes()}, nil
	})
	get("servers", answerIn, func(_ context.Context, r *http.Request) (answer, error) {
		q, err := serversQuery(r)
		return answer{value: d.Servers(q)}, err
	})
	get("servers/{server}", answerIn, func(ctx context.Context, r *http.Request) (answer, error) {
		v, err := d.Server(ctx, r.PathValue("server"))
		return answer{value: v}, err
	})
	get("servers/{server}/pages", answerIn, func(ctx context.Context, r *http.Request) (answer,
		error) {
		v, err := s.pagesOf(ctx, r)
		return answer{value: v}, err
	})
	get("servers/{server}/signals", answerIn, func(ctx context.Context, r *http.Request) (answer,
		error) {
		v, err := d.Signals(ctx, r.PathValue("server"))
		return answer{value: signals{v}}, err
	})
	get("servers/{server}/sites", answerIn, s.sites)
	get("page", searchIn, func(ctx context.Context, r *http.Request) (answer, error) {
		v, err := d.Page(ctx, r.FormValue("url"), r.FormValue("estimates") != "false")
		if err != nil {
			return answer{}, err
		}
		return answer{value: v, text: tables(v.Says, v.Tables())}, nil
	})
	get("page/visits", searchIn, func(ctx context.Context, r *http.Request) (answer, error) {
		limit, bad := whole(r, "limit", 100, 1, journal.MostFound)
		if bad != nil {
			return answer{}, bad
		}
		v, err := d.PageVisits(ctx, r.FormValue("url"), limit)
		return answer{value: v}, err
	})
	get("page/diff", searchIn, func(_ context.Context, r *http.Request) (answer, error) {
		kind := r.FormValue("of")
		if kind == "" {
			kind = "text"
		}
		if !slices.Contains(archive.DifferenceKinds, kind) {
			return answer{}, badRequest("of", kind, "one of "+strings.Join(archive.DifferenceKinds,
				", "))
		}
		v, err := d.Diff(r.Context(), r.FormValue("url"), kind)
		if err != nil {
			return answer{}, err
		}
		return answer{
			value: v,
			text:  func(w io.Writer) error { return inside.DifferenceText(v, w) },
		}, nil
	})
	get("plan", answerIn, s.planned)
	get("inspect", answerIn, func(ctx context.Context, _ *http.Request) (answer, error) {
		v, err := d.Inspect(ctx)
		if err != nil {
			return answer{}, err
		}
		return answer{value: v, text: pageText(v.Page())}, nil
	})
	get("journal", searchIn, func(ctx context.Context, r *http.Request) (answer, error) {
		q, err := journalQuery(r)
		if err != nil {
			return answer{}, err
		}
		v, err := d.Journal(ctx, q)
		return answer{value: v}, err
	})
	get("search", searchIn, func(ctx context.Context, r *http.Request) (answer, error) {
		v, err := s.find(ctx, r)
		if err != nil {
			return answer{}, err
		}
		return answer{value: v, text: func(w io.Writer) error { return v.Text(w) }}, nil
	})
	get("settings", answerIn, func(context.Context, *http.Request) (answer, error) {
		return answer{value: s.settings()}, nil
	})
	change("PUT", "settings", func(ctx context.Context, r *http.Request) (answer, error) {
		var v view.Settings
		if err := readJSON(r, &v); err != nil {
			return answer{}, err
		}
		err := d.Change(ctx, v)
		return answer{value: s.settings()}, err
	})
	change("POST", "hints", func(ctx context.Context, r *http.Request) (answer, error) {
		var v struct {
			URLs []string `json:"urls"`
		}
		if err := readJSON(r, &v); err != nil {
			return answer{}, err
		}
		n, err := d.Hint(ctx, v.URLs)
		return answer{value: hinted{n}}, err
	})
	m.HandleFunc("GET /api/v1/openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		text, _ := files.ReadFile("openapi.yaml") // it is embedded
		w.Header().Set("Content-Type", "application/yaml")
		w.Write(text)
	})
	m.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound,
			apiError{"no such resource: /api/v1/openapi.yaml names all"})
	})
}

// recent has the last visits.
type recent struct {
	Visits []view.Visit `json:"visits"` // the newest first
	Failed []view.Visit `json:"failed"` // the last failed ones, also earlier ones
}

type signals struct {
	Signals []view.Signal `json:"signals"` // of the largest sites
}

// hinted counts the pages that are visited before others.
type hinted struct {
	Asked int `json:"asked"`
}

// allSettings has the settings that can be changed, and those of the command line.
type allSettings struct {
	view.Settings
	Given []string `json:"given_weights"` // of the command line
	Live  bool     `json:"live"`          // false: nothing can be changed
}

func (s *Server) settings() allSettings {
	given := s.o.Desk.GivenWeights()
	if given == nil {
		given = []string{}
	}
	return allSettings{s.o.Desk.Settings(), given, s.o.Desk.Live()}
}

func (s *Server) sites(ctx context.Context, r *http.Request) (answer, error) {
	method := r.FormValue("method")
	if method == "" {
		method = "a"
	}
	if !slices.Contains(sitegraph.PartitionMethods(), method) {
		return answer{}, badRequest("method", method,
			"one of "+strings.Join(sitegraph.PartitionMethods(), ", "))
	}
	v, err := s.o.Desk.Sites(ctx, r.PathValue("server"), method)
	if err != nil {
		return answer{}, err
	}
	return answer{
		value: v.Result,
		text:  func(w io.Writer) error { return present.SitesText(v, w) },
	}, nil
}

func (s *Server) planned(ctx context.Context, r *http.Request) (answer, error) {
	n, err := whole(r, "n", 20, 1, view.MostPlanned)
	if err != nil {
		return answer{}, err
	}
	kind := r.FormValue("report")
	if kind != "true" && kind != "list" {
		v, err := s.o.Desk.Plan(ctx, n)
		return answer{value: v}, err
	}
	v, err := s.o.Desk.Report(ctx, n)
	if err != nil {
		return answer{}, err
	}
	if kind == "list" {
		return answer{value: v.Visits}, nil
	}
	return answer{value: v, text: tables(v.Finding(), v.Tables())}, nil
}

func (s *Server) pagesOf(ctx context.Context, r *http.Request) (*view.PageList, error) {
	offset, err := whole(r, "offset", 0, 0, 1<<31)
	limit, bad := whole(r, "limit", 50, 1, 1000)
	column := r.FormValue("sort")
	if column != "" && !slices.Contains(view.PageColumns, column) {
		bad = badRequest("sort", column, "one of "+strings.Join(view.PageColumns, ", "))
	}
	if err = errors.Join(err, bad); err != nil {
		return nil, err
	}
	return s.o.Desk.Pages(ctx, r.PathValue("server"), r.FormValue("q"), column,
		r.FormValue("order") == "desc", offset, limit)
}

func serversQuery(r *http.Request) (q view.ServersQuery, err error) {
	q = view.ServersQuery{Search: r.FormValue("q"), Sort: r.FormValue("sort"),
		Descending: r.FormValue("order") == "desc"}
	if q.Sort != "" && !slices.Contains(view.ServerColumns, q.Sort) {
		return q, badRequest("sort", q.Sort, "one of "+strings.Join(view.ServerColumns, ", "))
	}
	var bad error
	q.Offset, err = whole(r, "offset", 0, 0, 1<<31)
	q.Limit, bad = whole(r, "limit", 50, 1, 1000)
	return q, errors.Join(err, bad)
}

func journalQuery(r *http.Request) (q journal.Query, err error) {
	q = journal.Query{Text: r.FormValue("q"), URL: r.FormValue("url"),
		Server: r.FormValue("server"), Verdict: r.FormValue("verdict"),
		Outcome: r.FormValue("outcome"), After: r.FormValue("after")}
	if q.Limit, err = whole(r, "limit", 100, 1, journal.MostFound); err != nil {
		return q, err
	}
	if q.From, err = moment(r, "from"); err == nil {
		q.Until, err = moment(r, "until")
	}
	return q, err
}

// moment reads a day or a moment of RFC 3339; without a value it returns the zero time.
func moment(r *http.Request, name string) (t time.Time, err error) {
	text := r.FormValue(name)
	if text == "" {
		return t, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, badRequest(name, text, "a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z")
}

// requestError is a mistake in a request.
type requestError struct{ why string }

func (e *requestError) Error() string { return e.why }

func badRequest(name, value, want string) error {
	return &requestError{fmt.Sprintf("%s %q: want %s", name, value, want)}
}

// whole reads a number of a request.
func whole(r *http.Request, name string, usual, least, most int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return usual, badRequest(name, text, fmt.Sprintf("%d to %d", least, most))
	}
	return n, nil
}

func readJSON(r *http.Request, v any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return &requestError{"the body must be application/json"}
	}
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		return &requestError{"the body cannot be read: " + err.Error()}
	}
	return nil
}

// resource answers as JSON, or as text if a client asks for it.
func (s *Server) resource(within time.Duration,
	f func(context.Context, *http.Request) (answer, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		a, err := f(ctx, r)
		if err != nil {
			s.refuse(w, r, statusOf(err), err.Error())
			return
		}
		accept := r.Header.Get("Accept")
		switch {
		case a.text != nil && strings.HasPrefix(accept, "text/plain"):
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			err = a.text(w)
		default:
			writeJSON(w, http.StatusOK, a.value)
		}
		if err != nil {
			s.o.Log.Debug("answer cut", "path", r.URL.Path, "err", err)
		}
	})
}

// statusOf returns the status of an answer with an error.
func statusOf(err error) int {
	var request *requestError
	var query *query.Error
	switch {
	case errors.As(err, &request), errors.As(err, &query), errors.Is(err, view.ErrSettings),
		errors.Is(err, journal.ErrCursor):
		return http.StatusBadRequest
	case errors.Is(err, view.ErrUnknown), errors.Is(err, view.ErrNoArchive),
		errors.Is(err, archive.ErrNoPage), errors.Is(err, errNoPage), errors.Is(err, errNoCorpus),
		errors.Is(err, archive.ErrNoFiles):
		return http.StatusNotFound
	case errors.Is(err, view.ErrReadOnly):
		return http.StatusConflict
	case errors.Is(err, view.ErrBusy), errors.Is(err, view.ErrEnded),
		errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// tables writes a finding and tables with empty lines between them, as commands print them.
func tables(finding string, list []report.Table) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, finding); err != nil {
			return err
		}
		for _, t := range list {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
			if err := t.Text(w); err != nil {
				return err
			}
		}
		return nil
	}
}

// pageText writes a report as commands print it.
func pageText(p report.Page) func(io.Writer) error {
	return func(w io.Writer) error {
		if p.Finding != "" {
			if _, err := fmt.Fprintf(w, "%s\n\n", p.Finding); err != nil {
				return err
			}
		}
		for _, section := range p.Sections {
			for _, t := range section.Tables {
				if t.PageOnly {
					continue
				}
				if err := t.Text(w); err != nil {
					return err
				}
				if _, err := io.WriteString(w, "\n"); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// pageAddress and serverAddress return the addresses of the pages of a page and a server.
func pageAddress(u string) string      { return "/page?url=" + url.QueryEscape(u) }
func serverAddress(name string) string { return "/servers/" + url.PathEscape(name) }
