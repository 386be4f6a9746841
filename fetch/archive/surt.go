package archive

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	escape     = regexp.MustCompile(`%[0-9a-fA-F]{2}`)
	leadingWWW = regexp.MustCompile(`^www\d*\.`)

	// pathSession matches session numbers that make one page look like many.
	pathSession = regexp.MustCompile(
		`^(/|/.*?/)\((?:[a-z]\([0-9a-z]{24}\))+\)/|^(/|/.*?/)\([0-9a-z]{24}\)/`)
	querySession = regexp.MustCompile(`(^|&)(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|` +
		`sid=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(&|$)`)
)

// SURT returns the index key of a URL: the host backwards without "www.", then the path and the
// sorted query in lower case. Scheme, fragment and user are left out. A text that is no URL with a
// host is its own key. Several pages and hosts may share a key, so callers must compare the URLs.
func SURT(address string) string {
	return surt(address, func(host string) bool { return strings.Contains(host, ".") })
}

// SURTs returns the keys of a URL: the current one, after the one of older versions, which did not
// keep names such as "www3288.com" whole.
func SURTs(address string) []string {
	now, before := SURT(address), surt(address, func(string) bool { return true })
	if now == before {
		return []string{now}
	}
	return []string{before, now}
}

func surt(address string, isHost func(rest string) bool) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return strings.Map(visible, address)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.HasPrefix(host, "www") { // regular expressions are slow, and seldom needed
		if short := leadingWWW.ReplaceAllString(host, ""); short != "" && isHost(short) {
			host = short
		}
	}
	var b strings.Builder
	b.Grow(len(address) + 2)
	if strings.Contains(host, ":") { // IPv6
		b.WriteString("[" + host + "]")
	} else {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		b.WriteString(strings.Join(labels, ","))
	}
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") &&
		(u.Scheme != "https" || port != "443") {
		b.WriteString(":" + port)
	}
	b.WriteByte(')')
	b.WriteString(pathKey(u))
	if query := queryKey(u.RawQuery); query != "" {
		b.WriteString("?" + query)
	}
	return strings.Map(visible, b.String())
}

// visible drops characters that would end a key.
func visible(r rune) rune {
	if r <= ' ' || r == 0x7f {
		return -1
	}
	return r
}

// unescaped undoes escapes of printable ASCII characters except "%", "#" and "&", like keys of
// other tools.
func unescaped(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return escape.ReplaceAllStringFunc(s, func(code string) string {
		c, _ := strconv.ParseUint(code[1:], 16, 8)
		if c <= ' ' || c >= 0x7f || c == '%' || c == '#' || c == '&' {
			return code
		}
		return string(rune(c))
	})
}

func pathKey(u *url.URL) string {
	path := strings.ToLower(unescaped(u.EscapedPath()))
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if strings.Contains(path, "(") {
		path = withoutSession(path)
	}
	if path = strings.TrimSuffix(path, "/"); path == "" {
		return "/"
	}
	return path
}

func withoutSession(path string) string {
	at := pathSession.FindStringSubmatchIndex(path)
	if at == nil {
		return path
	}
	prefix := ""
	for i := 2; i < 6; i += 2 {
		if at[i] >= 0 {
			prefix = path[at[i]:at[i+1]]
		}
	}
	return prefix + path[at[1]:]
}

func queryKey(query string) string {
	query = strings.ToLower(unescaped(query))
	for strings.Contains(query, "id") {
		at := querySession.FindStringSubmatchIndex(query)
		if at == nil {
			break
		}
		query = query[:at[3]] + query[at[5]:]
	}
	if !strings.Contains(query, "&") {
		return query
	}
	parts := strings.Split(query, "&")
	slices.Sort(parts)
	return strings.Join(parts, "&")
}
