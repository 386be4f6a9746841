package sitegraph

import "strings"

// ServerName returns the authority (host[:port]) of a canonical address.
func ServerName(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

// Root returns the address of the root page of the server of a canonical address, under its scheme.
func Root(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme + "://" + ServerName(url) + "/"
}

// Directory returns a canonical address up to the last slash of its path, query left out:
// "http://h/a/b?c" is in "http://h/a/" [LINK 4.1].
func Directory(url string) string {
	path := url
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	return path[:strings.LastIndexByte(path, '/')+1]
}
