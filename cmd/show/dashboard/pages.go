package dashboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// content is the content of a page.
type content struct {
	name    string // of the template; "": the first part of the path
	Title   string
	Finding string // the result in a sentence
	Said    string // the outcome of a form
	Data    any

	// The layout uses these.
	Active string // path of the page in the navigation
	Form   string // token of forms
	Live   bool
	Corpus bool   // there is a corpus to search
	Feed   string // address of the feed of changes
	Query  string // of the search
}

var errNoPage = errors.New("there is no such page")

// contextFor returns a context that ends after a time.
func contextFor(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

// parsePages reads all templates: each page with the layout, and each fragment.
func parsePages() (map[string]*template.Template, error) {
	pages := map[string]*template.Template{}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base == "layout" {
			continue
		}
		t, err := template.New(base).Funcs(helpers).ParseFS(files, "templates/layout.html", name)
		if err != nil {
			return nil, fmt.Errorf("dashboard: template %s: %w", base, err)
		}
		pages[base] = t
	}
	return pages, nil
}

// helpers are the functions for templates.
var helpers = template.FuncMap{
	"n":   func(v any) string { return words.Grouped(toInt(v)) },
	"pct": func(v float64) string { return percent(v) },
	"share": func(v *float64) string {
		if v == nil {
			return "–"
		}
		return percent(*v)
	},
	"sig":     func(v float64) string { return words.Significant(v, 3) },
	"counted": view.Counted,
	"p":       probability,
	"span":    secondsText,
	"ago":     func(t any) string { return ago(t, time.Now()) },
	"utc":     utc,
	"iso":     iso,
	"page":    pageAddress,
	"server":  serverAddress,
	"bytes":   byteSize,
	"isZero":  func(t time.Time) bool { return t.Year() < 1971 },
	"add":     func(a, b int) int { return a + b },
	"short":   shorten,
	"dict":    dict,
	"list":    func(v ...any) []any { return v },
	"deref":   func(v any) any { return reflect.ValueOf(v).Elem().Interface() },
	"trim":    strings.TrimSpace,
	"bare": func(url string) string {
		_, rest, _ := strings.Cut(url, "://")
		return rest
	},
	"sentence": func(text string) string {
		first, size := utf8.DecodeRuneInString(text)
		return string(unicode.ToUpper(first)) + text[size:]
	},
	"due":     dueLabel,
	"verdict": verdictClass,
	"weighty": func(logOdds float64) bool { return math.Abs(logOdds) >= 0.01 },
	"days": func(days float64) string {
		return shortSpan(time.Duration(days * float64(24*time.Hour)))
	},
}

func toInt(v any) int64 {
	switch x := v.(type) {
	case int:
		return int64(x)
	case int64:
		return x
	case *int:
		return int64(*x)
	case uint32:
		return int64(x)
	case uint8:
		return int64(x)
	}
	return 0
}

func percent(v float64) string {
	switch v *= 100; {
	case v == 0, v == 100:
		return fmt.Sprintf("%.0f %%", v)
	case v < 1, v > 99:
		return fmt.Sprintf("%.2f %%", v)
	}
	return fmt.Sprintf("%.1f %%", v)
}

func probability(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *v)
}

func instant(v any) (t time.Time) {
	switch x := v.(type) {
	case time.Time:
		t = x
	case *time.Time:
		if x != nil {
			t = *x
		}
	}
	return t
}

// ago returns how long ago a moment was, or the time until it comes.
func ago(v any, now time.Time) string {
	t := instant(v)
	switch d := now.Sub(t); {
	case t.Year() < 1971:
		return "–"
	case d < 0 && d > -time.Second, d >= 0 && d < time.Second:
		return "now"
	case d < 0:
		return "in " + shortSpan(-d)
	default:
		return shortSpan(d) + " ago"
	}
}

// secondsText returns a time in seconds, with a fraction if it is significant.
func secondsText(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.3g s", seconds)
	}
	return shortSpan(time.Duration(seconds * float64(time.Second)))
}

