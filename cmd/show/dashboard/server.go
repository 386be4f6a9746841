package dashboard

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Options of a server.
type Options struct {
	Desk    *view.Desk
	Address string         // host:port; an empty host is loopback
	Data    string         // directory in which commands find the server
	Version string         // version of the program
	Corpus  query.Searcher // searches the corpus; nil: none
	PProf   bool           // serve profiles at /debug/pprof/
	// Certificate and CertificateKey are PEM files for TLS; "": none.
	Certificate, CertificateKey string
	// Names are further names of this machine in requests, beside its addresses and the host of
	// Address.
	Names []string
	Log   *slog.Logger
}

// Logger writes lines of text or JSON. A quiet program writes only errors.
func Logger(w io.Writer, format string, quiet bool) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if quiet {
		o.Level = slog.LevelWarn
	}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// DefaultAddress is the address of serve.
const DefaultAddress = "127.0.0.1:8089"

// ErrListen is the error of an address at which the server cannot listen.
var ErrListen = words.Hint(errors.New("cannot listen"),
	words.FreePort, words.ExitMisuse)

// Server serves the dashboard.
type Server struct {
	o        Options
	listener net.Listener
	http     *http.Server
	pages    map[string]*template.Template
	metrics  http.Handler
	requests *requestMetrics
	slots    chan struct{} // of requests under way
	events   *events
	secret   string // for commands of this machine's user
	token    string // for everybody, beyond loopback; "": no token is needed
	form     string // of forms
	loopback bool
	names    *access.OwnNames
	tls      bool
	stop     context.CancelFunc
}

const (
	mostRequests = 64
	mostBody     = 1 << 20
	// answerIn bounds the time of most answers, searchIn the time of answers that read much.
	answerIn = 10 * time.Second
	searchIn = 30 * time.Second
)

// New listens at the address. Serve begins to answer.
func New(o Options) (*Server, error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w at %q: want an address as %s",
			ErrListen, o.Address, DefaultAddress)
	}
	s := &Server{o: o, slots: make(chan struct{}, mostRequests), secret: random(), form: random()}
	if s.o.Log == nil {
		s.o.Log = slog.New(slog.DiscardHandler)
	}
	if s.pages, err = parsePages(); err != nil {
		return nil, err
	}
	config, err := access.TLSConfig(o.Certificate, o.CertificateKey)
	if err != nil {
		return nil, err
	}
	s.tls = config != nil
	s.listener, err = net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("%w at %s: %w", ErrListen, o.Address, err)
	}
	bound, err := netip.ParseAddrPort(s.listener.Addr().String())
	s.loopback = err == nil && bound.Addr().IsLoopback()
	s.names = access.OwnNamesAt(s.listener.Addr(), append(o.Names[:len(o.Names):len(o.Names)],
		host)...)
	if !s.loopback {
		if s.token, err = keptToken(filepath.Join(o.Data, "dashboard.token")); err != nil {
			return nil, errors.Join(err, s.listener.Close())
		}
	}
	s.events = newEvents(s)
	s.requests, s.metrics = newMetrics(o.Desk, o.Version)
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10, TLSConfig: config,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	if err := s.announce(); err != nil {
		s.o.Log.Warn("other commands will not find the dashboard", "err", err)
	}
	return s, nil
}

// URL returns the address for people, with the token if one is needed.
func (s *Server) URL() string {
	u := s.scheme() + "://" + s.listener.Addr().String() + "/"
	if s.token != "" {
		u += "?token=" + s.token
	}
	return u
}

func (s *Server) scheme() string {
	if s.tls {
		return "https"
	}
	return "http"
}

// Unencrypted returns a warning if others on the network can read the answers; else "".
func (s *Server) Unencrypted() string {
	if s.tls || s.loopback {
		return ""
	}
	return "the dashboard and its token cross the network as plain text: name a certificate " +
		"(--listen-certificate), or put a proxy with TLS in front"
}

// Serve answers until Close.
func (s *Server) Serve() {
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.o.Desk.Work(ctx)
	go s.events.run(ctx)
	s.o.Log.Info("dashboard serves", "address", s.listener.Addr().String())
	go func() {
		serve := s.http.Serve
		if s.tls {
			serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
		}
		if err := serve(s.listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.o.Log.Error("dashboard ended", "err", err)
		}
	}()
}

