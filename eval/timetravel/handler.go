package timetravel

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// handler answers for one server.
type handler struct {
	web   Web
	name  string // of the server
	addr  string // address of its listener
	clock func() time.Time
	log   func(Access)
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := h.clock()
	path := r.URL.RequestURI()
	if h.log != nil {
		w = &logged{ResponseWriter: w, log: h.log,
			access: Access{Server: h.name, Path: path, Time: now}}
	}
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	switch {
	case !strings.EqualFold(r.Host, h.name) && r.Host != h.addr:
		// A client at a wrong address must not get pages of another server.
		plain(w, http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed)
	default:
		h.answer(w, r, h.web.Resource(h.name, path, now))
	}
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, resource Resource) {
	header := w.Header()
	if resource.Location != "" {
		header.Set("Location", resource.Location)
	}
	if resource.Status != http.StatusOK {
		if len(resource.Body) == 0 {
			plain(w, resource.Status)
			return
		}
		header.Set("Content-Type", resource.Type)
		header.Set("Content-Length", strconv.Itoa(len(resource.Body)))
		w.WriteHeader(resource.Status)
		w.Write(resource.Body)
		return
	}
	digest := resource.Digest
	if digest.IsZero() {
		digest = sitegraph.DigestOf(resource.Body)
	}
	header.Set("Content-Type", resource.Type)
	tag := digest.String()
	var content io.ReadSeeker = bytes.NewReader(resource.Body)
	if len(resource.Body) >= minCompressed {
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			// Another representation needs another strong tag (RFC 9110 8.8.3.3).
			tag += "-gzip"
			header.Set("Content-Encoding", "gzip")
			content = &compressed{plain: resource.Body, header: header}
		}
	}
	header.Set("ETag", `"`+tag+`"`)
	// Conditions (RFC 9110 13), ranges and HEAD are the library's.
	http.ServeContent(w, r, "", resource.LastModified.Truncate(time.Second), content)
}

// plain answers with the name of a status.
func plain(w http.ResponseWriter, status int) {
	text := http.StatusText(status) + "\n"
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	io.WriteString(w, text) // nothing is written for HEAD
}

// logged reports an answer before its first byte is sent.
type logged struct {
	http.ResponseWriter
	log    func(Access)
	access Access
}

func (l *logged) WriteHeader(status int) {
	if status >= 200 && l.log != nil {
		l.access.Status = status
		l.log(l.access)
		l.log = nil
	}
	l.ResponseWriter.WriteHeader(status)
}
