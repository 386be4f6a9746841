package replay

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Server serves an archive.
type Server struct {
	// Still forbids scripts of captures. Set it before the first request.
	Still bool

	r   *archive.Reader
	key string // of the paths at which captures run
}

// New returns a server for the archive of a reader.
func New(r *archive.Reader) *Server { return &Server{r: r, key: newKey()} }

// ErrNotLoopback refuses an address that other machines could reach.
var ErrNotLoopback = words.Hint(
	errors.New("it is not an address of loopback, for example 127.0.0.1:8088"),
	"replay serves this machine only: --listen 127.0.0.1:8088", words.ExitMisuse)

// Listen listens at an address of loopback ("127.0.0.1:8088"; port 0 means any).
func Listen(address string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("listen at %q: %w", address, ErrNotLoopback)
	}
	l, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", address, words.Hint(err, words.FreePort,
			words.ExitMisuse))
	}
	return l, nil
}

// Run serves an archive at an address until ctx ends. scripts permits scripts of captures. Once it
// listens it writes the URL to says.
func Run(ctx context.Context, r *archive.Reader, address string, scripts bool,
	says io.Writer) error {
	l, err := Listen(address)
	if err != nil {
		return err
	}
	fmt.Fprintf(says, "http://%s/\n", l.Addr())
	s := New(r)
	s.Still = !scripts
	return s.Serve(ctx, l)
}

// Serve answers requests until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return fmt.Errorf("serve the archive: %w", err)
	}
	return ctx.Err()
}

// policy returns the content security policy of every answer of a host. Its sandbox has no
// exceptions: no scripts, forms or automatic actions such as refreshes.
func policy(host string) string {
	web := "http://" + host + "/web/"
	return "sandbox; default-src 'none'; img-src " + web + " data:; media-src " + web +
		" data:; font-src " + web +
		" data:; style-src " + web + " 'unsafe-inline'; frame-src " + web +
		"; base-uri 'none'; form-action 'none'"
}

// here are the names of loopback.
var here = access.OwnNamesAt(nil)

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-DNS-Prefetch-Control", "off")
	if !here.Has(q.Host) {
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		http.Error(w, "this server answers to names of loopback only",
			http.StatusMisdirectedRequest)
		return
	}
	h.Set("Content-Security-Policy", policy(q.Host))
	if q.Method != http.MethodGet && q.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "an archive is read only", http.StatusMethodNotAllowed)
		return
	}
	if inside, ok := strings.CutPrefix(q.URL.RequestURI(), s.inside()); ok {
		s.serveInside(w, q, inside)
		return
	}
	if of, ok := strings.CutPrefix(q.URL.RequestURI(), "/changes/"); ok {
		when, address, _ := strings.Cut(of, "/")
		s.serveChanges(q.Context(), w, when, addressOf(address))
		return
	}
	rest, isWeb := strings.CutPrefix(q.URL.RequestURI(), "/web/")
	when, address, ok := strings.Cut(rest, "/")
	switch {
	case isWeb && strings.HasSuffix(q.Header.Get("Sec-Fetch-Dest"), "script"):
		http.Error(w, "a capture runs only in the frame of its page", http.StatusForbidden)
	case q.URL.Path == "/":
		s.serveStart(w)
	case q.URL.Path == "/cdx" || q.URL.Path == "/cdx/search/cdx":
		s.serveIndex(w, q)
	case !isWeb || !ok || address == "":
		s.serveError(w, http.StatusNotFound,
			"Nothing is here. Pages are at /web/MOMENT/ADDRESS, for example /web/2026/https://example.org/.",
			"")
	case when == "timemap":
		s.timeMap(w, q, address)
	case isPlace(rest):
		s.timeGate(w, q, addressOf(rest))
	case when == "*":
		s.serveList(w, addressOf(address))
	default:
		s.serveCapture(w, q, when, addressOf(address))
	}
}

