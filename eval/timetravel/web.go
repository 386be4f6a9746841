package timetravel

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Resource is what a server answers for a path at a moment.
type Resource struct {
	Status       int              // 200, 301, 404, 410, or any other that has a body or none
	Type         string           // content type of the body; always told with status 200
	Body         []byte           // not changed
	Digest       sitegraph.Digest // MD5 of Body; zero: computed where it is needed
	Location     string           // of a redirect: address or absolute path
	LastModified time.Time        // when this version appeared; zero: not told
}

// A Web is what servers hold at any time. Its methods may be called concurrently, and give
// the same answer to the same question.
type Web interface {
	// Servers returns the names (host[:port]) of all servers, each once.
	Servers() []string
	// Resource returns what server answers for path, which begins with a slash and may
	// have a query, at time t: 404 for whatever it does not know.
	Resource(server, path string, t time.Time) Resource
}

// An Archive is a Web that also knows where and when to look. Histories are made of one.
type Archive interface {
	Web
	// Paths returns the paths (as in an address: percent-escaped, query included) of all
	// resources that server ever has. Other names of them need not be there.
	Paths(server string) []string
	// Times returns, in order, the moments at which the answer for path may change, the
	// first one at which there is any included; for any path, also one not among Paths.
	Times(server, path string) []time.Time
}
