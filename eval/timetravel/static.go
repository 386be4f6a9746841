package timetravel

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Static is an Archive of files, served like a plain file server:
//
//	/foo/            the file /foo/index.html
//	/foo/index.html  301 to /foo/, so that a page has one URL only. Many servers answer both;
//	                 then every page would exist, and change, twice
//	/foo             the file of this name; else 301 to /foo/ if that exists; else
//	                 301 to /foo.html if that exists
//
// Percent-escapes are decoded. A query is ignored, and copied into redirects. A removed file is a
// 404. Put and Remove must not run while the web is in use.
type Static struct {
	names []string
	sites map[string]*site
}

type site struct {
	files  map[string]*file // by path, not escaped
	paths  []string         // in order of appearance
	bodies map[sitegraph.Digest][]byte
}

// file is one name over time.
type file struct{ versions []fileVersion }

type fileVersion struct {
	at   int64 // unix seconds
	gone bool
	Resource
}

// NewStatic returns a web without servers.
func NewStatic() *Static { return &Static{sites: map[string]*site{}} }

// Put sets the content of a file from the time at, in whole seconds, which must not be before an
// earlier one of the file. name is its path, not escaped. An equal content is no new version.
// Nobody may change body later.
func (w *Static) Put(server, name string, at time.Time, contentType string, body []byte) {
	s := w.site(server)
	digest := sitegraph.DigestOf(body)
	f := s.file(name)
	if n := len(f.versions); n > 0 {
		last := &f.versions[n-1]
		if !last.gone && last.Digest == digest && last.Type == contentType {
			return
		}
	}
	if known, ok := s.bodies[digest]; ok && bytes.Equal(known, body) {
		body = known // sites copy whole files, and return to old states
	}
	s.bodies[digest] = body
	f.versions = append(
		f.versions,
		fileVersion{at: at.Unix(), Resource: Resource{Status: http.StatusOK, Type: contentType,
			Body: body, Digest: digest, LastModified: time.Unix(at.Unix(), 0).UTC()}},
	)
}

// Remove removes a file at a time.
func (w *Static) Remove(server, name string, at time.Time) {
	f := w.site(server).file(name)
	f.versions = append(f.versions, fileVersion{at: at.Unix(), gone: true})
}

func (w *Static) site(server string) *site {
	s := w.sites[server]
	if s == nil {
		s = &site{files: map[string]*file{}, bodies: map[sitegraph.Digest][]byte{}}
		w.sites[server] = s
		w.names = append(w.names, server)
		slices.Sort(w.names)
	}
	return s
}

func (s *site) file(name string) *file {
	f := s.files[name]
	if f == nil {
		f = &file{}
		s.files[name] = f
		s.paths = append(s.paths, name)
	}
	return f
}

// Servers returns the names of the servers, sorted.
func (w *Static) Servers() []string { return slices.Clone(w.names) }

// Resource implements Web.
func (w *Static) Resource(server, path string, t time.Time) Resource {
	s := w.sites[server]
	if s == nil {
		return Resource{Status: http.StatusNotFound}
	}
	path, query, _ := strings.Cut(path, "?")
	if query != "" {
		query = "?" + query
	}
	for _, c := range candidates(path) {
		if v := s.files[c.file].at(t.Unix()); v != nil {
			if c.redirect == "" {
				return v.Resource
			}
			return Resource{Status: http.StatusMovedPermanently, Location: c.redirect + query}
		}
	}
	return Resource{Status: http.StatusNotFound}
}

// at returns the version at time t, or nil.
func (f *file) at(t int64) *fileVersion {
	if f == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(f.versions, t, func(v fileVersion, t int64) int {
		if v.at <= t {
			return -1
		}
		return 1
	})
	if found || i == 0 || f.versions[i-1].gone {
		return nil
	}
	return &f.versions[i-1]
}

// candidate is a file that may answer for a path: itself, or by a redirect to a path.
type candidate struct{ file, redirect string }

const index = "index.html"

// candidates returns the files that may answer for an escaped path without query; the first one
// that exists does.
func candidates(path string) []candidate {
	name := unescape(path)
	if strings.HasSuffix(name, "/") {
		return []candidate{{file: name + index}}
	}
	if dir, ok := strings.CutSuffix(path, "/"+index); ok {
		return []candidate{{file: name, redirect: dir + "/"}}
	}
	return []candidate{{file: name}, {name + "/" + index, path + "/"},
		{name + ".html", path + ".html"}}
}

// Paths implements Archive.
func (w *Static) Paths(server string) []string {
	s := w.sites[server]
	if s == nil {
		return nil
	}
	var paths []string
	for _, name := range s.paths {
		if dir, ok := strings.CutSuffix(name, "/"+index); ok {
			name = dir + "/"
		}
		paths = append(paths, escape(name))
	}
	return paths
}

// Times implements Archive.
func (w *Static) Times(server, path string) []time.Time {
	s := w.sites[server]
	if s == nil {
		return nil
	}
	path, _, _ = strings.Cut(path, "?")
	var seconds []int64
	for _, c := range candidates(path) {
		if f := s.files[c.file]; f != nil {
			for _, v := range f.versions {
				seconds = append(seconds, v.at)
			}
		}
	}
	slices.Sort(seconds)
	var times []time.Time
	for _, t := range slices.Compact(seconds) {
		times = append(times, time.Unix(t, 0).UTC())
	}
	return times
}