// Close ends all answers, and closes the desk.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	s.o.Desk.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	s.retract()
	return err
}

//go:embed assets templates openapi.yaml
var files embed.FS

// routes has all routes. Those of the API are in api.go, and in openapi.yaml.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	page := func(pattern string, f func(*http.Request) (*content, error)) {
		m.Handle("GET "+pattern, s.counted(pattern, s.slot(s.page(f))))
	}
	page("/{$}", s.home)
	page("/health", s.health)
	page("/freshness", s.freshness)
	page("/due", s.due)
	page("/servers", s.servers)
	page("/servers/{server}", s.server)
	page("/page", s.onePage)
	page("/plan", s.plan)
	page("/hints", s.hints)
	page("/journal", s.journal)
	page("/search", s.search)
	fragment := func(pattern, name string, f func(*http.Request) (any, error)) {
		m.Handle("GET "+pattern, s.counted(pattern, s.slot(s.fragment(name, f))))
	}
	fragment("/changes", "changes", s.changesFragment)
	fragment("/servers/{server}/pages", "pages", s.pagesFragment)
	fragment("/servers/{server}/sites", "sites", s.sitesFragment)
	fragment("/page/estimates", "estimates", s.estimatesFragment)
	fragment("/page/visits", "visits", s.visitsFragment)
	fragment("/page/diff", "diff", s.diffFragment)
	m.Handle("GET "+feedPath, s.counted(feedPath, s.slot(http.HandlerFunc(s.feed))))
	m.HandleFunc("GET /go", s.goTo)
	m.Handle("POST /hints", s.counted("/hints", s.slot(http.HandlerFunc(s.postHints))))
	m.HandleFunc("POST /login", s.login)

	s.api(m)
	m.Handle("GET /api/v1/events", s.events)

	m.Handle("GET /assets/", assets())
	m.Handle("GET /metrics", s.counted("/metrics", s.slot(s.metrics)))
	m.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	m.HandleFunc("GET /readyz", s.ready)
	if s.o.PProf {
		m.HandleFunc("GET /debug/pprof/", pprof.Index)
		m.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	m.Handle("/", s.page(func(*http.Request) (*content, error) { return nil, errNoPage }))
	return s.guard(m)
}

// ready answers 200 when the planner answers and the first survey is done.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	now, err := s.o.Desk.Now(ctx)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case now.Surveyed.Year() < 1971:
		http.Error(w, "the pages are being looked at for the first time",
			http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(w, "ready")
	}
}

// where is the content of the file in the data directory by which commands reach a server.
type where struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
	PID     int    `json:"pid"`
	// Certificate is the file of the server's certificate; "": none.
	Certificate string `json:"certificate,omitempty"`
}

func announced(data string) string { return filepath.Join(data, "dashboard.json") }

// announce lets commands of the same user find the server.
func (s *Server) announce() error {
	w := where{Address: s.listener.Addr().String(), Secret: s.secret, PID: os.Getpid()}
	if s.tls {
		var err error
		if w.Certificate, err = filepath.Abs(s.o.Certificate); err != nil {
			return err
		}
	}
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return directory.WritePrivately(announced(s.o.Data), text)
}

// retract removes the announcement, if it is still that of this process.
func (s *Server) retract() {
	if w, err := found(s.o.Data); err == nil && w.Secret == s.secret {
		_ = os.Remove(announced(s.o.Data)) // otherwise it names a port where nobody answers
	}
}

// keptToken reads the token of a file, and makes the file if it is missing. It refuses a file that
// others can read.
func keptToken(name string) (string, error) {
	text, err := access.ReadSecret(name, 1<<10)
	if errors.Is(err, os.ErrNotExist) {
		token := random()
		return token, directory.WritePrivately(name, []byte(token))
	}
	if err == nil && len(text) < 16 {
		err = fmt.Errorf("%s has no token: remove it for another one", name)
	}
	return string(text), err
}

// random returns a secret of 256 bits.
func random() string {
	var b [32]byte
	rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