// shortSpan returns a time in a suitable unit, for narrow columns.
func shortSpan(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

func utc(v any) string {
	if t := instant(v); t.Year() >= 1971 {
		return t.UTC().Format("2006-01-02 15:04:05")
	}
	return "–"
}

func iso(v any) string { return instant(v).UTC().Format(time.RFC3339) }

func byteSize(v any) string {
	b := float64(toInt(v))
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if b < 1000 {
			return fmt.Sprintf("%.3g %s", b, unit)
		}
		b /= 1000
	}
	return fmt.Sprintf("%.4g TB", b)
}

// shorten leaves out the middle of a long text.
func shorten(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:most*2/3]) + "…" + string(r[len(r)-most/3:])
}

// dict makes a map of names and values.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, errors.New("dict wants pairs")
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, errors.New("dict wants names")
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

func dueLabel(b view.DueBucket) string {
	switch {
	case b.From.IsZero():
		return "due"
	case b.Until.IsZero():
		return "later"
	case b.Until.Sub(b.From) <= time.Hour:
		return b.From.Format("02 Jan 15:04")
	}
	return b.From.Format("02 Jan")
}

// verdictClass returns the style class of the result of a visit.
func verdictClass(verdict string) string {
	switch verdict {
	case sitegraph.VerdictChanged.String(), sitegraph.VerdictFirst.String(),
		sitegraph.VerdictUnchanged.String(), sitegraph.VerdictLeft.String():
		return "v-" + verdict
	case sitegraph.VerdictDoubted.String():
		return "v-left"
	case sitegraph.VerdictBaseline.String():
		return "v-unchanged"
	}
	return "v-failed"
}

// page answers with a page.
func (s *Server) page(f func(*http.Request) (*content, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), answerIn)
		defer cancel()
		c, err := f(r.WithContext(ctx))
		if err != nil {
			s.refuse(w, r, statusOf(err), err.Error())
			return
		}
		c.Active = "/" + strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 2)[0]
		s.write(w, http.StatusOK, c.name, c)
	})
}

// write writes a whole page, or nothing of it.
func (s *Server) write(w http.ResponseWriter, status int, name string, c *content) {
	c.Form, c.Live, c.Corpus = s.form, s.o.Desk.Live(), s.o.Corpus != nil
	if c.Feed = feedPath; name != "refused" { // a refused client may not see the token of the feed
		c.Feed = s.feedAddress("")
	}
	var text bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&text, "layout", c); err != nil {
		s.o.Log.Error("page cannot be made", "page", name, "err", err)
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

// fragment answers with a part of a page, which the page loads later.
func (s *Server) fragment(name string, f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), searchIn)
		defer cancel()
		v, err := f(r.WithContext(ctx))
		c := &content{Title: name, Data: v}
		if err != nil {
			c.Said = err.Error()
		}
		if r.Header.Get("X-Fragment") == "" { // a browser without scripts gets a page of its own
			s.write(w, http.StatusOK, name, c)
			return
		}
		var text bytes.Buffer
		if err := s.pages[name].ExecuteTemplate(&text, "content", c); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(text.Bytes())
	})
}

func assets() http.Handler {
	below, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err) // they are embedded
	}
	next := http.StripPrefix("/assets", http.FileServerFS(below))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, max-age=300")
		next.ServeHTTP(w, r)
	})
}

type healthPage struct {
	*view.Now
	Causes         []view.Cause
	Visits, Failed []view.Visit
	Activity       *view.Activity
	Fresh          *view.Freshness
	Budget         string
	Hours, Step    int // of the chart
}

// chartSpan returns how many hours the chart of a run of some age shows, and the minutes of a step.
func chartSpan(age time.Duration) (hours, step int) {
	switch {
	case age < time.Hour:
		return 1, 1
	case age < 6*time.Hour:
		return 6, 5
	}
	return 24, 10
}

