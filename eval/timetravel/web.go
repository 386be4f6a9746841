package timetravel

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Resource is the answer of a server for a path at a time.
type Resource struct {
	Status       int              // 200, 301, 404, 410, or any other with or without a body
	Type         string           // content type of the body; always set with status 200
	Body         []byte           // must not be changed
	Digest       sitegraph.Digest // MD5 of Body; zero: computed when needed
	Location     string           // of a redirect: URL or absolute path
	LastModified time.Time        // when this version appeared; zero: not known
}

// Web has the content of servers at any time. Its methods may be called concurrently, and always
// give the same answer to the same question.
type Web interface {
	// Servers returns the names (host[:port]) of all servers, each once.
	Servers() []string
	// Resource returns the answer of server for path, which begins with a slash and may have a
	// query, at time t: 404 for anything unknown.
	Resource(server, path string, t time.Time) Resource
}

// Archive is a Web with a list of its paths and times. Histories are made of one.
type Archive interface {
	Web
	// Paths returns the paths (as in a URL: percent-escaped, with query) of all resources that
	// server ever has. Other names of them may be missing.
	Paths(server string) []string
	// Times returns, in order, the times at which the answer for path may change, including the
	// first one with an answer. It accepts any path, not only those of Paths.
	Times(server, path string) []time.Time
}
