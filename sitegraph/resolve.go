package sitegraph

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Resolver resolves the links of one page to canonical addresses. Many goroutines may use it at
// once.
type Resolver struct {
	base   string // canonical
	scheme string // "http:" or "https:"
	origin string // scheme, host and port
	page   string // base without its query
	dir    string // page up to its last slash
	parsed func() (*address, error)
	root   func() (*address, error) // of the server
}

// NewResolver returns a resolver for the links of the page at base, an absolute address that need
// not be canonical.
func NewResolver(base string) (*Resolver, error) {
	canonical, err := Canonical(base)
	if err != nil {
		return nil, err
	}
	r := &Resolver{base: canonical}
	authority := strings.Index(canonical, "//")
	r.scheme = canonical[:authority]
	r.origin = canonical[:authority+2+strings.IndexByte(canonical[authority+2:], '/')]
	r.page, _, _ = strings.Cut(canonical, "?")
	r.dir = Directory(canonical)
	// Most pages have only plain links, so parsing of the base can wait.
	r.parsed = sync.OnceValues(func() (*address, error) { return newAddress(canonical) })
	r.root = sync.OnceValues(func() (*address, error) { return newAddress(r.origin + "/") })
	return r, nil
}

// Base returns the canonical address of the page.
func (r *Resolver) Base() string { return r.base }

// Resolve returns the canonical address that ref means on the page. It returns false if ref is no
// address of a web page: another scheme, no valid host, too long. The result may share memory with
// ref.
func (r *Resolver) Resolve(ref string) (canonical string, ok bool) {
	if url, ok := r.fast(ref); ok {
		return url, true
	}
	if dir, rest := r.upwards(ref); len(ref) <= maxRawBytes && isBelow(rest) {
		// The parser's time grows with the square of a path; it does not need the directory.
		url, ok := resolve(r.root, rest)
		if !ok {
			return "", false
		}
		url = dir + url[len(r.origin)+1:]
		return url, len(url) <= MaxURLBytes
	}
	return r.slow(ref)
}

// fast resolves plain references; false means that the parser must decide.
func (r *Resolver) fast(ref string) (string, bool) {
	if ref == "" || ref[0] == '#' {
		return r.base, true
	}
	var prefix string
	switch ref[0] {
	case '/':
		if len(ref) > 1 && ref[1] == '/' {
			return fastAbsolute(r.scheme + ref)
		}
		prefix = r.origin
	case '?':
		prefix = r.page
	default:
		if strings.HasPrefix(ref, "http") {
			if url, ok := fastAbsolute(ref); ok {
				return url, true
			}
		}
		// Before the first slash a colon may end a scheme.
		if i := strings.IndexAny(ref, ":/?#"); i >= 0 && ref[i] == ':' {
			return "", false
		}
		prefix, ref = r.upwards(ref)
	}
	n, ok := plainTail(ref)
	if !ok {
		return "", false
	}
	return prefix + ref[:n], len(prefix)+n <= MaxURLBytes
}

// upwards removes the dot segments at the start of a reference, and returns the directory that they
// lead to, at most the root.
func (r *Resolver) upwards(ref string) (dir, rest string) {
	for dir = r.dir; ; {
		switch {
		case strings.HasPrefix(ref, "./"):
			ref = ref[2:]
		case strings.HasPrefix(ref, "../"):
			ref = ref[3:]
			if len(dir) > len(r.origin)+1 {
				dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
			}
		default:
			return dir, ref
		}
	}
}

// slow leaves everything to the parser.
func (r *Resolver) slow(ref string) (string, bool) {
	if len(ref) > maxRawBytes || otherScheme(ref) {
		return "", false
	}
	return resolve(r.parsed, ref)
}

// isBelow reports whether a reference surely names something in the directory of its page, or below
// it.
func isBelow(ref string) bool {
	if ref == "" || ref[0] < utf8.RuneSelf && octets[ref[0]]&unreserved == 0 {
		return false
	}
	if i := strings.IndexAny(ref, ":/?#\\"); i >= 0 && ref[i] == ':' {
		return false // it may begin with a scheme
	}
	// The parser drops tabs and line ends, and reads %2e as a dot.
	return !strings.Contains(ref, "..") && !strings.ContainsAny(ref, "%\t\n\r")
}

func resolve(base func() (*address, error), ref string) (canonical string, ok bool) {
	against, err := base()
	if err != nil {
		return "", false
	}
	p, err := against.resolve(ref)
	if err != nil {
		return "", false
	}
	canonical, err = p.canonical()
	return canonical, err == nil
}