// health shows whether the run is on schedule, and the failures.
func (s *Server) health(r *http.Request) (*content, error) {
	now, err := s.o.Desk.Now(r.Context())
	if err != nil {
		return nil, err
	}
	p := healthPage{Now: now, Causes: now.Causes(), Activity: s.o.Desk.Activity(24, 60),
		Fresh:  s.o.Desk.Freshness(),
		Budget: s.o.Desk.Budget()}
	p.Hours, p.Step = chartSpan(now.At.Sub(now.Began))
	p.Visits, p.Failed = s.o.Desk.Visits()
	p.Visits, p.Failed = p.Visits[:min(len(p.Visits), eventVisits)],
		p.Failed[:min(len(p.Failed), eventVisits)]
	return &content{name: "health", Title: "Health", Finding: now.Finding, Data: p}, nil
}

func (s *Server) freshness(*http.Request) (*content, error) {
	f := s.o.Desk.Freshness()
	return &content{name: "freshness", Title: "Freshness", Finding: f.Finding, Data: f}, nil
}

func (s *Server) due(*http.Request) (*content, error) {
	d := s.o.Desk.DueTimes()
	return &content{name: "due", Title: "Due times", Finding: d.Finding, Data: d}, nil
}

// listPage is a part of a list that can be sorted and searched.
type listPage struct {
	List   any
	Query  string
	Sort   string
	Order  string
	Server string // server of the pages
	Looked int    // number of searched pages
	From   int    // number of the first shown row, from 1
	To     int
	Found  int
	Known  int
	base   string
	limit  int
	offset int
}

// Link returns the address of the list sorted by a column: ascending, or descending if it is
// already ascending.
func (p listPage) Link(column string) string {
	order := "desc"
	if p.Sort == column && p.Order == "desc" || column == "server" && p.Sort != column ||
		column == "url" && p.Sort != column {
		order = "asc"
	}
	return p.at(column, order, 0)
}

// Aria returns the aria-sort of a column.
func (p listPage) Aria(column string) string {
	switch {
	case p.Sort != column:
		return "none"
	case p.Order == "desc":
		return "descending"
	}
	return "ascending"
}

func (p listPage) at(column, order string, offset int) string {
	q := url.Values{"sort": {column}, "order": {order}}
	if p.Query != "" {
		q.Set("q", p.Query)
	}
	if offset > 0 {
		q.Set("offset", fmt.Sprint(offset))
	}
	return p.base + "?" + q.Encode()
}

// Before and After return the addresses of the parts before and after this one; "": none.
func (p listPage) Before() string {
	if p.offset == 0 {
		return ""
	}
	return p.at(p.Sort, p.Order, max(p.offset-p.limit, 0))
}

func (p listPage) After() string {
	if p.offset+p.limit >= p.Found {
		return ""
	}
	return p.at(p.Sort, p.Order, p.offset+p.limit)
}

func (s *Server) servers(r *http.Request) (*content, error) {
	q, err := serversQuery(r)
	if err != nil {
		return nil, err
	}
	if q.Sort == "" {
		q.Sort, q.Descending = "overdue", true
	}
	l := s.o.Desk.Servers(q)
	p := listPage{List: l.Servers, Query: q.Search, Sort: q.Sort, Order: orderOf(q.Descending),
		Found: l.Found, Known: l.Known,
		base: "/servers", limit: q.Limit, offset: q.Offset}
	p.From, p.To = min(l.Offset+1, l.Found), l.Offset+len(l.Servers)
	finding := view.Counted(l.Known, "server") + " known."
	if q.Search != "" {
		finding = fmt.Sprintf("%s of %s servers have %q in their names.",
			words.Grouped(int64(l.Found)), words.Grouped(int64(l.Known)), q.Search)
	}
	return &content{name: "servers", Title: "Servers", Finding: finding, Data: p}, nil
}

func orderOf(descending bool) string {
	if descending {
		return "desc"
	}
	return "asc"
}

type serverPage struct {
	*view.Server
	Pages *listPage // nil: the list comes later
	Query string    // of the list
	Feed  string    // address of the feed of its changes
}

