package sitegraph

import "strings"

// Bare returns a canonical address without its scheme and "www.", since most pages are the same
// with and without these.
func Bare(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if short, ok := strings.CutPrefix(rest, "www."); ok {
		if host, _, _ := strings.Cut(short, "/"); strings.Contains(host, ".") {
			return short
		}
	}
	return rest
}
