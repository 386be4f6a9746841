package requisite

import (
	"regexp"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
)

const day = 24 * time.Hour

// Due returns when to check a URL in the archive; zero means never. The interval is the time for
// which its content is known to be the same, so it doubles with each check.
func Due(url string, h archive.Held) time.Time {
	sound := h.Whole && (h.Status == "200" || h.Status == "203" || h.Status == "304")
	content, version := Names(url)
	switch {
	case !sound:
		return h.Checked.Add(7 * day) // moved, gone, or cut
	case content:
		return time.Time{}
	case version:
		return h.Checked.Add(90 * day)
	}
	least, most := day, 14*day
	if isStill(url) {
		least, most = 7*day, 90*day
	}
	return h.Checked.Add(min(max(h.Checked.Sub(h.Since), least), most))
}

// still are the extensions of files that seldom change in place.
var still = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true,
	".avif": true, ".svg": true, ".ico": true, ".bmp": true, ".woff": true, ".woff2": true,
	".ttf": true, ".otf": true, ".eot": true, ".mp4": true, ".webm": true, ".mp3": true,
	".ogg": true, ".m4a": true, ".m4v": true, ".wav": true}

func isStill(url string) bool { return still[archive.Ending(url)] }

var (
	// hexName matches a part of a name between marks: hexadecimal, 8 digits or more.
	hexName = regexp.MustCompile(`[/._-]([0-9a-f]{8,128})(?:[/._-]|$)`)
	// mixedName matches the digest that bundlers put before the extension: 8 letters and digits or
	// more.
	mixedName = regexp.MustCompile(`[._-]([A-Za-z0-9_]{8,64})\.[a-z0-9]{2,5}$`)
	// versionName matches a whole version: a package with it does not change.
	versionName = regexp.MustCompile(`[/@v_-][0-9]+\.[0-9]+\.[0-9]+(?:[/._-]|$)`)
	// versionQuery matches a field that exists for caches.
	versionQuery = regexp.MustCompile(`(?i)(?:^|&)(?:v|ver|version|rev|hash|cb)=[a-z._-]*[0-9][0-9a-z._-]*(?:&|$)`)
)

const (
	// leastDigest is the least number of digits of a digest: 64 bits in hexadecimal.
	leastDigest = 16
	// objectID is the number of digits of an identifier in MongoDB, which identifies an object and
	// not its content.
	objectID = 24
)

// Names reports whether a URL identifies its content. If content is true, its file name has a
// digest: other content has another URL. If version is true, it has a version or a short digest:
// other content should have another URL, but some sites never change theirs.
func Names(url string) (content, version bool) {
	_, rest, _ := strings.Cut(url, "://")
	_, rest, _ = strings.Cut(rest, "/")
	whole, query, _ := strings.Cut("/"+rest, "?")
	name := whole[strings.LastIndexByte(whole, '/'):]
	version = versionQuery.MatchString(query) || versionName.MatchString(whole)
	for _, m := range hexName.FindAllStringSubmatch(name, -1) {
		if has(m[1], '0', '9') && has(m[1], 'a', 'f') {
			version = true
			content = content || len(m[1]) >= leastDigest && len(m[1]) != objectID
		}
	}
	m := mixedName.FindStringSubmatch(name)
	return content, version || m != nil && has(m[1], '0', '9') && has(m[1], 'a', 'z') &&
		has(m[1], 'A', 'Z')
}

// has reports whether a text has a character of a range.
func has(text string, from, to rune) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return from <= r && r <= to })
}