// server shows a server. The pages of a small server are on the page; those of a large one are
// loaded later.
func (s *Server) server(r *http.Request) (*content, error) {
	v, err := s.o.Desk.Server(r.Context(), r.PathValue("server"))
	if err != nil {
		return nil, err
	}
	p := serverPage{Server: v, Query: r.URL.RawQuery, Feed: s.feedAddress(v.Name)}
	if v.Quick() {
		if p.Pages, err = s.listOf(r); err != nil {
			return nil, err
		}
	}
	return &content{name: "server", Title: v.Name, Finding: v.Finding, Data: p}, nil
}

// listOf returns the list of pages of a server, the most changes first unless the request names
// another order.
func (s *Server) listOf(r *http.Request) (*listPage, error) {
	if r.FormValue("sort") == "" {
		q := r.URL.Query()
		q.Set("sort", "changes")
		q.Set("order", "desc")
		r.URL.RawQuery, r.Form = q.Encode(), nil
	}
	l, err := s.pagesOf(r.Context(), r)
	if err != nil {
		return nil, err
	}
	p := &listPage{List: l.Pages, Query: r.FormValue("q"), Sort: r.FormValue("sort"),
		Order: r.FormValue("order"), Found: l.Found, Known: l.Known,
		Server: l.Server, Looked: l.Looked, base: serverAddress(l.Server), limit: 50,
		offset: l.Offset}
	p.From, p.To = min(l.Offset+1, l.Found), l.Offset+len(l.Pages)
	return p, nil
}

func (s *Server) pagesFragment(r *http.Request) (any, error) {
	p, err := s.listOf(r)
	if err != nil {
		return nil, err // not a typed nil
	}
	return p, nil
}

type sitesPage struct {
	Server  string
	Method  string
	All     []string
	Sites   int
	Orphans int
	Pages   int
	Left    int // number of pages that were not looked at
	Signals []view.Signal
	Largest []siteRow
}

type siteRow struct {
	Top   string
	Tops  int
	Pages int
}

const shownSites = 25

func (s *Server) sitesFragment(r *http.Request) (any, error) {
	method := r.FormValue("method")
	if !slices.Contains(sitegraph.PartitionMethods(), method) {
		method = "a"
	}
	server := r.PathValue("server")
	d, left, err := s.o.Desk.SitesShown(r.Context(), server, method)
	if err != nil {
		return nil, err
	}
	p := sitesPage{Server: d.Result.Server, Method: method, All: sitegraph.PartitionMethods(),
		Sites: len(d.Result.Sites), Orphans: len(d.Result.Orphans),
		Pages: d.Result.Pages, Left: left}
	for _, site := range d.Result.Sites {
		p.Largest = append(p.Largest,
			siteRow{site.Tops[0], len(site.Tops), len(site.Tops) + len(site.Members)})
	}
	slices.SortStableFunc(p.Largest, func(a, b siteRow) int { return b.Pages - a.Pages })
	p.Largest = p.Largest[:min(len(p.Largest), shownSites)]
	p.Signals, err = s.o.Desk.Signals(r.Context(), server)
	return p, err
}

func (s *Server) onePage(r *http.Request) (*content, error) {
	if r.FormValue("url") == "" {
		return nil, badRequest("url", "", "the address of a page")
	}
	p, err := s.o.Desk.Page(r.Context(), r.FormValue("url"), false)
	if err != nil {
		return nil, err
	}
	return &content{name: "page", Title: p.URL, Finding: p.Says, Data: p}, nil
}

func (s *Server) estimatesFragment(r *http.Request) (any, error) {
	return s.o.Desk.Page(r.Context(), r.FormValue("url"), true)
}

type visitsPage struct {
	*journal.Found
	URL string
}

func (s *Server) visitsFragment(r *http.Request) (any, error) {
	v, err := s.o.Desk.PageVisits(r.Context(), r.FormValue("url"), 200)
	return visitsPage{v, r.FormValue("url")}, err
}

func (s *Server) diffFragment(r *http.Request) (any, error) {
	d, err := s.o.Desk.Diff(r.Context(), r.FormValue("url"), "text")
	if err != nil {
		return nil, err
	}
	return diffOf(d), nil
}

