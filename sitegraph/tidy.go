package sitegraph

import "strings"

// Tidy removes from a canonical address what identifies the visitor and not the page: sessions and
// parameters of advertisers (those that pywb, Heritrix, urlcanon and browsers strip). The result is
// canonical; most addresses stay as they are. Two slashes are not one (RFC 3986 3.3).
func Tidy(url string) string {
	scheme := strings.Index(url, "://") + 3
	slash := strings.IndexByte(url[scheme:], '/')
	if slash < 0 {
		return url
	}
	server := url[:scheme+slash]
	path, query, hasQuery := strings.Cut(url[scheme+slash:], "?")
	tidied := tidyPath(path)
	if !hasQuery {
		if tidied == path {
			return url
		}
		return server + tidied
	}
	kept := tidyQuery(query)
	switch {
	case tidied == path && kept == query:
		return url
	case kept == "":
		return server + tidied
	}
	return server + tidied + "?" + kept
}

// tidyPath drops ;jsessionid=..., and a segment that is nothing else.
func tidyPath(path string) string {
	for {
		at := indexFold(path, ";jsessionid=")
		if at < 0 {
			break
		}
		end := strings.IndexByte(path[at:], '/')
		if end < 0 {
			return path[:at]
		}
		head, rest := path[:at], path[at+end:]
		path = strings.TrimSuffix(head, "/") + rest
	}
	return path
}

// indexFold is strings.Index for a lower-case ASCII pattern, whatever the case of text.
func indexFold(text, pattern string) int {
	for i := 0; i+len(pattern) <= len(text); i++ {
		if text[i] == pattern[0] && strings.EqualFold(text[i:i+len(pattern)], pattern) {
			return i
		}
	}
	return -1
}

// tidyQuery drops the parameters that name a visitor.
func tidyQuery(query string) string {
	drop := false
	for pair := range strings.SplitSeq(query, "&") {
		drop = drop || namesVisitor(pair)
	}
	if !drop {
		return query
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if !namesVisitor(pair) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// visitorKeys are parameters that change nothing of the page.
var visitorKeys = map[string]bool{
	"jsessionid": true,
	"phpsessid":  true,
	"cfid":       true,
	"cftoken":    true, // sessions
	"fbclid":     true,
	"gclid":      true,
	"gclsrc":     true,
	"dclid":      true,
	"gbraid":     true,
	"wbraid":     true,
	"msclkid":    true,
	"yclid":      true,
	// Advertisers.
	"twclid": true,
	"ttclid": true,
	"igshid": true,
	"mc_eid": true,
	"_ga":    true,
	"_gl":    true,
	"_hsenc": true,
	"_hsmi":  true,
}

func namesVisitor(pair string) bool {
	key, value, _ := strings.Cut(pair, "=")
	key = strings.ToLower(key)
	switch {
	case visitorKeys[key], strings.HasPrefix(key, "utm_"), strings.HasPrefix(key, "aspsessionid"):
		return true
	case key == "sid" || key == "sessid" || key == "sessionid" || key == "session_id":
		return isRandom(value)
	}
	return false
}
