package fetch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/robots"
)

// browserWords are words in user agents of browsers, and of bots that claim to be compatible with
// one.
var browserWords = []string{
	"mozilla", "compatible", "khtml", "like", "gecko", "applewebkit", "webkit", "version",
	"mobile", "rv",
	// browsers
	"msie", "trident", "edge", "edg", "edga", "edgios", "safari", "chrome", "chromium",
	"headlesschrome", "crios", "firefox", "fxios", "seamonkey", "opera", "opr", "presto",
	"vivaldi", "yabrowser", "samsungbrowser", "ucbrowser", "konqueror", "epiphany", "silk",
	"brave", "netscape", "camino", "iceweasel",
	// systems and devices
	"windows", "win", "wow", "macintosh", "mac", "intel", "ppc", "os", "cpu", "iphone", "ipad",
	"ipod", "linux", "android", "nexus", "pixel", "build", "x", "ubuntu", "fedora", "debian",
	"cros", "darwin", "tablet", "touch", "arm",
	// attributes
	"u", "i", "n", "en", "en-us", "de", "wv", "net",
}

var (
	// compatibleMark precedes the name of a bot that claims to be compatible with a browser.
	compatibleMark = regexp.MustCompile(`(?i)\bcompatible\s*[;,]([^()]*)`)
	// productWord is a name with or without a version.
	productWord = regexp.MustCompile(`^[A-Za-z_-][A-Za-z0-9_-]*(/.*)?$`)
	// versionedWord is a name with a version, which begins with a number.
	versionedWord = regexp.MustCompile(`^[A-Za-z_-][A-Za-z0-9_-]*/v?[0-9]`)
)

// ProductOf returns the product token of a user agent (RFC 9309 2.2.1), or "" if it is unclear. It
// is
//
//  1. the name at the start, if that is no word of browsers: "mybot/1.0 (+https://...)";
//  2. the first such name after "compatible;", if it stands alone between semicolons: "Mozilla/5.0
//     (compatible; mybot/1.0; +https://...)";
//  3. the one such name with a version: "Mozilla/5.0 (Windows NT 10.0) ... (mybot/1.0; +https://)".
//
// Addresses of the web and of mail are no names.
func ProductOf(userAgent string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(userAgent), " ")
	if name := robots.Product(first); name != "" && !isAddress(first) && !isBrowserWord(name) {
		return name
	}
	for _, behind := range compatibleMark.FindAllStringSubmatch(userAgent, -1) {
		for part := range strings.FieldsFuncSeq(behind[1], isDelimiter) {
			words := slices.DeleteFunc(strings.Fields(part), isAddress)
			if len(words) == 1 && productWord.MatchString(words[0]) &&
				!isBrowserWord(robots.Product(words[0])) {
				return robots.Product(words[0])
			}
		}
	}
	only := ""
	for word := range strings.FieldsFuncSeq(userAgent, func(r rune) bool {
		return r == ' ' || isDelimiter(r)
	}) {
		name := robots.Product(word)
		if isAddress(word) || !versionedWord.MatchString(word) || isBrowserWord(name) ||
			name == only {
			continue
		}
		if only != "" {
			return ""
		}
		only = name
	}
	return only
}

func isDelimiter(r rune) bool { return strings.ContainsRune("();,", r) }

func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.Contains(word, "@")
}

func isBrowserWord(name string) bool { return slices.Contains(browserWords, strings.ToLower(name)) }