func (s *Server) plan(r *http.Request) (*content, error) {
	n, err := whole(r, "n", 100, 1, view.MostPlanned)
	if err != nil {
		return nil, err
	}
	p, err := s.o.Desk.Plan(r.Context(), n)
	if err != nil {
		return nil, err
	}
	return &content{name: "plan", Title: "Plan", Finding: p.Finding, Data: p}, nil
}

type journalPage struct {
	*journal.Found
	Query journal.Query
	Raw   url.Values
	Next  string // link
}

func (s *Server) journal(r *http.Request) (*content, error) {
	q, err := journalQuery(r)
	if err != nil {
		return nil, err
	}
	q.MostBytes = 256 << 20 // for one page of results; the next one goes on
	found, err := s.o.Desk.Journal(r.Context(), q)
	if err != nil {
		return nil, err
	}
	p := journalPage{Found: found, Query: q, Raw: r.URL.Query()}
	if found.Next != "" {
		next := url.Values{}
		for k, v := range p.Raw {
			next[k] = v
		}
		next.Set("after", found.Next)
		p.Next = "/journal?" + next.Encode()
	}
	finding := fmt.Sprintf("%s found", words.Plural(len(found.Entries), "visit"))
	switch {
	case found.Next != "":
		finding += fmt.Sprintf(", read back to %s; there are older ones.",
			found.Back.Format(time.DateOnly))
	case found.Back.IsZero():
		finding = "There is no journal yet."
	default:
		finding += "; the journal was read to its beginning."
	}
	return &content{name: "journal", Title: "Journal", Finding: finding, Data: p}, nil
}

// goTo finds the text of the search field: an address, a server, or a part of a server's name.
func (s *Server) goTo(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.FormValue("q"))
	to := "/servers?" + url.Values{"q": {text}}.Encode()
	if u, err := sitegraph.Canonical(text); err == nil {
		to = pageAddress(u)
	} else if _, err := s.o.Desk.Server(r.Context(), text); err == nil && text != "" {
		to = serverAddress(text)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

type hintsPage struct {
	allSettings
	WeightText string
}

func (s *Server) hintsContent(said string) *content {
	a := s.settings()
	finding := "URLs that are visited now, priorities, and paused servers."
	if !a.Live {
		finding = "This store is only read: nothing can be changed here."
	}
	return &content{name: "hints", Title: "Hints", Finding: finding, Said: said, Active: "/hints",
		Data: hintsPage{a, strings.Join(a.Weights, "\n")}}
}

func (s *Server) hints(r *http.Request) (*content, error) { return s.hintsContent(""), nil }

// postHints applies one of the forms.
func (s *Server) postHints(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerIn)
	defer cancel()
	settings := s.o.Desk.Settings()
	said, err := "", error(nil)
	server := strings.ToLower(strings.TrimSpace(r.PostFormValue("server")))
	switch r.PostFormValue("do") {
	case "hint":
		var n int
		if n, err = s.o.Desk.Hint(ctx, strings.Fields(r.PostFormValue("urls"))); err == nil {
			said = words.Plural(n, "page") + " will be visited now, before all others."
		}
	case "weights":
		settings.Weights = lines(r.PostFormValue("weights"))
		if err = s.o.Desk.Change(ctx, settings); err == nil {
			said = "The weights hold from the next round on."
		}
	case "rest":
		settings.Resting = append(settings.Resting, server)
		if err = s.o.Desk.Change(ctx, settings); err == nil {
			said = server + " is paused."
		}
	case "wake":
		settings.Resting = slices.DeleteFunc(settings.Resting, func(n string) bool {
			return n == server
		})
		if err = s.o.Desk.Change(ctx, settings); err == nil {
			said = server + " is visited again."
		}
	default:
		err = badRequest("do", r.PostFormValue("do"), "hint, weights, rest or wake")
	}
	status := http.StatusOK
	if err != nil {
		status, said = statusOf(err), err.Error()
	}
	c := s.hintsContent(said)
	s.write(w, status, c.name, c)
}

func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