// isPlace reports whether the path after /web/ is a URL without a moment.
func isPlace(rest string) bool {
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "http"), "s")
	return strings.HasPrefix(rest, ":/") || strings.HasPrefix(strings.ToLower(rest), "%3a/")
}

// addressOf returns the URL in a path. Its scheme may be missing, one of its slashes lost, or its
// colon escaped by some clients.
func addressOf(text string) string {
	for _, scheme := range []string{"http", "https"} {
		for _, colon := range []string{":", "%3A", "%3a"} {
			if rest, ok := strings.CutPrefix(text, scheme+colon+"/"); ok {
				text = scheme + "://" + strings.TrimLeft(rest, "/")
			}
		}
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	if canonical, err := sitegraph.Canonical(text); err == nil {
		return canonical
	}
	return text
}

// mostListed limits the captures that are read or listed.
const mostListed = 1000

func (s *Server) serveCapture(w http.ResponseWriter, q *http.Request, when, address string) {
	text, exact := strings.CutSuffix(when, "id_")
	at, err := archive.ParseStamp(text)
	if err != nil {
		s.serveError(w, http.StatusBadRequest, err.Error(), "")
		return
	}
	found := s.nearest(w, address, at, 1)
	if found == nil {
		return
	}
	c := found[0]
	if archive.Stamp(c.Time) != text || addressOf(c.URL) != address {
		w.Header().Set("Location", place(c.Time, exact, c.URL))
		w.WriteHeader(http.StatusFound)
		return
	}
	answer, err := s.r.Answer(c)
	if err != nil {
		s.serveError(w, http.StatusBadGateway, err.Error(), address)
		return
	}
	if !exact && q.Header.Get("Sec-Fetch-Dest") == "document" && answer.Status < 300 &&
		extract.IsHTML(answer.Get("Content-Type")) {
		s.serveFrame(w, q.Host, c) // a person looks at it
		return
	}
	s.serveAnswer(w, q, answer, leading{prefix: "/web/", at: c.Time, exact: exact})
}

// leading configures how URLs in a capture are rewritten.
type leading struct {
	prefix string // path before the moment
	at     time.Time
	exact  bool   // URLs stay unchanged
	script string // path of the script before a page; "": none
}

// to returns the path of a URL's capture.
func (l leading) to(address string) string {
	if l.exact {
		return place(l.at, true, address)
	}
	return l.prefix + archive.Stamp(l.at) + "/" + safe(address)
}

// nearest returns at least one capture of a URL, like archive.Reader.Of. If there is none, it
// answers so and returns nil.
func (s *Server) nearest(w http.ResponseWriter, address string, at time.Time, most int) (
	found []*archive.Capture) {
	found, err := s.r.Of(address, at, most)
	switch {
	case err != nil:
		s.serveError(w, http.StatusInternalServerError, err.Error(), address)
		return nil
	case len(found) == 0:
		s.serveError(w, http.StatusNotFound, "The archive has no capture of this address.", address)
		return nil
	}
	return found
}

// place returns the path of a capture.
func place(at time.Time, exact bool, address string) string {
	prefix := "/web/" + archive.Stamp(at) + "/"
	if exact {
		prefix = "/web/" + archive.Stamp(at) + "id_/"
	}
	return prefix + safe(address)
}

// safe returns a URL without characters that a path or header cannot have.
func safe(address string) string {
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (s *Server) serveAnswer(w http.ResponseWriter, q *http.Request, a *archive.Answer,
	lead leading) {
	c := a.Capture
	h := w.Header()
	h.Set("Memento-Datetime", c.Time.UTC().Format(http.TimeFormat))
	h.Set("Link", relations(q.Host, c.URL, c.Time))
	if a.Cut != "" {
		h.Set("X-Archive-Truncated", a.Cut)
	}
	if a.Status >= 300 && a.Status < 400 {
		if to, err := absolute(c.URL, a.Get("Location")); err == nil && to != "" {
			h.Set("Location", lead.to(to))
		}
	}
	contentType := a.Get("Content-Type")
	for _, name := range []string{"Content-Type", "Content-Language"} {
		if value := a.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	if contentType == "" {
		h.Set("Content-Type", "application/octet-stream") // types are never guessed
	}
	body, coding := a.Body, a.Get("Content-Encoding")
	if !lead.exact {
		if text, err := a.Text(archive.MostBody); err == nil || len(text) > 0 {
			body, coding = rewrite(text, contentType, c.URL, lead), ""
		}
	}
	if coding != "" && a.IsCoded() {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	status := a.Status
	if status < 200 || status > 599 || status == http.StatusNotModified {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	if q.Method != http.MethodHead {
		w.Write(body)
	}
}

// absolute resolves a URL, or returns "" if it leads to no page.
func absolute(base, address string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u, err := b.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", err
	}
	return u.String(), nil
}

var pages = template.Must(template.New("").Parse(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{{.Title}}</title>
<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td{padding:0 1em 0 0}</style>
<h1>{{.Title}}</h1><p>{{.Text}}</p>{{if .Back}}<p><a href="{{.Back}}">{{.BackName}}</a></p>{{end}}
{{if .Pieces}}<p style="white-space:pre-wrap">{{range .Pieces}}{{if eq .Of "added"}}<ins>{{.Text}}</ins> {{else if eq .Of "removed"}}<del>{{.Text}}</del> {{else}}{{.Text}} {{end}}{{end}}</p>{{end}}
{{if .Rows}}<table>{{range .Rows}}<tr><td><a href="{{.Path}}">{{.Name}}</a><td>{{.Status}}<td>{{.Kind}}</tr>
{{end}}</table>{{end}}`))

type row struct{ Path, Name, Status, Kind string }

type page struct {
	Title, Text, Back, BackName string
	Rows                        []row
	Pieces                      []archive.DifferencePiece
}

func (s *Server) show(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// An error of the connection does not matter.
	_ = pages.Execute(w, p)
}

func (s *Server) serveError(w http.ResponseWriter, status int, text, address string) {
	p := page{Title: http.StatusText(status), Text: text}
	if address != "" {
		p.Text = address + ": " + text
	}
	s.show(w, status, p)
}

func (s *Server) serveList(w http.ResponseWriter, address string) {
	found, err := s.r.Of(address, time.Now(), mostListed)
	if err != nil {
		s.serveError(w, http.StatusInternalServerError, err.Error(), address)
		return
	}
	p := page{Title: "Captures of " + address,
		Text: fmt.Sprintf("%d captures; at most the last %d are shown.", len(found), mostListed)}
	status := http.StatusOK
	if len(found) == 0 {
		status = http.StatusNotFound
	}
	for _, c := range found {
		p.Rows = append(p.Rows, row{place(c.Time, false, c.URL), c.Time.UTC().Format(time.RFC3339),
			c.Status, c.MIME})
	}
	s.show(w, status, p)
}

// serveStart lists the first pages by key.
func (s *Server) serveStart(w http.ResponseWriter) {
	p := page{Title: "Archive",
		Text: fmt.Sprintf("Pages are at /web/MOMENT/ADDRESS. These are the first %d.", mostListed)}
	last := ""
	err := s.r.Each(func(c *archive.Capture) error {
		_, err := sitegraph.Canonical(c.URL)
		if err == nil && c.URL != last && c.MIME != archive.Revisit &&
			!archive.IsShown(c.URL, c.MIME) {
			p.Rows = append(p.Rows, row{"/web/*/" + safe(c.URL), c.URL, c.Status, c.MIME})
			last = c.URL
		}
		if len(p.Rows) == mostListed {
			return io.EOF
		}
		return nil
	})
	if err != nil && err != io.EOF {
		s.serveError(w, http.StatusInternalServerError, err.Error(), "")
		return
	}
	s.show(w, http.StatusOK, p)
}
